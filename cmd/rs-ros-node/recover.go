package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/node/settings"
	"rsros/program"
	"rsros/tools/convert"
	"rsros/tools/rewrite"
)

type recoverOptions struct {
	to      convert.RecoverTarget
	json    bool
	verbose bool // also list topics that lost nothing
	reindex bool // succeed if a bag was written, whatever was lost
}

type recoverResult struct {
	Path   string `json:"path"`
	Output string `json:"output,omitempty"`
	*bagstore.RecoverReport
	Error string `json:"error,omitempty"`
}

// newRecoverCommand returns recover, or reindex, which is recover with the command line of rosbag reindex.
func newRecoverCommand(a *app, use string, reindex bool) *cobra.Command {
	o := recoverOptions{reindex: reindex}
	cmd, f := newCommand(use, cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		o.verbose = a.level <= zerolog.DebugLevel
		o.to.InPlace = o.to.InPlace || reindex && o.to.Output == ""
		return a.recover(ctx, args, o)
	})
	if !reindex {
		f.BoolVar(&o.to.InPlace, "in-place", false, "replace the bag; the original is kept as NAME.orig.bag")
	}
	outputFlag(f, &o.to.Output, "`PATH` to write: a file, or a folder for several bags, which keep their names")
	overwriteFlag(f, &o.to.Force, "replace existing files, including kept originals")
	f.BoolVar(&o.json, "json", false, "print JSON, one object per bag")
	settingFlags(cmd, settings.Copy, &o.to.Options.Options)
	return cmd
}

func (a *app) recover(ctx context.Context, paths []string, o recoverOptions) error {
	if o.to.InPlace && o.to.Output != "" {
		return usage("--output and --in-place exclude each other")
	}
	if err := o.to.Resolve(len(paths) > 1); err != nil {
		return usageError{err}
	}
	if o.to.InPlace && slices.ContainsFunc(paths, place.IsAddress) {
		return usageError{rewrite.ErrObject}
	}
	var all verdict
	for _, path := range paths {
		res := a.recoverOne(ctx, path, o)
		if ctx.Err() != nil {
			return errInterrupted
		}
		if err := a.printRecovery(res, o); err != nil {
			return err
		}
		if res.Output != "" {
			s := program.Summary{Paths: []string{res.Output},
				Counts: []string{program.Count(res.Kept, "message")}, Size: res.Size}
			if finished, active := strings.CutSuffix(res.Output, ".active"); active {
				s.Next = "mv " + res.Output + " " + finished
			}
			a.made(s)
		}
		if o.reindex && res.Outcome == bagstore.Damaged {
			continue
		}
		all.add(res.Path, res.Outcome)
	}
	return all.err("messages were lost", "not recovered")
}

func (a *app) recoverOne(ctx context.Context, path string, o recoverOptions) recoverResult {
	report, done := a.progress(path, false)
	defer done()
	o.to.Options.Progress = report
	output, r, err := convert.RecoverFile(ctx, path, o.to)
	res := recoverResult{Path: path, Output: output, RecoverReport: r}
	if err != nil {
		res.Output, res.Error, res.Outcome = "", err.Error(), bagstore.Unreadable
	}
	return res
}

func (a *app) printRecovery(r recoverResult, o recoverOptions) error {
	w := a.out
	if r.Output == place.Stream {
		w = a.err
	}
	switch {
	case o.json:
		return json.NewEncoder(w).Encode(r)
	case r.Error != "":
		fmt.Fprintf(w, "%s: %s\n", r.Path, r.Error)
		return nil
	case a.quiet && r.Outcome == bagstore.Sound:
		return nil
	}
	lost := strconv.FormatUint(r.Lost, 10)
	if r.Lost == 0 && r.Outcome == bagstore.Damaged { // no index counts what is torn
		lost = "an unknown number"
	}
	fmt.Fprintf(w, "%s: kept %s, lost %s\n", r.Path, program.Count(r.Kept, "message"), lost)
	printNotes(w, r.Notes)
	for _, t := range r.Topics {
		if t.Lost == 0 && !o.verbose {
			continue
		}
		fmt.Fprintf(w, "  kept %6d  lost %6d  %s (%s)\n", t.Kept, t.Lost, t.Topic, t.Type)
	}
	return nil
}
