package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"rsros/bagstore/place"
	"rsros/tools/export"
)

func newExportCommand(a *app) *cobra.Command {
	var o export.Options
	var set dataSetFlags
	needsArgs := withOutput(cobra.MinimumNArgs(1))
	cmd, f := newCommand("export RECORDING… -o FOLDER", needsArgs, func(ctx context.Context, args []string) error {
		if set.Form != "" {
			return a.exportDataSet(ctx, args, o, set)
		}
		if len(args) > 1 || set.given() {
			return usage("several recordings, --fps, --imu-noise, --ground-truth, --filters, --set and --uncompressed need --as")
		}
		if o.Dir == place.Stream {
			if o.Points || o.Aligned || o.Overwrite {
				return usage("frames go to standard output as they are: -o - excludes --ply, --align-depth and --overwrite")
			}
			o.Bag, o.Log, o.Progress = args[0], a.logger(), a.fetching(args[0])
			return export.Frames(ctx, o, a.raw.out)
		}
		if filepath.Ext(o.Dir) == ".mcap" {
			return usage("export writes a folder; for an MCAP file: rs-ros-node convert %s -o %s", args[0], o.Dir)
		}
		o.Bag, o.Log = args[0], a.logger()
		report, done := a.progress(place.Base(o.Bag), false)
		o.Progress = report
		made, err := export.Run(ctx, o)
		done()
		return a.filled(made, err)
	})
	outputFlag(f, &o.Dir, "`FOLDER` for images and tables; must be new or empty, or the beginning of the data set")
	f.BoolVar(&o.Points, "ply", false, "also write point clouds: 6 MB for a frame of 848x480")
	f.BoolVar(&o.Aligned, "align-depth", false, "also write depth as the colour camera sees it, as 16-bit PNG")
	cameraFlag(f, &o.Camera)
	set.add(cmd)
	o.Selection.Flags(f)
	overwriteFlag(f, &o.Overwrite, "replace the export or data set that is in the folder")
	return cmd
}
