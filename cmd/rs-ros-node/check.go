package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/bagstore/recording"
	"rsros/program"
	"rsros/ros/xmlrpc"
	"rsros/tools/info"
	"rsros/tools/rules"
	"rsros/tools/trigger"
)

type checkOptions struct {
	json        bool
	sync        string // "", syncReport or syncRequired
	picture     string // of sync
	rules, from string // files
}

// The values of --sync.
const (
	syncReport   = "report"
	syncRequired = "required"
)

type checkResult struct {
	*bagstore.CheckReport
	// Sync is the result of --sync.
	Sync      *trigger.Report    `json:"sync,omitempty"`
	Recording *rsbag.CheckReport `json:"recording,omitempty"`
	// Broken lists the requirements of librealsense's .db3 reader that the file breaks.
	Broken []rsdb3.Broken `json:"broken_rules,omitempty"`
	// Rules is the result of --rules, nil if the bag isn't readable.
	Rules *rules.Report `json:"rules,omitempty"`
	// NotForXML lists topics whose name or type XML-RPC can't carry, so that play leaves them out.
	NotForXML []string `json:"not_xml_encodable,omitempty"`
	// Dropped is what recorders state that they dropped.
	Dropped []info.Loss `json:"dropped,omitempty"`
	Error   string      `json:"error,omitempty"`
	// Traffic is what was read from an address; nil for a path.
	Traffic *place.Traffic `json:"traffic,omitempty"`
}

func newCheckCommand(a *app) *cobra.Command {
	var o checkOptions
	needsArgs := func(cmd *cobra.Command, args []string) error {
		switch {
		case o.from != "" && (o.json || o.rules != ""):
			return errors.New("--rules-from excludes --rules and --json")
		case o.from != "":
			return cobra.NoArgs(cmd, args)
		case o.sync != "" && o.sync != syncReport && o.sync != syncRequired:
			return fmt.Errorf("--sync %s: want %s or %s", o.sync, syncReport, syncRequired)
		case o.picture != "" && (o.sync == "" || len(args) > 1):
			return errors.New("-o is for the picture of --sync of one recording")
		}
		return cobra.MinimumNArgs(1)(cmd, args)
	}
	cmd, f := newCommand("check BAG…", needsArgs, func(ctx context.Context, args []string) error {
		if o.from != "" {
			return a.rulesFrom(ctx, o.from)
		}
		return a.check(ctx, args, o)
	})
	f.BoolVar(&o.json, "json", false, "print JSON, one object per bag")
	f.StringVar(&o.rules, "rules", "", "compare each recording with the rules in this YAML `FILE`")
	f.StringVar(&o.sync, "sync", "",
		"also say whether cameras trigger together; `MODE` required: exit code 3 if they don't")
	f.Lookup("sync").NoOptDefVal = syncReport
	f.StringVarP(&o.picture, "picture", "o", "", "with --sync: write the offsets over time to `FILE`, an SVG")
	f.StringVar(&o.from, "rules-from", "", "print rules that this `RECORDING` meets, with tolerances")
	return cmd
}

func (a *app) check(ctx context.Context, paths []string, o checkOptions) error {
	var set *rules.Set
	if o.rules != "" {
		var err error
		if set, err = rules.Read(o.rules); err != nil {
			return usageError{err}
		}
	}
	var all verdict
	var failed, apart []string
	for _, path := range paths {
		a.warnActive(path)
		res, measures, err := a.checkOne(ctx, path, set != nil, o.sync != "")
		if err != nil {
			return err
		}
		if set != nil && res.Outcome != bagstore.Unreadable {
			if res.Rules = set.Evaluate(measures); len(res.Rules.Failed) > 0 {
				failed = append(failed, res.Path)
			}
		}
		if err := res.print(a.out, o.json); err != nil {
			return err
		}
		all.add(res.Path, res.Outcome)
		if res.Sync != nil && o.picture != "" {
			if err := place.Write(ctx, o.picture, true, func(f *os.File) error { return res.Sync.WriteSVG(f) }); err != nil {
				return err
			}
		}
		if o.sync == syncRequired && (res.Sync == nil || !res.Sync.Synchronised()) {
			apart = append(apart, res.Path)
		}
	}
	s := program.Summary{Verb: "checked", Counts: []string{fmt.Sprintf("%s: %d sound, %d damaged, %d not readable",
		program.Count(len(paths), "recording"), len(paths)-len(all.damaged)-len(all.failed),
		len(all.damaged), len(all.failed))}}
	if len(all.damaged) > 0 {
		s.Next = "rs-ros-node recover " + strings.Join(all.damaged[:min(len(all.damaged), 3)], " ")
	}
	a.made(s)
	err := all.err("damaged", "not readable")
	if len(failed) > 0 && len(all.failed) == 0 {
		err = errors.Join(err, fmt.Errorf("%w: rules failed: %s", program.ErrIncomplete, strings.Join(failed, ", ")))
	}
	if len(apart) > 0 && len(all.failed) == 0 {
		err = errors.Join(err, fmt.Errorf("%w: not triggered together: %s", program.ErrIncomplete, strings.Join(apart, ", ")))
	}
	return err
}

