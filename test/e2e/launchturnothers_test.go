package e2e

import (
	"slices"
	"strings"
	"sync"

	"rsros/msgs"
	"rsros/ros"
)

// otherLaunches are turnedLaunches of the launch files that aren't for a single camera.
var otherLaunches = map[string]turnedLaunch{
	// A recording with points coloured by infrared, without the streams that these don't need.
	"file1": {file: "rs_from_file.launch", turns: []turn{
		{"camera", "file1", published("color/image_raw")},
		{"rosbag_filename", "{recording}", func(c *turned) {
			if name := c.deviceInfo().DeviceName; name != "synthetic_software_device" {
				c.t.Errorf("device %q", name)
			}
		}},
		{"tf_prefix", "eye", prefixed("eye")},
		{"naming", "both", func(c *turned) { c.isThere("/device_0/sensor_0/Depth_0/image/data") }},
		{"args", "--loop", published("depth/image_rect_raw")},
		{"enable_pointcloud", "true", published("depth/color/points")},
		{"pointcloud_texture_stream", "RS2_STREAM_INFRARED", greyPoints},
		{"pointcloud_texture_index", "2", func(c *turned) { c.cloud() }},
		{"ordered_pc", "true", func(c *turned) {
			if head, _ := c.cloud(); head.Height != 48 || head.Width != 64 {
				c.t.Errorf("a cloud of %dx%d points", head.Width, head.Height)
			}
		}},
		{"enable_gyro", "false", gone("gyro/sample")},
		{"enable_accel", "false", gone("accel/sample")},
		{"enable_pose", "false", gone("odom/sample")},
		{"enable_infra", "false", gone("infra/image_raw")},
		{"enable_fisheye", "false", gone("fisheye/image_raw")},
		unused("serial_no", "_111"),
		unused("json_file_path", "/preset.json"),
		{"output", "log", quiet},
		{"respawn", "true", respawns},
	}},
	// Depth aligned to colour.
	"file2": {file: "rs_from_file.launch", with: []string{"rosbag_filename:={recording}", "args:=--loop"}, turns: []turn{
		{"camera", "file2", published("fisheye/image_raw")},
		{"align_depth", "true", published("aligned_depth_to_color/image_raw")},
		{"clip_distance", "1", func(c *turned) {
			if most := c.deepest(c.topic("depth/image_rect_raw")); most == 0 || most > 1000 {
				c.t.Errorf("depth ends at %d mm", most)
			}
		}},
		{"enable_infra1", "false", gone("infra1/image_rect_raw")},
		{"enable_infra2", "false", gone("infra2/image_rect_raw")},
		{"unite_imu_method", "copy", func(c *turned) {
			c.isThere(c.topic("imu"))
			c.isMissing(c.topic("gyro/sample"))
		}},
	}},
	// Points without a texture.
	"file3": {file: "rs_from_file.launch", with: []string{"rosbag_filename:={recording}", "args:=--loop", "enable_pointcloud:=true"}, turns: []turn{
		{"camera", "file3", published("depth/image_rect_raw")},
		{"enable_color", "false", gone("color/image_raw")},
		{"allow_no_texture_points", "true", barePoints},
		{"filters", "decimation", sized("depth", 32, 24)},
	}},
	// No depth.
	"file4": {file: "rs_from_file.launch", with: []string{"rosbag_filename:={recording}", "args:=--loop"}, turns: []turn{
		{"camera", "file4", published("infra/image_raw")},
		{"enable_depth", "false", gone("depth/image_rect_raw")},
		{"enable_sync", "true", func(c *turned) { c.meet("color/camera_info", "infra1/camera_info") }},
	}},
	// Profiles that the recording lacks.
	"file5": {file: "rs_from_file.launch", with: []string{"rosbag_filename:={recording}"}, turns: []turn{
		{"camera", "file5", logged("/file5/realsense2_camera")},
		{"depth_width", "640", logged("Depth_0 can't run as 640x")},
		{"depth_height", "480", logged("Depth_0 can't run as 640x480")},
		{"depth_fps", "7", logged("Depth_0 can't run as 640x480@7")},
		{"color_width", "641", logged("Color_0 can't run as 641x")},
		{"color_height", "481", logged("Color_0 can't run as 641x481")},
		{"color_fps", "8", logged("Color_0 can't run as 641x481@8")},
		{"infra_width", "642", logged("Infrared_0 can't run as 642x", "Infrared_1 can't run as 642x", "Infrared_2 can't run as 642x")},
		{"infra_height", "482", logged("Infrared_1 can't run as 642x482")},
		{"infra_fps", "9", logged("Infrared_1 can't run as 642x482@9")},
		{"fisheye_width", "643", logged("Fisheye_0 can't run as 643x")},
		{"fisheye_height", "483", logged("Fisheye_0 can't run as 643x483")},
		{"fisheye_fps", "10", logged("Fisheye_0 can't run as 643x483@10")},
		{"gyro_fps", "11", logged("Gyro_0 can't run as @11")},
		{"accel_fps", "12", logged("Accel_0 can't run as @12")},
		{"required", "true", logged("REQUIRED process [file5/realsense2_camera")},
	}},
	// All streams of the simulated camera, and what has no effect.
	"rgbd1": {file: "rs_rgbd.launch", turns: slices.Concat([]turn{
		{"camera", "rgbd1", published("depth_registered/points")},
		{"device", "sim", logged("simulated")},
		{"serial_no", "_333", numbered("333")},
		{"tf_prefix", "eye", prefixed("eye")},
		{"naming", "both", func(c *turned) { c.isThere("/device_0/sensor_0/Depth_0/image/data") }},
		{"args", "--pose", published("odom/sample")},
		{"enable_pointcloud", "true", published("depth/color/points")},
		{"filters", "colorizer", coloured("aligned_depth_to_color/image_raw")},
		{"tf_publish_rate", "10", func(c *turned) {
			c.isThere("/tf")
			c.isMissing("/tf_static")
		}},
		{"manager", "boss", func(c *turned) {
			c.look("a status of rgbd1/boss", "/diagnostics", func(data []byte) bool { return strings.Contains(string(data), "rgbd1/boss") })
		}},
		{"output", "log", quiet},
		{"respawn", "true", respawns},
	}, allStreams, registrationWithoutEffect)},
	// No points and transforms, but matched stamps.
	"rgbd2": {file: "rs_rgbd.launch", with: append([]string{"device:=sim", "enable_infra1:=true"}, small...), turns: []turn{
		{"camera", "rgbd2", published("depth/image_rect_raw")},
		{"align_depth", "false", gone("aligned_depth_to_color/image_raw")},
		{"depth_registered_processing", "false", gone("depth_registered/points", "color/image_rect_color")},
		{"enable_sync", "false", func(c *turned) { c.differ("color/camera_info", "depth/camera_info") }},
		{"publish_tf", "false", func(c *turned) { c.isMissing("/tf"); c.isMissing("/tf_static") }},
	}},
	// Infrared alone.
	"rgbd3": {file: "rs_rgbd.launch", with: append([]string{"device:=sim", "enable_infra1:=true"}, small...), turns: []turn{
		{"camera", "rgbd3", published("infra1/image_rect_raw")},
		{"enable_depth", "false", gone("depth/image_rect_raw")},
		{"enable_color", "false", gone("color/image_raw")},
	}},
	// A camera that isn't connected.
	"rgbd4": {file: "rs_rgbd.launch", turns: []turn{
		{"camera", "rgbd4", logged("/rgbd4/realsense2_camera")},
		{"usb_port_id", "2-1.4", logged("port 2-1.4")},
		{"device_type", "d435(?!i)", logged("type d435(?!i)")},
		{"required", "true", logged("REQUIRED process [rgbd4/realsense2_camera")},
	}},
	"three1": {file: "rs_multiple_devices.launch", turns: []turn{
		{"camera1", "three1", published("color/image_raw")},
		{"camera2", "three2", another("three2", published("color/image_raw"))},
		{"camera3", "three3", another("three3", published("color/image_raw"))},
		{"device", "sim", logged("simulated")},
		{"serial_no_camera1", "_111", numbered("111")},
		{"serial_no_camera2", "_222", another("three2", numbered("222"))},
		{"serial_no_camera3", "_333", another("three3", numbered("333"))},
		{"tf_prefix_camera1", "left", prefixed("left")},
		{"tf_prefix_camera2", "right", another("three2", prefixed("right"))},
		{"tf_prefix_camera3", "top", another("three3", prefixed("top"))},
		{"naming", "both", func(c *turned) { c.isThere("/device_0/sensor_0/Depth_0/image/data") }},
		{"args", "--depth 424x240@6 --color 424x240@6", sized("depth", 424, 240)},
		{"initial_reset", "true", logged("the camera is back from its reset")},
		{"output", "log", quiet},
		{"respawn", "true", respawns},
	}},
	// Cameras that are connected too late.
	"late1": {file: "rs_multiple_devices.launch", with: []string{"device:=sim", "serial_no_camera1:=_1", "serial_no_camera2:=_2", "camera2:=late2",
		"args:=--unplugged --wait-for-device-timeout 4"}, turns: []turn{
		{"camera1", "late1", logged("/late1/realsense2_camera")},
		{"reconnect_timeout", "1.5", logged("next_attempt_in=1.5s")},
		{"required", "true", logged("REQUIRED process [late")},
	}},
}

