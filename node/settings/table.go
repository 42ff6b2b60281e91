package settings

import "slices"

// The settings of each command.
var (
	Live   = slices.Concat(device, streams, liveTopics, wrapper, Frames, recorder, bag, cameraZstd, lz4Topics, overwrite, upload, page)
	Play   = slices.Concat(playback, playTopics, wrapper, Frames, page)
	Record = slices.Concat(topics, triggers, bag.flags(), zstd, lz4Topics.flags(), overwrite, upload, page)
	Bridge = slices.Concat(bridged, Set{master})
	View   = slices.Concat(viewer, streams.flags())
	Demo   = slices.Concat(demo, streams.flags())
)

// The settings of commands that write recordings from files. The compression of Output, a bag, and of Copy defaults to
// that of the input. Bag and Copy may be MCAP. Sink has only the settings of writing to disk.
var (
	Bag    = slices.Concat(bag.flags(), zstd)
	ForSDK = slices.Concat(bag.flags(), cameraZstd) // Bag of files that may be for librealsense
	Output = slices.Concat(bag.flags(), in("Compression", Set{{Flag: "uncompressed", Help: "don't compress"}}))
	Copy   = slices.Concat(Output, zstd)
	Sink   = sink.flags()
)

var device = in("Device", Set{
	{Flag: "device", Params: []string{"device", "rosbag_filename"}, Kind: Texts, Unit: "DEVICE", Example: "sim",
		Help: "sim, usb, either with :SERIAL, or a RealSense .bag or .db3; may be repeated"},
	{Flag: "serial", Params: []string{"serial_no"}, Kind: Serial, Help: "take the USB camera with this serial number"},
	{Flag: "port", Params: []string{"usb_port_id"}, Kind: Text, Unit: "PORT", Help: "take the USB camera at this port, such as 2-1"},
	{Flag: "type", Params: []string{"device_type"}, Kind: Text, Unit: "REGEX", Help: "take a USB camera whose name matches, such as D435"},
	{Flag: "wait-for-device-timeout", Params: []string{"wait_for_device_timeout"}, Kind: Wait, Auto: "don't wait",
		Help: "wait for a missing camera; 0: forever"},
	{Flag: "reconnect-timeout", Params: []string{"reconnect_timeout"}, Kind: Time, Default: "6s", Help: "time between attempts to open the camera"},
	{Flag: "initial-reset", Params: []string{"initial_reset"}, Help: "reset the camera first, and wait until it reconnects"},
	{Flag: "unplugged", Group: "Simulated camera", Params: []string{"unplugged"}, Help: "start without the camera, until ~plug (std_srvs/SetBool) plugs it in"},
	{Flag: "seed", Group: "Simulated camera", Params: []string{"seed"}, Kind: Whole, Help: "seed of the scene and its noise"},
	{Flag: "pose", Group: "Simulated camera", Params: []string{"enable_pose"}, Help: "add a pose stream"},
	{Flag: "clock-drift", Group: "Simulated camera", Params: []string{"clock_drift"}, Kind: Number,
		Help: "stamp by the camera's clock, N µs a second slower than the host's"},
	{Flag: "rate", Group: "Playback", Params: []string{"rate"}, Kind: Positive, Default: "1", Running: "rate", Help: "speed of a recording"},
	{Flag: "pause", Group: "Playback", Params: []string{"pause"}, Running: "paused", Help: "start a recording paused; ~pause_playback resumes it"},
	{Flag: "loop", Group: "Playback", Params: []string{"loop"}, Running: "loop", Help: "start a recording again at its end"},
	{Flag: "recorded-device", Group: "Playback", Params: []string{"recorded_device"}, Kind: Serial, Unit: "NAME", Help: "play this camera of a recording of several, whatever --camera calls it: front, or 1 for /device_1"},
	{Flag: "json-file-path", Params: []string{"json_file_path"}, Kind: File, Help: "load this JSON preset of advanced mode"},
	{Flag: "duration", Params: []string{"duration"}, Kind: Time, Auto: "run until stopped", Help: "stop after this time"},
})

