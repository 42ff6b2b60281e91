package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/recording"
	"rsros/node/settings"
	"rsros/program"
	"rsros/program/help"
	"rsros/tools/bagset"
	"rsros/tools/convert"
	"rsros/tools/rewrite"
)

type splitOptions struct {
	rewrite.SplitOptions
	selection bagset.Selection
	prefix    string
	json      bool
}

func newSplitCommand(a *app) *cobra.Command {
	var o splitOptions
	noLatched := false
	cmd, f := newCommand("split BAG [-o PREFIX]", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		o.RepeatLatched = !noLatched
		return a.split(ctx, args[0], o)
	})
	settingFlags(cmd, settings.Split, settings.Fields{"split-size": &o.Size, "split-duration": &o.Duration})
	f.Uint64Var(&o.Messages, "split-count", 0, "limit of a part: `N` messages")
	outputFlag(f, &o.prefix, "`PREFIX` of the parts' names (default the bag's own)")
	f.BoolVar(&noLatched, "no-latched", false, "don't begin parts with latched messages")
	o.selection.Flags(f)
	overwriteFlag(f, &o.Overwrite, "replace existing files")
	f.BoolVar(&o.json, "json", false, "list the parts as JSON")
	settingFlags(cmd, settings.Output, &o.Options.Options)
	help.First(f, "split-size", "split-duration", "split-count", "output")
	return cmd
}

func (a *app) split(ctx context.Context, path string, o splitOptions) (err error) {
	if o.Size <= 0 && o.Duration <= 0 && o.Messages == 0 {
		return usage("split needs --split-size, --split-duration or --split-count")
	}
	if err := convert.Misnamed(recording.Bag, o.prefix); err != nil {
		return usageError{err}
	}
	bags, filter, lost, err := o.selection.Open([]string{path},
		bagstore.OpenOptions{Context: ctx, Sequential: true, Progress: a.fetching(path)}, a.logger())
	defer bagset.Close(bags)
	if err != nil {
		return err
	}
	o.Filter = filter
	o.Filter.Latched = o.RepeatLatched
	if err := rewrite.SameCompression(bags[0], &o.Options.Options); err != nil {
		return noOutput(err)
	}
	name, err := rewrite.PartNames(path, o.prefix)
	if err != nil {
		return usage("%w: choose other names for the parts with -o", err)
	}
	skipped := bagset.Skipped{Log: a.logger()}
	o.Damaged = skipped.Handler(bags)
	report, done := a.progress(place.Base(path), false)
	o.Progress = report
	parts, err := rewrite.Split(ctx, bags[0], name, o.SplitOptions)
	done()
	if printErr := a.printParts(parts, o); err == nil {
		err = printErr
	}
	s, messages, moved := program.Summary{}, uint64(0), 0
	for _, p := range parts {
		s.Paths, s.Size, messages, moved = append(s.Paths, p.Path), s.Size+p.Size, messages+p.Messages, moved+p.Clamped
	}
	s.Counts = []string{program.Count(messages, "message")}
	if len(parts) > 0 {
		a.made(s)
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted after %s", program.Count(len(parts), "part"))
	}
	if err == nil {
		err = bagset.Loss(0, moved, slices.Concat(lost, skipped.Lost(), bagset.Found(bags)))
	}
	return err
}

func (a *app) printParts(parts []rewrite.Part, o splitOptions) error {
	switch {
	case o.json:
		return json.NewEncoder(a.out).Encode(append([]rewrite.Part{}, parts...)) // a list, even without parts
	case a.quiet:
		return nil
	}
	for _, p := range parts {
		fmt.Fprintf(a.out, "%s  %d messages  %.3f s  %s\n", p.Path, p.Messages,
			p.End.Sub(p.Start).Seconds(), program.SizeText(p.Size))
	}
	return nil
}
