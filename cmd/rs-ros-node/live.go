package main

import (
	"github.com/spf13/cobra"

	"rsros/node/live"
	"rsros/node/settings"
	"rsros/program/help"
)

func newLiveCommand(a *app) *cobra.Command {
	var o live.Options
	cmd := &cobra.Command{
		Use:   "live",
		Short: "Publish a camera, a simulated camera or a RealSense recording as topics",
		Long: `live opens a device and publishes its streams until it is stopped, under the
RealSense bag format's names (/device_0/sensor_0/Depth_0/image/data, …), under
realsense2_camera's (/camera/depth/image_rect_raw, …), or both. A topic without
subscribers costs nothing.

With --record on a terminal, it shows a table of what is recorded. Keys: space pause,
r stop and start, s split, m mark, t trigger.

Services: ~start_recording, ~stop_recording, ~split_recording, ~mark, ~trigger (std_srvs/Trigger),
~pause_recording, ~enable (std_srvs/SetBool), ~device_info, ~reset.

If --device is repeated, the node has several cameras. Each has topics below its name
(--camera, repeated like --device) and below /device_0, /device_1, …, services below
its name (~front/start_recording, …), and its own bags. The services above act on all
cameras. A parameter below a camera's name (~front/depth_width) applies to this camera.

A parameter in brackets, such as [~align_depth], also sets the flag's value: with
_align_depth:=true, or in a launch file. A flag takes precedence over a parameter. An
empty parameter, and a number that isn't above 0, mean the default.`,
		Example: `  rs-ros-node live --device sim
  rs-ros-node live --device sim --master embedded --record walk.bag --duration 30s
  rs-ros-node live --device walk.bag --naming wrapper
  rs-ros-node live --device usb:0123 --camera front --device usb:0456 --camera rear
  rs-ros-node live --device usb --depth 848x480@90 --infra1 off --gyro 400`,
		Args: addressArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.ROS = a.ros
			if o.Record != "" {
				table := a.newRecordTable()
				defer table.close()
				o.Show = func(n *live.Node) (hide func()) {
					help, keys := n.RecordKeys()
					return table.show(tableSource{n.RecordFigures, help, keys})
				}
			}
			o.Log = a.serveViewers(&o.HTTP)
			return live.Run(cmd.Context(), o)
		},
	}
	o.Given = jobFlags(cmd, settings.Live, o.Lists(), &o)
	a.configFlags(cmd, "")
	help.First(cmd.Flags(), "device", "depth", "color", "naming", "align-depth", "pointcloud", "record", "duration", "master", "http")
	return cmd
}