// streams has the profiles of a camera's streams.
var streams = in("Streams", Set{
	{Flag: "depth", Unit: "WIDTHxHEIGHT@FPS", Params: profile("enable_depth", "depth"), Kind: Profile, Help: "Depth_0, or off"},
	{Flag: "color", Unit: "WIDTHxHEIGHT@FPS", Params: profile("enable_color", "color"), Kind: Profile, Help: "Color_0, or off"},
	{Flag: "infra1", Unit: "WIDTHxHEIGHT@FPS", Params: profile("enable_infra1", "infra"), Kind: Profile, Help: "Infrared_1, or off"},
	{Flag: "infra2", Unit: "WIDTHxHEIGHT@FPS", Params: profile("enable_infra2", "infra"), Kind: Profile, Help: "Infrared_2, or off"},
	{Flag: "gyro", Unit: "HZ", Params: profile("enable_gyro", "gyro"), Kind: Profile, Help: "Gyro_0, or off"},
	{Flag: "accel", Unit: "HZ", Params: profile("enable_accel", "accel"), Kind: Profile, Help: "Accel_0, or off"},
	{Params: profile("enable_infra", "infra"), Kind: Profile, Help: "Infrared_0 stream: the unrectified image of the left imager, in colour if the camera has it, instead of Infrared_1"},
	{Params: profile("enable_pose", "pose"), Kind: Profile, Help: "Pose_0 stream"},
	{Params: profile("enable_fisheye", "fisheye"), Kind: Profile, Help: "Fisheye_0 stream, which only a recording can have"},
	{Params: profile("enable_confidence", "confidence"), Kind: Profile, Help: "Confidence_0 stream, which only a recording can have"},
})

// profile returns realsense2_camera's parameters of a stream.
func profile(enable, prefix string) []string {
	return []string{enable, prefix + "_width", prefix + "_height", prefix + "_fps"}
}

var master = Setting{Flag: "master", Group: "Network", Kind: Word, Unit: "MASTER", Choices: []string{"ros", "embedded", "auto"}, Default: "ros",
	Help: "ros, embedded (start one) or auto, at ROS_MASTER_URI"}

var worlds = Setting{Flag: "ros", Group: "Network", Kind: Word, Unit: "WORLD", Choices: []string{"1", "2", "both"}, Default: "1",
	Help: "1, 2 (ROS 2; needs no master) or both"}

// oneWorld is the setting of jobs that show or record the topics of one ROS.
var oneWorld = Setting{Flag: "ros", Group: "Network", Kind: Word, Unit: "WORLD", Choices: []string{"1", "2"}, Default: "1",
	Help: "1, or 2 for topics of ROS 2 (needs no master)"}

var qos = Setting{Flag: "qos", Group: "Network", Params: []string{"qos"}, Kind: Texts, Unit: "PROFILE|REGEX=PROFILE", Example: "sensor_data",
	Auto: "reliable", Help: "quality of service in ROS 2, of topics that match: sensor_data, default and others of rmw"}

var liveTopics = in("Topics", Set{
	master,
	worlds,
	qos,
	{Flag: "camera-namespace", Params: []string{"camera_namespace"}, Kind: Text, Unit: "NAME", Default: "camera",
		Help: "namespace of the wrapper naming's topics in ROS 2"},
	{Flag: "naming", Params: []string{"naming"}, Kind: Word, Unit: "NAMING", Choices: []string{"sdk", "wrapper", "both"}, Default: "both", Help: "names of topics: sdk, wrapper or both"},
	{Flag: "camera", Params: []string{"camera"}, Kind: Texts, Unit: "NAME", Default: "camera",
		Help: "prefix of the wrapper naming, one for each --device"},
	{Params: []string{"manager"}, Kind: Text, Default: "realsense2_camera_manager", Help: "nodelet manager that the wrapper naming's diagnostics are named after; nothing is loaded into it"},
})

