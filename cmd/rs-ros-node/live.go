package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/camdriver"
	"rsros/camdriver/imu"
	"rsros/node/graph"
	"rsros/node/live"
	"rsros/node/naming"
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

Every flag except --master, --foxglove, --foxglove-origin, --foxglove-view-only, --http,
--http-origin, --http-view-only, --bz2, --overwrite and --allow-remote-paths can also
be set as a private parameter: under the name that realsense2_camera has for it
(_serial_no, _rosbag_filename:=walk.bag, _depth_width:=848, _enable_infra1:=false,
_enable_pose, …) or else under the flag's name with '_' (_split_size:=1024,
_split_duration:=5m, _record:=walk.bag, …). A flag takes
precedence.`,
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
	f := cmd.Flags()
	f.StringArrayVar(&o.Devices, "device", nil, "sim, sim:SERIAL, usb, usb:SERIAL, or a RealSense recording (.bag or .db3); repeat it for several cameras")
	sourceFlags(f, &o.Source)
	streamFlags(f, &o.Streams)
	f.Var(choice(&o.Naming, naming.Parse), "naming", "topic names: sdk, wrapper or both (default both)")
	f.Var(choice(&o.Master, graph.ParseMode), "master", "ros: ROS_MASTER_URI; embedded: start one there; auto: whichever works (default ros)")
	f.StringArrayVar(&o.Cameras, "camera", nil, "prefix of the wrapper naming's topics and frames; . is the node's namespace (default camera); repeat it like --device (default camera1, camera2, …)")
	wrapperFlags(f, &o.Wrapper)
	f.StringVar(&o.Preset, "json-file-path", "", "load this JSON preset of advanced mode, as far as options can carry it out")
	f.StringVar(&o.Record, "record", "", "record into this .bag or .db3 from the start")
	f.StringVar(&o.RecordPath, "record-path", "", "folder, or path prefix, of the files that ~start_recording creates (default .)")
	f.BoolVar(&o.AllowRemotePaths, "allow-remote-paths", false, "let ~record and ~record_path on the parameter server name any file; otherwise they must lie below --record-path")
	recordingFlags(f, &o.Recording)
	foxgloveFlags(f, &o.Foxglove)
	httpFlags(f, &o.HTTP)
	f.Var((*rosDuration)(&o.Duration), "duration", "stop after this time: seconds, or a number with s, m or h (default: run until stopped)")
	return cmd
}

// wrapperFlags are what the wrapper naming publishes beside the streams.
func wrapperFlags(f *pflag.FlagSet, o *naming.WrapperOptions) {
	f.BoolVar(&o.AlignDepth, "align-depth", false, "publish depth as the colour camera sees it: CAMERA/aligned_depth_to_color")
	f.BoolVar(&o.PointCloud, "pointcloud", false, "publish coloured points: CAMERA/depth/color/points")
	f.BoolVar(&o.OrderedCloud, "ordered-cloud", false, "points keep the rows of the depth picture")
	f.Var(parsed(&o.Filters, naming.ParseFilters), "filters", "process depth: decimation, disparity, spatial, temporal, hole_filling, hdr_merge, sequence_id_filter, colorizer")
	f.Float64Var(&o.Clip, "clip-distance", 0, "depth beyond this distance in metres becomes 0")
	f.BoolVar(&o.Sync, "sync", false, "frames taken together have one stamp")
	f.Var(choice(&o.UniteIMU, imu.ParseMethod), "unite-imu", "publish gyroscope and accelerometer as CAMERA/imu: copy or linear_interpolation")
}

func sourceFlags(f *pflag.FlagSet, s *live.SourceOptions) {
	f.StringVar(&s.Serial, "serial", "", "use the USB camera with this serial number")
	f.StringVar(&s.Port, "port", "", "use the USB camera at this port, such as 2-1")
	f.StringVar(&s.Type, "type", "", "use a USB camera whose name matches this expression, such as D435")
	f.Var(parsed(&s.Wait, live.ParseWait), "wait-for-device-timeout", "wait this long for a camera that isn't there: seconds, or a number with s, m or h; -1: forever (default: don't wait)")
	f.Var((*rosDuration)(&s.Retry), "reconnect-timeout", "time between two attempts to open the camera (default 6s)")
	f.BoolVar(&s.InitialReset, "initial-reset", false, "reset the camera first, and wait until it is back")
	f.BoolVar(&s.Unplugged, "unplugged", false, "the simulated camera isn't there until ~plug (std_srvs/SetBool) plugs it in")
	f.Int64Var(&s.Seed, "seed", 0, "seed of the simulated camera's scene and noise")
	f.BoolVar(&s.Pose, "pose", false, "give the simulated camera a pose stream")
	f.Float64Var(&s.Speed, "speed", 0, "playback speed, if the device is a recording (default 1)")
	f.BoolVar(&s.Paused, "pause", false, "start paused, if the device is a recording; ~pause_playback resumes it")
	f.BoolVar(&s.Loop, "loop", false, "start again at the end, if the device is a recording")
}

// streamFlagNames are the flags that choose profiles, in the order of the help.
var streamFlagNames = []struct {
	name string
	id   camdriver.StreamID
}{
	{"depth", camdriver.StreamID{Kind: camdriver.Depth}},
	{"color", camdriver.StreamID{Kind: camdriver.Color}},
	{"infra1", camdriver.StreamID{Kind: camdriver.Infrared, Index: 1}},
	{"infra2", camdriver.StreamID{Kind: camdriver.Infrared, Index: 2}},
	{"gyro", camdriver.StreamID{Kind: camdriver.Gyro}},
	{"accel", camdriver.StreamID{Kind: camdriver.Accel}},
}

func streamFlags(f *pflag.FlagSet, s *live.StreamSettings) {
	*s = live.StreamSettings{}
	for _, stream := range streamFlagNames {
		usage := fmt.Sprintf("%s stream: WIDTHxHEIGHT@FPS, or off", stream.id)
		if stream.id.Kind.Inertial() {
			usage = fmt.Sprintf("%s stream: samples a second, or off", stream.id)
		}
		f.Var(streamFlag{*s, stream.id}, stream.name, usage)
	}
}

// streamFlag is the flag of one stream's setting.
type streamFlag struct {
	settings live.StreamSettings
	id       camdriver.StreamID
}

func (s streamFlag) String() string {
	if set, ok := s.settings[s.id]; ok {
		return set.String()
	}
	return ""
}

func (s streamFlag) Set(text string) error {
	set, err := live.ParseStreamSetting(text)
	if err == nil {
		s.settings[s.id] = set
	}
	return err
}

func (s streamFlag) Type() string { return "profile" }
