package main

import (
	"errors"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/recording"
	"rsros/tools/convert"
	"rsros/tools/export"
	"rsros/tools/rewrite"
)

func newExportCommand(a *app) *cobra.Command {
	var o export.Options
	var uncompressed bool
	var set dataSetOptions
	cmd := &cobra.Command{
		Use:   "export RECORDING… (--dir OUT [--as FORM] | --mcap OUT.mcap)",
		Short: "Write images, tables and point clouds, a data set, or an MCAP file",
		Long: `export --dir writes a folder with a PNG for each image (16 bits for depth), CSV
for motion, poses and metadata, and manifest.json, which lists every file with its
frame number and times, and the calibration of every stream. With --ply it adds a
point cloud for each depth frame, coloured by the nearest colour frame; with
--align-depth, depth as the colour camera sees it. Names sort in time order. It
exports RealSense recordings and ordinary image topics, including compressed ones.
Images that PNG can't represent become .pfm (float) or .raw.

export --as FORM --dir makes a data set of one or several recordings: tum
(TUM RGB-D), euroc (EuRoC MAV) or kalibr (folder, bag and calibration for Kalibr).
Stamps are the camera's, depth is exact. docs/datasets.md has the layouts. After a
kill, the same command continues. The program rs-lerobot makes data sets for LeRobot.

export --mcap copies all messages to an MCAP file of the ros1 profile, with LZ4
chunks, indexes and summary.

Exit codes: 0 everything was exported, 3 the bag is damaged in parts or sets of a data
set were left out, 1 not done.`,
		Example: `  rs-ros-node export walk.bag --dir walk
  rs-ros-node export walk.bag --dir walk --ply --start 10 --end 12
  rs-ros-node export walk.bag --dir walk --align-depth
  rs-ros-node export walk.bag --dir imu --types sensor_msgs/Imu
  rs-ros-node export walk.bag --as tum --dir walk --rate 15
  rs-ros-node export walk.bag --mcap walk.mcap`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if set.form != "" {
				set.uncompressed = uncompressed
				return a.exportDataSet(cmd.Context(), args, o, set)
			}
			if len(args) > 1 || set.given() {
				return usageError{errors.New("several recordings, --rate, --imu-noise, --filters and --set need --as")}
			}
			if (o.Dir == "") == (o.MCAP == "") {
				return usageError{errors.New("export needs either --dir or --mcap")}
			}
			if o.MCAP == "" && uncompressed || o.Dir == "" && (o.Points || o.Aligned) {
				return usageError{errors.New("--ply and --align-depth need --dir, --uncompressed needs --mcap or --as")}
			}
			if err := convert.Misnamed(recording.MCAP, o.MCAP); err != nil {
				return usageError{err}
			}
			if o.MCAP != "" && rewrite.SameFile(args[0], o.MCAP) {
				return usageError{errors.New("the output is the bag itself")}
			}
			if o.Compress = bagstore.LZ4; uncompressed {
				o.Compress = bagstore.None
			}
			o.Bag, o.Log = args[0], a.logger()
			report, done := a.progress(place.Base(o.Bag), false)
			defer done()
			o.Progress = report
			return noOutput(export.Run(cmd.Context(), o))
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Dir, "dir", "o", "", "`FOLDER` for images and tables; must be new or empty, or the beginning of the data set")
	f.BoolVar(&o.Points, "ply", false, "also write point clouds: 6 MB for a frame of 848x480")
	f.BoolVar(&o.Aligned, "align-depth", false, "also write depth as the colour camera sees it, as 16-bit PNG")
	f.StringVar(&o.MCAP, "mcap", "", "MCAP `FILE` to write")
	f.BoolVar(&uncompressed, "uncompressed", false, "don't compress the MCAP file, or the PNG files of a data set")
	set.flags(cmd)
	o.Selection.Flags(f)
	overwriteFlag(f, &o.Overwrite, "replace existing files")
	return cmd
}