// wrapper has what the wrapper naming publishes in addition to the streams.
var wrapper = in("Processing", Set{
	{Flag: "align-depth", Params: []string{"align_depth"}, Help: "publish depth aligned to colour"},
	{Flag: "pointcloud", Params: []string{"enable_pointcloud"}, Help: "publish coloured points"},
	{Params: []string{"pointcloud_texture_stream"}, Kind: Word, Choices: []string{"RS2_STREAM_COLOR", "RS2_STREAM_INFRARED", "RS2_STREAM_ANY"}, Default: "RS2_STREAM_COLOR",
		Help: "which stream colours points; RS2_STREAM_ANY is none"},
	{Params: []string{"pointcloud_texture_index"}, Kind: Whole, Help: "index of that stream"},
	{Flag: "ordered-cloud", Params: []string{"ordered_pc"}, Help: "points keep the rows of the depth image"},
	{Params: []string{"allow_no_texture_points"}, Help: "keep points outside of the texture, in black"},
	{Params: []string{"rgbd"}, Help: "publish color/image_rect_color and depth_registered/points, as rs_rgbd.launch does"},
	{Params: []string{"infra_rgb"}, Help: "publish grey infrared images as rgb8"},
	{Flag: "filters", Params: []string{"filters"}, Kind: Value, Unit: "NAME,...", Example: "spatial,temporal",
		Help: "process depth: decimation, spatial, temporal and others"},
	{Flag: "clip-distance", Params: []string{"clip_distance"}, Kind: Number, Unit: "METRES", Auto: "no limit", Help: "depth beyond this distance becomes 0"},
	{Flag: "sync", Params: []string{"enable_sync"}, Help: "frames taken together have one stamp"},
	{Flag: "unite-imu", Params: []string{"unite_imu_method"}, Kind: Word, Unit: "METHOD", Choices: []string{"none", "copy", "linear_interpolation"}, Default: "none",
		Help: "publish CAMERA/imu: copy or linear_interpolation"},
	{Params: []string{"linear_accel_cov"}, Kind: Number, Default: "0.01", Help: "covariance of accelerations"},
	{Params: []string{"angular_velocity_cov"}, Kind: Number, Default: "0.01", Help: "covariance of angular velocities"},
	{Params: []string{"publish_tf"}, Default: "true", Help: "publish transforms"},
	{Params: []string{"tf_publish_rate"}, Kind: Number, Unit: "HZ", Help: "publish transforms on /tf at this rate; 0: on /tf_static"},
	{Params: []string{"publish_odom_tf"}, Default: "true", Help: "publish poses as transforms on /tf"},
	{Params: []string{"tf_prefix"}, Kind: Text, Auto: "the camera's name", Help: "prefix of frames"},
})

// Frames has the settings of frame names.
var Frames = frames()

func frames() (s Set) {
	names := []string{"base", "odom", "imu_optical"}
	for _, stream := range []string{"depth", "infra", "infra1", "infra2", "color", "fisheye", "fisheye1", "fisheye2", "confidence", "gyro", "accel", "pose"} {
		names = append(names, stream, stream+"_optical")
	}
	for _, stream := range []string{"color", "infra1", "infra2", "fisheye", "fisheye1", "fisheye2"} {
		names = append(names, "aligned_depth_to_"+stream)
	}
	for _, name := range names {
		s = append(s, Setting{Params: []string{name + "_frame_id"}, Kind: Text, Auto: "prefix and name", Help: "name of the frame " + name})
	}
	return s
}

