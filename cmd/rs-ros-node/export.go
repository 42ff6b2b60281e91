package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"rsros/bagstore/place"
	"rsros/tools/export"
)

func newExportCommand(a *app) *cobra.Command {
	var o export.Options
	var uncompressed bool
	var set dataSetOptions
	cmd := &cobra.Command{
		Use:   "export RECORDING… -o FOLDER",
		Short: "Write images, tables and point clouds, or a data set",
		Long: `export writes a folder with a PNG for each image (16 bits for depth), CSV
for motion, poses and metadata, and manifest.json, which lists every file with its
frame number and times, and the calibration of every stream. With --ply it adds a
point cloud for each depth frame, coloured by the nearest colour frame; with
--align-depth, depth as the colour camera sees it. Names sort in time order. It
exports RealSense recordings and ordinary image topics, including compressed ones.
Images that PNG can't represent become .pfm (float) or .raw.

With --as FORM it makes a data set of one or several recordings: tum
(TUM RGB-D), euroc (EuRoC MAV) or kalibr (folder, bag and calibration for Kalibr).
Stamps are the camera's, depth is exact. docs/datasets.md has the layouts. After a
kill, the same command continues. The program rs-lerobot makes data sets for LeRobot.

Exit codes: 0 everything was exported, 3 the bag is damaged in parts or sets of a data
set were left out, 1 not done.`,
		Example: `  rs-ros-node export walk.bag -o walk
  rs-ros-node export walk.bag -o walk --ply --start 10 --end 12
  rs-ros-node export walk.bag -o walk --align-depth
  rs-ros-node export walk.bag -o imu --types sensor_msgs/Imu
  rs-ros-node export walk.bag -o walk --as tum --fps 15`,
		Args: withOutput(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if set.form != "" {
				set.uncompressed = uncompressed
				return a.exportDataSet(cmd.Context(), args, o, set)
			}
			if len(args) > 1 || uncompressed || set.given() {
				return usageError{errors.New("several recordings, --fps, --imu-noise, --ground-truth, --filters, --set and --uncompressed need --as")}
			}
			if filepath.Ext(o.Dir) == ".mcap" {
				return usageError{fmt.Errorf("export writes a folder; for an MCAP file: rs-ros-node convert %s -o %s", args[0], o.Dir)}
			}
			o.Bag, o.Log = args[0], a.logger()
			report, done := a.progress(place.Base(o.Bag), false)
			o.Progress = report
			err := export.Run(cmd.Context(), o)
			done()
			return a.filled(o.Dir, err)
		},
	}
	f := cmd.Flags()
	outputFlag(f, &o.Dir, "`FOLDER` for images and tables; must be new or empty, or the beginning of the data set")
	f.BoolVar(&o.Points, "ply", false, "also write point clouds: 6 MB for a frame of 848x480")
	f.BoolVar(&o.Aligned, "align-depth", false, "also write depth as the colour camera sees it, as 16-bit PNG")
	f.BoolVar(&uncompressed, "uncompressed", false, "with --as: don't compress PNG files")
	set.flags(cmd)
	o.Selection.Flags(f)
	overwriteFlag(f, &o.Overwrite, "replace existing files")
	return cmd
}
