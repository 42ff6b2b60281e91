package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/recording"
	"rsros/node/settings"
	"rsros/program"
	"rsros/tools/bagset"
	"rsros/tools/convert"
	"rsros/tools/reprocess"
	"rsros/tools/rewrite"
)

type processOptions struct {
	bag     bagstore.Options
	filters []string
	set     []string
	part    bagset.Selection
	camera  string // of a recording of several
	out     string
}

func newProcessCommand(a *app) *cobra.Command {
	var o processOptions
	cmd := &cobra.Command{
		Use:  "process IN -o OUT --filters NAME,…",
		Args: withOutput(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return a.process(cmd.Context(), args[0], o) },
	}
	f := cmd.Flags()
	outputFlag(f, &o.out, "`FILE` to write, a bag")
	f.StringSliceVar(&o.filters, "filters", nil, "`BLOCK,...` of librealsense, in their order")
	f.StringArrayVar(&o.set, "set", nil, "`BLOCK.OPTION=VALUE`; may be repeated")
	cameraFlag(f, &o.camera)
	o.part.TimeFlags(f)
	overwriteFlag(f, &o.bag.Overwrite, "replace OUT if it exists")
	settingFlags(cmd, settings.Output, &o.bag)
	return cmd
}

func (a *app) process(ctx context.Context, in string, o processOptions) error {
	out := o.out
	if rewrite.SameFile(in, out) {
		return errSameFile
	}
	chain, err := reprocess.ParseChain(o.filters, o.set)
	if err := cmp.Or(convert.Misnamed(recording.Bag, out), err); err != nil {
		return usageError{err}
	}
	log := a.logger()
	report, done := a.progress(out, false)
	r, err := reprocess.Run(ctx, reprocess.Options{
		In: in, Out: out, Camera: o.camera, Selection: o.part, Chain: chain, Progress: report, Log: log,
		Recorder: rsbag.RecorderOptions{Bag: o.bag, Program: program.Name, Version: program.Version},
	})
	done()
	if r.Size > 0 {
		a.made(program.Summary{
			Paths: []string{out}, Counts: []string{program.Count(r.Sets, "frame set"), program.Count(r.Frames, "frame")},
			Size: r.Size,
			Next: "rs-ros-node view " + out,
		})
	}
	if err == nil && r.Damage != nil {
		return fmt.Errorf("%w: %w", program.ErrIncomplete, r.Damage)
	}
	return noOutput(err)
}