var recorder = in("Recording", Set{
	{Flag: "record", Params: []string{"record"}, Kind: File, Help: "record into this .bag, .mcap or .db3 from the start"},
	{Flag: "record-path", Params: []string{"record_path"}, Kind: Folder, Default: ".", Help: "folder or path prefix of what ~start_recording records"},
	{Flag: "record-together", Params: []string{"record_together"}, Help: "record several cameras into one file"},
	{Flag: "topics", Params: []string{"topics"}, Kind: List, Unit: "TOPIC", Example: "/odom,/tf,/tf_static", Help: "record these topics, too, into the cameras' file"},
	{Flag: "allow-remote-paths", Help: "let parameters name files outside of --record-path"},
	// About four seconds of all streams at 848x480@30 and 1280x720@30: no healthy disk stalls for longer.
	{Flag: "buffsize", Group: "Disk and memory", Params: []string{"buffsize"}, Kind: Size, Bare: 1 << 20, Default: "512M", Help: "how much may wait for the disk; 0 for no limit"},
	{Flag: "memory", Group: "Disk and memory", Params: []string{"memory"}, Kind: Size, Auto: "--buffsize each", Help: "memory of what waits for the disk, of all cameras"},
	{Flag: "split-size", Params: []string{"split_size"}, Kind: Size, Auto: "no limit", Help: "start a new file at this size"},
	{Flag: "split-duration", Params: []string{"split_duration"}, Kind: Time, Auto: "no limit", Help: "start a new file after this time"},
	{Flag: "record-ring", Group: "Ring", Params: []string{"record_ring"}, Kind: Time, Auto: "all is recorded", Help: "keep only this much, until ~trigger"},
	{Flag: "record-ring-after", Group: "Ring", Params: []string{"record_ring_after"}, Kind: Time, Default: "10s", Help: "record on for this long after a trigger"},
	{Flag: "record-ring-size", Group: "Ring", Params: []string{"record_ring_size"}, Kind: Size, Auto: "no limit", Help: "limit of the ring's files"},
	{Flag: "min-space", Group: "Disk and memory", Kind: Size, Bare: 1, Default: "1G", Help: "drop frames when the disk has less free space"},
	{Flag: "db3", Params: []string{"db3"}, Help: "~start_recording records .db3, for librealsense 2.58"},
})

var sink = in("Disk and memory", Set{
	{Flag: "direct", Params: []string{"direct"}, Auto: "from 16 MiB on",
		Help: "write past the page cache, or fail"},
	{Flag: "buffered", Params: []string{"buffered"}, Help: "write through the page cache"},
})

var bag = slices.Concat(sink, in("Compression", Set{
	{Flag: "lz4", Params: []string{"lz4"}, Help: "compress with LZ4"},
	{Flag: "bz2", Short: "j", Help: "compress with BZ2: small but slow"},
	{Flag: "chunksize", Group: "Disk and memory", Params: []string{"chunksize"}, Kind: Size, Bare: 1 << 10, Default: "768k", Help: "size of chunks; 0 writes a chunk for each message"},
}))

var zstd = in("Compression", Set{{Flag: "zstd", Help: "compress with zstd; MCAP only"}})

// cameraZstd is zstd of commands that write files for librealsense.
var cameraZstd = in("Compression", Set{{Flag: "zstd", Help: "compress with zstd: MCAP, or .db3 for librealsense 2.58.2"}})

var lz4Topics = in("Compression", Set{{Flag: "lz4-topics", Params: []string{"lz4_topics"}, Kind: Expression, Example: ".*/points|/map",
	Help: "compress only topics whose whole names match, with LZ4"}})

// upload has no parameters: nobody in the graph may say where recordings go.
var upload = in("Upload", Set{
	{Flag: "upload", Kind: Text, Unit: "ADDR", Example: "s3://bucket/robot7/", Help: "move finished files there, such as s3://bucket/robot7/"},
	{Flag: "upload-keep", Help: "keep files that are uploaded"},
	{Flag: "upload-limit", Kind: Size, Auto: "no limit", Help: "drop what comes while this much waits for upload"},
	{Flag: "upload-wait", Kind: Time, Default: "10s", Help: "at the end, upload for at most this long"},
})

var overwrite = in("Recording", Set{{Flag: "overwrite", Short: "f", Help: "replace a file that has the recording's name"}})

