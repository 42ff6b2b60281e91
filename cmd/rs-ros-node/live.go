package main

import (
	"github.com/spf13/cobra"

	"rsros/node/foxglove"
	"rsros/node/live"
	"rsros/node/settings"
	"rsros/node/viewers"
)

func newLiveCommand(a *app) *cobra.Command {
	var o live.Options
	cmd := &cobra.Command{
		Use:   "live",
		Short: "Publish a camera, a simulated camera or a RealSense recording as topics",
		Long: `live opens a device and publishes its streams until it is stopped, under the
RealSense bag format's names (/device_0/sensor_0/Depth_0/image/data, …), under
realsense2_camera's (/camera/depth/image_rect_raw, …), or both. A topic that
nobody subscribed to costs nothing.

Services: ~start_recording, ~stop_recording, ~split_recording (std_srvs/Trigger),
~pause_recording, ~enable (std_srvs/SetBool), ~device_info, ~reset.

With --device repeated, the node has several cameras: each has the topics of its
name (--camera, repeated like --device) and of /device_0, /device_1, …, its own
services below its name (~front/start_recording, …) and its own bags. The services
above act on all of them. Parameters below a camera's name (~front/depth_width) are for
this camera.

Where help names a parameter in brackets, such as [~align_depth], the setting can
also be a private parameter: _align_depth:=true, or in a launch file. A flag takes
precedence over a parameter; an empty parameter, and a number that isn't above 0, mean
the default.`,
		Example: `  rs-ros-node live --device sim
  rs-ros-node live --device sim --master embedded --record walk.bag --duration 30s
  rs-ros-node live --device walk.bag --naming wrapper
  rs-ros-node live --device usb:0123 --camera front --device usb:0456 --camera rear
  rs-ros-node live --device usb --depth 848x480@90 --infra1 off --gyro 400`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.ROS = a.ros
			o.Log, o.HTTP.Lines = a.viewedLogger()
			return live.Run(cmd.Context(), o)
		},
	}
	o.Given = settingFlags(cmd, settings.Live, o.Lists(), &o, foxgloveSettings(&o.Foxglove), pageSettings(&o.HTTP))
	return cmd
}

// foxgloveSettings are where Foxglove and Lichtblick connect, and what they may do.
func foxgloveSettings(a *foxglove.Access) settings.Fields {
	return settings.Fields{"foxglove": &a.Address, "foxglove-origin": &a.Origins, "foxglove-view-only": &a.ViewOnly}
}

// pageSettings are where the viewer's page is, and what viewers may do.
func pageSettings(a *viewers.Access) settings.Fields {
	return settings.Fields{"http": &a.Address, "http-origin": &a.Origins, "http-view-only": &a.ViewOnly}
}
