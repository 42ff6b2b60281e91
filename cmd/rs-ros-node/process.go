package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/recording"
	"rsros/node/settings"
	"rsros/program"
	"rsros/tools/convert"
	"rsros/tools/reprocess"
	"rsros/tools/rewrite"
)

func newProcessCommand(a *app) *cobra.Command {
	o := reprocess.Options{Recorder: rsbag.RecorderOptions{Program: program.Name, Version: program.Version}}
	var blocks blockFlags
	cmd, f := newCommand("process IN -o OUT --filters NAME,…", withOutput(cobra.ExactArgs(1)),
		func(ctx context.Context, args []string) error {
			o.In = args[0]
			return a.process(ctx, o, blocks)
		})
	outputFlag(f, &o.Out, "`FILE` to write, a bag")
	blocks.add(f, "`BLOCK,...` of librealsense, in their order", "`BLOCK.OPTION=VALUE`; may be repeated")
	cameraFlag(f, &o.Camera)
	o.Selection.TimeFlags(f)
	overwriteFlag(f, &o.Recorder.Bag.Overwrite, "replace OUT if it exists")
	settingFlags(cmd, settings.Output, &o.Recorder.Bag)
	return cmd
}

// blockFlags are --filters and --set.
type blockFlags struct{ filters, set []string }

func (b *blockFlags) add(f *pflag.FlagSet, filters, set string) {
	f.StringSliceVar(&b.filters, "filters", nil, filters)
	f.StringArrayVar(&b.set, "set", nil, set)
}

func (a *app) process(ctx context.Context, o reprocess.Options, blocks blockFlags) (err error) {
	if rewrite.SameFile(o.In, o.Out) {
		return errSameFile
	}
	o.Chain, err = reprocess.ParseChain(blocks.filters, blocks.set)
	if err := cmp.Or(convert.Misnamed(recording.Bag, o.Out), err); err != nil {
		return usageError{err}
	}
	o.Log = a.logger()
	report, done := a.progress(o.Out, false)
	o.Progress = report
	r, err := reprocess.Run(ctx, o)
	done()
	if r.Size > 0 {
		a.made(program.Summary{Paths: []string{o.Out}, Size: r.Size, Next: "rs-ros-node view " + o.Out,
			Counts: []string{program.Count(r.Sets, "frame set"), program.Count(r.Frames, "frame")}})
	}
	if err == nil && r.Damage != nil {
		return fmt.Errorf("%w: %w", program.ErrIncomplete, r.Damage)
	}
	return noOutput(err)
}