var page = in("Page", Set{
	{Flag: "http", Kind: Text, Unit: "ADDR", Alone: "127.0.0.1:8765", Help: "serve the page and Foxglove at ADDRESS:PORT"},
	{Flag: "allow-origin", Kind: List, Unit: "ORIGIN", Help: "let pages of this site connect: https://app.foxglove.dev"},
	{Flag: "view-only", Help: "viewers change nothing"},
})

// playback has the flags of rosbag play, and more.
var playback = in("Playback", Set{
	{Flag: "prefix", Group: "Topics", Short: "p", Kind: Text, Unit: "PREFIX", Help: "put this before every topic name"},
	{Flag: "immediate", Short: "i", Help: "play without waiting, as fast as subscribers read"},
	{Flag: "pause", Running: "paused", Help: "start paused"},
	{Flag: "queue", Kind: Limit, Default: "100", Help: "messages that may wait for a subscriber; 0: no limit"},
	{Flag: "clock", Group: "Clock", Help: "publish /clock"},
	{Flag: "hz", Group: "Clock", Kind: Positive, Unit: "HZ", Default: "100", Help: "rate of /clock"},
	{Flag: "clock-per-message", Group: "Clock", Default: "true", Help: "also publish /clock before each message"},
	{Flag: "clock-topics", Group: "Clock", Kind: Texts, Unit: "TOPIC", Row: true, Help: "publish /clock only before messages of these topics"},
	{Flag: "follow-clock", Group: "Clock", Help: "follow the /clock of another program"},
	{Flag: "delay", Short: "d", Kind: TimeOrZero, Default: "0.2", Help: "wait for subscribers to connect"},
	{Flag: "rate", Short: "r", Kind: Positive, Default: "1", Running: "rate", Help: "speed"},
	{Flag: "start", Group: "Time", Short: "s", Kind: Value, Unit: "TIME", Example: "2018-05-03 12:30:00", Help: "start: seconds from the first message or since 1970, or a date"},
	{Flag: "duration", Group: "Time", Short: "u", Kind: TimeOrZero, Help: "play this much bag time; 0 for all"},
	{Flag: "end", Group: "Time", Kind: Value, Unit: "TIME", Example: "2018-05-03 12:30:00", Help: "stop at this time, written as for --start"},
	{Flag: "file-time", Group: "Time", Help: "play RealSense recordings by file times, not stamps"},
	{Flag: "skip-empty", Group: "Time", Kind: TimeOrZero, Help: "skip gaps longer than this"},
	{Flag: "loop", Short: "l", Running: "loop", Help: "start again at the end"},
	{Flag: "loop-range", Group: "Time", Kind: Value, Unit: "FROM:TO", Example: "10:20", Help: "loop over FROM:TO, seconds from the start"},
	{Flag: "loop-monotonic", Help: "let time continue from round to round"},
	{Flag: "keep-alive", Short: "k", Help: "stay after the end, with latched topics and the clock"},
	{Flag: "try-future-version", Group: "Compatibility", Help: "accepted as by rosbag play; all known versions are read"},
	{Flag: "topics", Group: "Topics", Kind: List, Unit: "TOPIC", Row: true, Help: "topics to play"},
	{Flag: "regex", Group: "Topics", Short: "e", Help: "topics are regular expressions that match whole names"},
	{Flag: "exclude", Group: "Topics", Short: "x", Kind: Texts, Unit: "REGEX", Row: true, Help: "leave out topics whose whole name matches"},
	{Flag: "types", Group: "Topics", Kind: Texts, Unit: "TYPE", Row: true, Help: "play messages of these types"},
	{Flag: "exclude-types", Group: "Topics", Kind: Texts, Unit: "TYPE", Row: true, Help: "leave out messages of these types"},
	{Flag: "limit", Group: "Topics", Kind: Texts, Unit: "TOPIC=HZ", Example: "/imu=10", Help: "play a topic at no more than this rate in bag time"},
	{Flag: "pause-topics", Kind: Texts, Unit: "TOPIC", Row: true, Help: "pause before each message of these topics"},
	{Flag: "bags", Kind: Texts, Unit: "FILE", Help: "bags to play"},
	{Flag: "wait-for-subscribers", Help: "wait until every topic has a subscriber"},
	{Flag: "lossy-ok", Help: "exit with 0 if slow subscribers lost messages"},
	{Flag: "rate-control-topic", Kind: Text, Unit: "TOPIC", Help: "wait while the header stamps of this topic lag"},
	{Flag: "rate-control-max-delay", Kind: TimeOrZero, Default: "1", Help: "how far that topic may lag"},
	{Flag: "restamp", Group: "Clock", Help: "move header stamps to now, so that no /clock is needed"},
	{Running: "position", Kind: TimeOrZero, Help: "position in seconds from the start"},
})

