package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rsros/program"
	"rsros/tools/catalog"
)

type catalogOptions struct {
	catalog.Options
	out       string
	overwrite bool
	jobs      int
}

func newCatalogCommand(a *app) *cobra.Command {
	var o catalogOptions
	noThumbnails := false
	cmd, f := newCommand("catalog IN… [-o OUT]", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		o.Thumbnail, o.Checksum = !noThumbnails, true
		return a.catalog(ctx, args, o)
	})
	outputFlag(f, &o.out, "`FILE` or address to write, which ends in .jsonl; without it, JSON goes to standard output")
	f.BoolVar(&noThumbnails, "no-thumbnails", false, "make no thumbnails, and read no frame")
	f.BoolVar(&o.Missing, "missing-frames", false,
		"count missing frames of RealSense recordings, by the numbers of each stream's first and last")
	f.IntVar(&o.jobs, "jobs", 4, "read `N` recordings at a time")
	overwriteFlag(f, &o.overwrite, "replace OUT if it exists")
	cmd.AddCommand(newCatalogMergeCommand(a))
	return cmd
}

func newCatalogMergeCommand(a *app) *cobra.Command {
	var out string
	var overwrite bool
	cmd, f := newCommand("merge CATALOG… -o OUT", withOutput(cobra.MinimumNArgs(1)),
		func(ctx context.Context, args []string) error {
			err := catalog.Merge(ctx, args, out, overwrite)
			if err == nil {
				a.made(program.Summary{Paths: []string{out}, Next: "rs-ros-node view " + out,
					Counts: []string{"the newest rows of " + program.Count(len(args), "catalog")}})
			}
			return noOutput(err)
		})
	outputFlag(f, &out, "`FILE` or address to write, which ends in .jsonl")
	overwriteFlag(f, &overwrite, "replace OUT if it exists")
	return cmd
}

func (a *app) catalog(ctx context.Context, in []string, o catalogOptions) error {
	if o.jobs < 1 {
		return usage("--jobs %d: want 1 or more", o.jobs)
	}
	names, err := catalog.Recordings(ctx, in)
	if err != nil {
		return noOutput(err)
	}
	report, done := a.progress("catalog ", o.out == "")
	lost := 0
	rows := catalog.Make(ctx, names, o.jobs, o.Options)
	counted := func(yield func(catalog.Row, error) bool) {
		n := uint64(0)
		for r, err := range rows {
			if err == nil && !r.Sound() {
				lost++
			}
			if n++; report != nil {
				report(n, uint64(len(names)))
			}
			if !yield(r, err) {
				return
			}
		}
	}
	if o.out == "" {
		err = catalog.WriteLines(a.out, counted)
	} else {
		err = catalog.Write(ctx, o.out, o.overwrite, counted)
	}
	done()
	if err == nil {
		s := program.Summary{Verb: "described", Counts: []string{program.Count(len(names), "recording")}}
		if o.out != "" {
			s = program.Summary{Paths: []string{o.out}, Counts: s.Counts, Next: "rs-ros-node view " + o.out}
		}
		a.made(s)
	}
	if err == nil && lost > 0 {
		err = fmt.Errorf("%w: %d of %d recordings are damaged, have no index or can't be read",
			program.ErrIncomplete, lost, len(names))
	}
	return noOutput(err)
}