// registrationWithoutEffect are arguments of rs_rgbd.launch that the log reports as without effect.
var registrationWithoutEffect = []turn{
	unused("external_manager", "true"),
	unused("fisheye_width", "640"),
	unused("fisheye_height", "400"),
	unused("fisheye_fps", "15"),
	unused("enable_fisheye", "true"),
	unused("json_file_path", "/preset.json"),
	unusedAs("bond", "rgbd_launch/bond", "true"),
	unusedAs("rgb", "rgbd_launch/rgb", "colour"),
	unusedAs("ir", "rgbd_launch/ir", "infra2"),
	unusedAs("depth", "rgbd_launch/depth", "range"),
	unusedAs("depth_registered_pub", "rgbd_launch/depth_registered_pub", "registered"),
	unusedAs("depth_registered", "rgbd_launch/depth_registered", "registered"),
	unusedAs("depth_registered_filtered", "rgbd_launch/depth_registered_filtered", "filtered"),
	unusedAs("projector", "rgbd_launch/projector", "lamp"),
	unusedAs("rgb_processing", "rgbd_launch/rgb_processing", "false"),
	unusedAs("debayer_processing", "rgbd_launch/debayer_processing", "true"),
	unusedAs("ir_processing", "rgbd_launch/ir_processing", "true"),
	unusedAs("depth_processing", "rgbd_launch/depth_processing", "true"),
	unusedAs("disparity_processing", "rgbd_launch/disparity_processing", "true"),
	unusedAs("disparity_registered_processing", "rgbd_launch/disparity_registered_processing", "true"),
	unusedAs("hw_registered_processing", "rgbd_launch/hw_registered_processing", "false"),
	unusedAs("sw_registered_processing", "rgbd_launch/sw_registered_processing", "true"),
}

// differ checks in some messages of two topics that no stamp is common to both.
func (c *turned) differ(a, b string) {
	c.t.Helper()
	stamps := map[string]map[msgs.Time]bool{a: {}, b: {}}
	var mu sync.Mutex
	seen := func(topic string) func([]byte) bool {
		return func(data []byte) bool {
			mu.Lock()
			defer mu.Unlock()
			var head msgs.Header
			c.decodeBytes(topic, data, &head)
			stamps[topic][head.Stamp] = true
			return len(stamps[a]) > 3 && len(stamps[b]) > 3
		}
	}
	other, err := c.node.Subscribe(ros.SubscriberOptions{Topic: c.topic(a)}, func(m ros.Received) { seen(a)(m.Data) })
	if err != nil {
		c.t.Fatal(err)
	}
	c.look("some stamps", c.topic(b), seen(b))
	other.Close()
	mu.Lock()
	defer mu.Unlock()
	for stamp := range stamps[a] {
		if stamps[b][stamp] {
			c.t.Errorf("%s and %s share the stamp %d", a, b, stamp)
		}
	}
}
