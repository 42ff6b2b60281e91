package main

import (
	"errors"

	"github.com/spf13/cobra"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/tools/export"
	"rsros/bagstore/tools/swap"
)

func newExportCommand(a *app) *cobra.Command {
	var o export.Options
	var uncompressed bool
	cmd := &cobra.Command{
		Use:   "export BAG (--dir OUT | --mcap OUT.mcap)",
		Short: "Write images, tables and point clouds, or an MCAP file",
		Long: `export --dir writes a folder with a PNG for each image (16 bits for depth), CSV
for motion, poses and metadata, and manifest.json, which lists every file with its
frame number and times, and the calibration of every stream. With --ply it adds a
point cloud for each depth frame, coloured by the nearest colour frame; with
--align-depth, depth as the colour camera sees it. Names sort in time order. It
exports RealSense recordings and ordinary image topics, including compressed ones.
Images that PNG can't represent become .pfm (float) or .raw.

export --mcap copies all messages to an MCAP file of the ros1 profile, with LZ4
chunks, indexes and summary.

Exit codes: 0 everything was exported, 3 the bag is damaged in parts, 1 not done.`,
		Example: `  rs-ros-node export walk.bag --dir walk
  rs-ros-node export walk.bag --dir walk --ply --start 10 --end 12
  rs-ros-node export walk.bag --dir walk --align-depth
  rs-ros-node export walk.bag --dir imu --types sensor_msgs/Imu
  rs-ros-node export walk.bag --mcap walk.mcap`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (o.Dir == "") == (o.MCAP == "") {
				return usageError{errors.New("export needs either --dir or --mcap")}
			}
			if o.MCAP == "" && uncompressed || o.Dir == "" && (o.Points || o.Aligned) {
				return usageError{errors.New("--ply and --align-depth need --dir, --uncompressed needs --mcap")}
			}
			if o.MCAP != "" && swap.SameFile(args[0], o.MCAP) {
				return usageError{errors.New("the output is the bag itself")}
			}
			if o.Compress = bagstore.LZ4; uncompressed {
				o.Compress = bagstore.None
			}
			o.Bag, o.Log = args[0], a.logger()
			report, done := a.progress(place.Base(o.Bag), false)
			defer done()
			o.Progress = report
			return undone(export.Run(cmd.Context(), o))
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Dir, "dir", "o", "", "folder for images and tables; must be new or empty")
	f.BoolVar(&o.Points, "ply", false, "also write point clouds: 6 MB for a frame of 848x480")
	f.BoolVar(&o.Aligned, "align-depth", false, "also write depth as the colour camera sees it, as 16-bit PNG")
	f.StringVar(&o.MCAP, "mcap", "", "MCAP file to write")
	f.BoolVar(&uncompressed, "uncompressed", false, "don't compress the MCAP file")
	selectionFlags(f, &o.Selection)
	overwriteFlag(f, &o.Overwrite, "replace existing files")
	return cmd
}