var playTopics = in("Topics", Set{
	master,
	worlds,
	qos,
	{Flag: "naming", Kind: Word, Unit: "NAMING", Choices: []string{"sdk", "wrapper", "both"}, Default: "sdk", Help: "sdk: as recorded; wrapper: as realsense2_camera does"},
	{Flag: "camera", Params: []string{"camera"}, Kind: Text, Unit: "NAME", Default: "camera", Help: "prefix of the wrapper naming's topics and frames"},
})

// Wrapper reports whether only the wrapper naming uses the setting.
func Wrapper(name string) bool { return name == "camera" || wrapper.Find(name) != nil }

// triggers has the settings of a recorder that is a black box.
var triggers = in("Ring", Set{
	{Flag: "ring", Kind: Time, Auto: "all is recorded", Help: "keep only this much, until a trigger"},
	{Flag: "ring-after", Kind: Time, Default: "10s", Help: "record on for this long after a trigger"},
	{Flag: "ring-size", Kind: Size, Auto: "no limit", Help: "limit of the ring's files"},
	{Flag: "trigger", Kind: Texts, Unit: "EXPRESSION", Example: "topic == '/estop' and m.data", Help: "trigger on messages for which it is true, as in filter"},
	{Flag: "trigger-silence", Kind: Texts, Unit: "TOPIC=TIME", Example: "/odom=2s", Help: "trigger when a topic is silent for this time"},
})

// bridged has the flags of bridge, in the words of rosbag record.
var bridged = in("Topics", Set{
	{Flag: "all", Short: "a", Help: "carry every topic and service"},
	{Flag: "regex", Short: "e", Help: "names are regular expressions that match whole names"},
	{Flag: "exclude", Short: "x", Kind: Texts, Unit: "REGEX", Help: "leave out what has a whole name that matches"},
})