// rulesFrom prints rules that a recording keeps.
func (a *app) rulesFrom(ctx context.Context, path string) error {
	res, measures, err := a.checkOne(ctx, path, true, false)
	if err != nil {
		return err
	}
	var all verdict
	all.add(res.Path, res.Outcome)
	if res.Outcome == bagstore.Unreadable {
		return all.err("", "not readable")
	}
	text, err := measures.Text()
	if err == nil {
		_, err = a.out.Write(text)
	}
	return cmp.Or(err, all.err("the rules are those of a damaged recording", ""))
}

// checkOne fails only if it is interrupted. A bag that can't be read is a result.
func (a *app) checkOne(ctx context.Context, path string, measure, sync bool) (checkResult, *rules.Measures, error) {
	report, done := a.progress(path, false)
	defer done()
	before := place.TrafficNow()
	res := checkResult{CheckReport: &bagstore.CheckReport{Path: path, Outcome: bagstore.Unreadable}}
	var measures *rules.Measures
	bag, err := recording.Open(path, bagstore.OpenOptions{Context: ctx, Sequential: true, Verify: true, Progress: report})
	if err == nil {
		defer bag.Close() //nolint:errcheck // only read
		if measure {
			measures = rules.NewMeasures(bag)
		}
		err = res.check(ctx, bag, report, measures)
		if err == nil && sync && res.Outcome != bagstore.Unreadable {
			res.Sync, err = trigger.Analyse(ctx, bag)
		}
	}
	if err == nil && res.Outcome != bagstore.Unreadable {
		res.Broken, _, err = rsdb3.Check(ctx, path)
	}
	if ctx.Err() != nil {
		return res, nil, errInterrupted
	}
	if err != nil {
		res.Error = err.Error()
		res.Outcome = max(res.Outcome, bagstore.Damaged)
	}
	if place.Ended(err) { // notes would call damaged what wasn't read
		res = checkResult{CheckReport: &bagstore.CheckReport{Path: path, Outcome: bagstore.Unreadable}, Error: res.Error}
	}
	res.Traffic = trafficSince(before)
	if len(res.Broken) > 0 || res.Recording != nil && res.Recording.Damaged > 0 {
		res.Outcome = max(res.Outcome, bagstore.Damaged)
	}
	return res, measures, nil
}

// check reads a recording once: it checks the structure and the layout, and measures it unless measures is nil.
func (r *checkResult) check(ctx context.Context, bag *bagstore.Recording, report bagstore.Progress,
	measures *rules.Measures) (err error) {
	o := bagstore.CheckOptions{Progress: report}
	if measures != nil {
		o.Message = measures.Message
	}
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
	r.NotForXML, r.Dropped = notForXML(bag), info.Losses(ctx, bag)
	if layout != nil && odd == nil {
		r.Recording = layout.Report()
	}
	if measures != nil {
		measures.OutOfOrder = r.OutOfOrder
		if r.Recording != nil {
			measures.RealSense, measures.LostFrames = r.Recording.Damaged == 0, r.Recording.Missing
		}
	}
	return odd
}

// notForXML lists the topics whose name or type XML-RPC can't carry.
func notForXML(b *bagstore.Recording) (topics []string) {
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
		fmt.Fprintf(w, ", version %s, %s", r.Version, program.Count(r.Messages, "message"))
		if r.Version == "2.0" || r.Version == "1.2" { // other formats have no chunks
			fmt.Fprintf(w, " in %s", program.Count(r.Chunks, "chunk"))
		}
	}
	fmt.Fprintln(w)
	if r.Error != "" {
		fmt.Fprintf(w, "  %s\n", r.Error)
	}
	printNotes(w, r.Notes)
	if r.OutOfOrder > 0 {
		fmt.Fprintf(w, "  note: %s earlier than the one before in the file\n", program.Count(r.OutOfOrder, "message"))
	}
	for _, topic := range r.NotForXML {
		fmt.Fprintf(w, "  note: no ROS master accepts %s: play leaves it out\n", topic)
	}
	for _, l := range r.Dropped {
		fmt.Fprintf(w, "  note: %v\n", l)
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
	for _, b := range r.Broken {
		fmt.Fprintf(w, "  librealsense can't play all of it: rule %d is broken %d times, first: %s\n",
			b.Rule, b.Count, b.Text)
	}
	if r.Sync != nil {
		r.Sync.WriteText(w)
	}
	if r.Rules != nil {
		r.Rules.WriteText(w)
	}
	return nil
}
