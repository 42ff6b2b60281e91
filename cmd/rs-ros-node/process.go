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
	out     string
}

func newProcessCommand(a *app) *cobra.Command {
	var o processOptions
	cmd := &cobra.Command{
		Use:   "process IN -o OUT --filters NAME,…",
		Short: "Filter, align and colour a RealSense recording, as a recording",
		Long: `process sends the frames of a RealSense recording through librealsense's
processing blocks, in the order given, and writes the results as a recording with
the sizes, intrinsics and extrinsics of the new streams. Motion, options and
notifications are copied; with --start, changes of options before it are moved to it.
Results are bit-identical to those of librealsense 2.56.5.
IN may also be a recording of realsense2_camera or another camera node, whose camera
is taken; its other topics are left out, and listed.

Filters: decimation, rotation, hdr_merge, sequence_id_filter, threshold,
disparity_start, spatial, temporal, hole_filling, disparity_end, align_to_color,
align_to_depth, align_to_infrared, colorizer. --set changes an option by its name in
lower case, such as spatial.filter_smooth_alpha.

Exit codes: 0 done, 3 the recording is damaged and its intact part was processed,
1 not done, without output.`,
		Example: `  rs-ros-node process walk.bag -o aligned.bag --filters align_to_color
  rs-ros-node process walk.bag -o smooth.bag \
      --filters disparity_start,spatial,temporal,disparity_end --set spatial.holes_fill=2
  rs-ros-node process walk.bag -o view.bag --filters decimation,colorizer \
      --set colorizer.color_scheme=9 --lz4
  rs-ros-node process walk.bag -o part.bag --filters temporal --start 10 --end 20`,
		Args: withOutput(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return a.process(cmd.Context(), args[0], o) },
	}
	f := cmd.Flags()
	outputFlag(f, &o.out, "`FILE` to write, a bag")
	f.StringSliceVar(&o.filters, "filters", nil, "`BLOCK,...` of librealsense, in their order")
	f.StringArrayVar(&o.set, "set", nil, "`BLOCK.OPTION=VALUE`; may be repeated")
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
		In: in, Out: out, Selection: o.part, Chain: chain, Progress: report, Log: log,
		Recorder: rsbag.RecorderOptions{Bag: o.bag, Program: program.Name, Version: program.Version},
	})
	done()
	if r.Size > 0 {
		a.made(program.Summary{
			Paths: []string{out}, Counts: []string{program.Count(r.Sets, "frame set"), program.Count(r.Frames, "frame")}, Size: r.Size,
			Next: "rs-ros-node view " + out,
		})
	}
	if err == nil && r.Damage != nil {
		return fmt.Errorf("%w: %w", program.ErrIncomplete, r.Damage)
	}
	return noOutput(err)
}
