package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/formats/recording"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/node/xmlrpc"
)

type checkOptions struct{ json bool }

type checkResult struct {
	*bagstore.CheckReport
	Recording *rsbag.CheckReport `json:"recording,omitempty"`
	// Rules lists the requirements of librealsense's .db3 reader that the file breaks.
	Rules []rsdb3.Broken `json:"broken_rules,omitempty"`
	// NotForXML lists topics whose name or type XML-RPC can't carry, so that play leaves them out.
	NotForXML []string `json:"unsayable,omitempty"`
	Error     string   `json:"error,omitempty"`
}

func newCheckCommand(a *app) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check BAG…",
		Short: "Look for damage: structure, checksums, index against content",
		Long: `check reads whole bags and compares the content with checksums, indexes and counts.
In a RealSense recording it also checks the layout and counts the gaps in the
camera's frame numbers. For a .db3 of librealsense it lists the requirements of the
SDK's reader that the file breaks. The bag isn't changed; recover makes a sound one.

Exit codes: 0 sound, 3 damaged but readable, 1 not readable.`,
		Example: `  rs-ros-node check walk.bag
  rs-ros-node check --json *.bag`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.check(cmd.Context(), args, o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON, one object per bag")
	cmd.PreRunE = migrationFlags(cmd.Flags())
	return cmd
}

func (a *app) check(ctx context.Context, paths []string, o checkOptions) error {
	var all verdict
	for _, path := range paths {
		res, err := a.checkOne(ctx, path)
		if err != nil {
			return err
		}
		if err := res.print(a.out, o.json); err != nil {
			return err
		}
		all.add(path, res.Outcome)
	}
	return all.err("damaged", "not readable")
}

// checkOne fails only if it is interrupted. A bag that can't be read is a result.
func (a *app) checkOne(ctx context.Context, path string) (checkResult, error) {
	report, done := a.progress(path, false)
	defer done()
	res := checkResult{CheckReport: &bagstore.CheckReport{Path: path, Outcome: bagstore.Unreadable}}
	bag, err := recording.Open(path, bagstore.OpenOptions{Whole: true})
	if err == nil {
		defer bag.Close() //nolint:errcheck // only read
		err = res.check(ctx, bag, report)
	}
	if err == nil && res.Outcome != bagstore.Unreadable {
		res.Rules, _, err = rsdb3.Check(ctx, path)
	}
	if ctx.Err() != nil {
		return res, errInterrupted
	}
	if err != nil {
		res.Error = err.Error()
		res.Outcome = max(res.Outcome, bagstore.Damaged)
	}
	if len(res.Rules) > 0 || res.Recording != nil && res.Recording.Damaged > 0 {
		res.Outcome = max(res.Outcome, bagstore.Damaged)
	}
	return res, nil
}

// check reads a recording once and checks the structure and the layout together.
func (r *checkResult) check(ctx context.Context, bag *bagstore.Bag, report bagstore.Progress) (err error) {
	o := bagstore.CheckOptions{Progress: report}
	var layout *rsbag.Checker
	var odd error
	if rsbag.IsRecording(bag) {
		if layout, odd = rsbag.NewChecker(bag); odd == nil {
			defer layout.Close()
			o.Before = layout.Before
		}
	}
	if r.CheckReport, err = recording.Check(ctx, bag, o); err != nil || r.Outcome == bagstore.Unreadable {
		return err
	}
	r.NotForXML = notForXML(bag)
	if layout != nil && odd == nil {
		r.Recording = layout.Report()
	}
	return odd
}

// notForXML lists the topics whose name or type XML-RPC can't carry.
func notForXML(b *bagstore.Bag) (topics []string) {
	for _, c := range b.Connections() {
		if !xmlrpc.CanCarry(c.Topic) || !xmlrpc.CanCarry(c.Type) {
			topics = append(topics, fmt.Sprintf("%q (%q)", c.Topic, c.Type))
		}
	}
	slices.Sort(topics)
	return slices.Compact(topics)
}

func (r checkResult) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	fmt.Fprintf(w, "%s: %v", r.Path, r.Outcome)
	if r.Version != "" {
		fmt.Fprintf(w, ", version %s, %d messages", r.Version, r.Messages)
		if r.Version == "2.0" || r.Version == "1.2" { // other formats have no chunks
			fmt.Fprintf(w, " in %d chunks", r.Chunks)
		}
	}
	fmt.Fprintln(w)
	if r.Error != "" {
		fmt.Fprintf(w, "  %s\n", r.Error)
	}
	printNotes(w, r.Notes)
	if r.OutOfOrder > 0 {
		fmt.Fprintf(w, "  note: %d messages are earlier than the one before them in the file\n", r.OutOfOrder)
	}
	for _, topic := range r.NotForXML {
		fmt.Fprintf(w, "  note: no ROS master can be told of %s: play leaves it out\n", topic)
	}
	if r.Recording != nil {
		fmt.Fprintf(w, "  RealSense recording, version %d\n", r.Recording.Version)
		for _, text := range r.Recording.Notes {
			fmt.Fprintf(w, "  note: %s\n", text)
		}
		if n := r.Recording.Damaged; n > 0 {
			fmt.Fprintf(w, "  loss: %d messages don't fit their topic; the last: %s\n", n, r.Recording.Why)
		}
	}
	for _, b := range r.Rules {
		fmt.Fprintf(w, "  librealsense can't play all of it: rule %d is broken %d times, first: %s\n", b.Rule, b.Count, b.Text)
	}
	return nil
}