// topics has the flags of rosbag record, and more.
var topics = in("Recording", Set{
	oneWorld,
	{Flag: "all", Group: "Topics", Short: "a", Help: "record every topic"},
	{Flag: "regex", Group: "Topics", Short: "e", Help: "topics are regular expressions that match whole names"},
	{Flag: "exclude", Group: "Topics", Short: "x", Kind: Texts, Unit: "REGEX", Help: "leave out topics whose whole name matches; alone it implies --all"},
	{Flag: "types", Group: "Topics", Kind: Texts, Unit: "TYPE", Help: "record every topic of these types"},
	{Flag: "output-name", Short: "O", Kind: File, Help: "file to record into: .bag, .mcap or .db3"},
	{Flag: "output-prefix", Short: "o", Kind: File, Help: "file name before the time stamp"},
	{Flag: "split", Help: "at --size or --duration start a new file instead of stopping"},
	{Flag: "split-size", Kind: Size, Auto: "no limit", Help: "start a new file at this size; --size is of all files"},
	{Flag: "split-duration", Kind: Time, Auto: "no limit", Help: "start a new file after this time; --duration is of all files"},
	{Flag: "size", Kind: Size, Bare: 1 << 20, Help: "size of the recording, with --split of a file"},
	{Flag: "duration", Kind: Time, Auto: "no limit", Help: "length of the recording, with --split of a file"},
	{Flag: "max-splits", Kind: Whole, Auto: "all", Help: "keep this many finished files"},
	{Flag: "keep", Kind: Size, Auto: "all", Help: "keep this much in finished files"},
	{Flag: "limit", Group: "Messages", Short: "l", Kind: Texts, Unit: "N|TOPIC=HZ", Example: "/camera/image=5", Help: "record N messages of each topic, or a topic at this rate at most"},
	{Flag: "every", Group: "Messages", Kind: Texts, Unit: "TOPIC=N", Example: "/points=3", Help: "record one of N messages of a topic"},
	{Flag: "time", Group: "Messages", Kind: Word, Unit: "WHICH", Choices: []string{"arrival", "stamp"}, Default: "arrival", Help: "times in the file: arrival or stamp (the header's)"},
	{Flag: "repeat-latched", Group: "Messages", Help: "start each file of a split with the newest latched messages"},
	{Flag: "tcpnodelay", Group: "Network", Help: "ask publishers to send without delay"},
	master,
	{Flag: "min-space", Group: "Disk and memory", Short: "L", Kind: Size, Bare: 1, Default: "1G", Help: "drop messages when the disk has less free space"},
	{Flag: "node", Group: "Topics", Kind: Text, Unit: "NODE", Help: "record every topic that this node subscribes to"},
	{Flag: "topics", Group: "Topics", Kind: List, Unit: "TOPIC", Help: "topics to record, like the arguments"},
	{Flag: "publish", Group: "Network", Short: "p", Help: "publish the path of each new file on /begin_write"},
	{Flag: "udp", Group: "Compatibility", Help: "accepted as by rosbag record; messages come over TCP"},
	{Flag: "buffsize", Group: "Disk and memory", Short: "b", Kind: Size, Bare: 1 << 20, Default: "256M", Help: "how much may wait for the disk; 0 for no limit"},
	{Flag: "memory", Group: "Disk and memory", Kind: Size, Auto: "--buffsize", Help: "memory of what waits for the disk, of all topics"},
	{Flag: "db3", Help: "record a rosbag2 .db3, as does -O NAME.db3"},
})

// Split has the size limits of split.
var Split = Set{
	{Flag: "split-size", Kind: Size, Auto: "no limit", Help: "size of a part"},
	{Flag: "split-duration", Kind: Time, Auto: "no limit", Help: "length of a part"},
}

var demo = Set{
	{Flag: "output", Short: "o", Kind: Folder, Auto: "a temporary one", Help: "folder to leave the bag in"},
	{Flag: "duration", Kind: Time, Default: "5s", Help: "length of the recording"},
}

var viewer = in("Page", Set{
	{Flag: "http", Kind: Text, Unit: "ADDR", Auto: "a free port, loopback", Help: "address and port for viewers"},
	{Flag: "bags", Kind: Folder, Help: "folder of recordings that viewers may open and download"},
	{Flag: "record-path", Kind: Folder, Default: ".", Help: "folder for recordings that viewers start"},
	{Flag: "view-only", Help: "viewers change nothing"},
	{Flag: "no-auth", Help: "need no token, even if other machines can connect"},
	{Flag: "allow-host", Kind: List, Unit: "HOST", Help: "another name of this machine for browsers"},
	{Flag: "allow-origin", Kind: List, Unit: "ORIGIN", Help: "let pages of this site connect: https://app.foxglove.dev"},
	{Flag: "camera", Kind: Text, Unit: "NAME", Help: "show this camera alone of a recording of several"},
	{Flag: "no-open", Help: "don't open the browser, only print the address"},
	{Flag: "master", Kind: Text, Unit: "MASTER", Help: "show a graph: ros, its master's address, or embedded, auto"},
	oneWorld,
})

// Master has the settings of the embedded master.
var Master = Set{
	{Flag: "port", Short: "p", Kind: Whole, Unit: "PORT", Auto: "that of ROS_MASTER_URI", Help: "port to listen on; 0 chooses a free one"},
	{Flag: "listen", Kind: Text, Unit: "ADDR", Help: "additional address to listen on, or ADDR:PORT; 0.0.0.0 is every address of this machine"},
	{Flag: "core", Group: "Compatibility", Help: "accepted for compatibility with rosmaster"},
	{Flag: "numworkers", Group: "Compatibility", Short: "w", Kind: Whole, Help: "accepted for compatibility with rosmaster"},
	{Flag: "timeout", Group: "Compatibility", Short: "t", Kind: Text, Unit: "TIME", Help: "accepted for compatibility with rosmaster"},
}

// Unused is a group of realsense2_camera's parameters that have no effect with a camera.
type Unused struct {
	Params []string
	Usual  []any // values in realsense2_camera's launch files, which need no warning
	Why    string
	Stream bool // of a stream that recordings may have: they have an effect there
}

const (
	noFisheye    = "only a recording can have a fisheye stream, which they select"
	noConfidence = "only a recording can have a confidence stream, which they select"
	noOdometry   = "only tracking cameras use wheel odometry, and they aren't supported"
	noTurns      = "alternating exposures can't be set"
	oneName      = "topic names are fixed"
)

// WithoutEffect has all parameters without effect.
var WithoutEffect = []Unused{
	{[]string{"external_manager"}, []any{false}, "this is a node, not a nodelet: no manager loads it", false},
	{[]string{"fisheye_width", "fisheye_height"}, []any{-1, 0}, noFisheye, true},
	{[]string{"fisheye_fps"}, []any{-1, 0, 30}, noFisheye, true},
	{[]string{"enable_fisheye", "enable_fisheye1", "enable_fisheye2"}, []any{false}, noFisheye, true},
	{[]string{"confidence_width"}, []any{-1, 0, 640}, noConfidence, true},
	{[]string{"confidence_height"}, []any{-1, 0, 480}, noConfidence, true},
	{[]string{"confidence_fps"}, []any{-1, 0, 30}, noConfidence, true},
	{[]string{"enable_confidence"}, []any{true}, noConfidence, true},
	{[]string{"hold_back_imu_for_frames"}, []any{false}, "motion samples never wait for images", false},
	{[]string{"topic_odom_in"}, []any{"", "odom_in"}, noOdometry, false},
	{[]string{"calib_odom_file"}, []any{""}, noOdometry, false},
	{[]string{"stereo_module/exposure/1"}, []any{7500}, noTurns, false},
	{[]string{"stereo_module/exposure/2"}, []any{1}, noTurns, false},
	{[]string{"stereo_module/gain/1", "stereo_module/gain/2"}, []any{16}, noTurns, false},
	{[]string{"rgbd_launch/rgb"}, []any{"color"}, oneName, false},
	{[]string{"rgbd_launch/ir"}, []any{"infra1"}, oneName, false},
	{[]string{"rgbd_launch/depth"}, []any{"depth"}, oneName, false},
	{[]string{"rgbd_launch/depth_registered_pub"}, []any{"depth_registered"}, oneName, false},
	{[]string{"rgbd_launch/depth_registered", "rgbd_launch/depth_registered_filtered"}, []any{"aligned_depth_to_color", "depth_registered"}, oneName, false},
	{[]string{"rgbd_launch/projector"}, []any{"projector"}, oneName, false},
	{[]string{"rgbd_launch/bond"}, []any{"false"}, "this is a node, not a nodelet", false},
	{[]string{"rgbd_launch/rgb_processing"}, []any{"true"}, "color/image_rect_color is always published", false},
	{[]string{"rgbd_launch/debayer_processing"}, []any{"false"}, "cameras send colour images", false},
	{[]string{"rgbd_launch/ir_processing", "rgbd_launch/depth_processing"}, []any{"false"}, "the camera rectifies infrared and depth", false},
	{[]string{"rgbd_launch/disparity_processing", "rgbd_launch/disparity_registered_processing"}, []any{"false"}, "disparity images aren't published", false},
	{[]string{"rgbd_launch/hw_registered_processing"}, []any{"true"}, "points are always made of aligned depth", false},
	{[]string{"rgbd_launch/sw_registered_processing"}, []any{"false"}, "points are always made of aligned depth", false},
}
