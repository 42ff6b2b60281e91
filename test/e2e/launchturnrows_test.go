package e2e

import (
	"strings"

	"rsros/msgs"
	"rsros/test/peer"
)

// turnedLaunches are launches by the namespace of their camera. Each row is one argument.
var turnedLaunches = map[string]turnedLaunch{
	// All streams of the simulated camera, and points coloured by the left infrared camera.
	"one": {file: "rs_camera.launch", turns: append([]turn{
		{"camera", "one", published("color/image_raw")},
		{"device", "sim", func(c *turned) {
			if name := c.deviceInfo().DeviceName; !strings.Contains(name, "simulated") {
				c.t.Errorf("device %q", name)
			}
		}},
		{"serial_no", "_111", numbered("111")},
		{"tf_prefix", "eye", prefixed("eye")},
		{"naming", "both", func(c *turned) { c.isThere("/device_0/sensor_0/Depth_0/image/data") }},
		{"linear_accel_cov", "0.5", func(c *turned) {
			var sample msgs.Imu
			if c.decode(c.topic("accel/sample"), &sample); sample.LinearCovariance[0] != 0.5 {
				c.t.Errorf("covariance %v", sample.LinearCovariance)
			}
		}},
		{"enable_pointcloud", "true", published("depth/color/points")},
		{"pointcloud_texture_stream", "RS2_STREAM_INFRARED", greyPoints},
		{"pointcloud_texture_index", "1", func(c *turned) { c.cloud() }}, // there is no infrared stream with index 0
		{"ordered_pc", "true", func(c *turned) {
			if head, _ := c.cloud(); head.Height != 240 || head.Width != 424 {
				c.t.Errorf("a cloud of %dx%d points", head.Width, head.Height)
			}
		}},
		{"tf_publish_rate", "10", func(c *turned) {
			c.isThere("/tf")
			c.isMissing("/tf_static")
		}},
		{"manager", "boss", func(c *turned) {
			c.look("a status of one/boss", "/diagnostics", func(data []byte) bool { return strings.Contains(string(data), "one/boss") })
		}},
		{"respawn", "true", respawns},
	}, allStreams...)},
	// Depth aligned to colour, and what has no effect.
	"two": {file: "rs_camera.launch", with: small, turns: append([]turn{
		{"camera", "two", published("depth/image_rect_raw")},
		{"device", "sim:222", numbered("222")},
		{"align_depth", "true", published("aligned_depth_to_color/image_raw")},
		{"clip_distance", "2", func(c *turned) {
			for _, topic := range []string{"depth/image_rect_raw", "aligned_depth_to_color/image_raw"} {
				if most := c.deepest(c.topic(topic)); most < 1900 || most > 2000 { // the room is deeper
					c.t.Errorf("%s ends at %d mm", topic, most)
				}
			}
		}},
		{"initial_reset", "true", logged("the camera is back from its reset")},
	}, withoutEffect...)},
	// No depth.
	"three": {file: "rs_camera.launch", with: append([]string{"device:=sim", "args:=--pose", "enable_infra1:=true", "enable_gyro:=true", "enable_accel:=true"}, small...), turns: []turn{
		{"camera", "three", published("color/image_raw")},
		{"enable_depth", "false", gone("depth/image_rect_raw", "depth/camera_info")},
		{"enable_sync", "true", func(c *turned) { c.meet("color/camera_info", "infra1/camera_info") }},
		{"publish_tf", "false", func(c *turned) { c.isMissing("/tf"); c.isMissing("/tf_static") }},
		{"infra_rgb", "true", func(c *turned) {
			var head msgs.ImageHead
			if c.decode(c.topic("infra1/image_rect_raw"), &head); head.Encoding != "rgb8" || head.Step != 3*head.Width {
				c.t.Errorf("infrared is %s, %d bytes a row", head.Encoding, head.Step)
			}
		}},
		{"publish_odom_tf", "false", func(c *turned) { c.isThere(c.topic("odom/sample")); c.isMissing("/tf") }},
		{"unite_imu_method", "copy", func(c *turned) {
			c.isThere(c.topic("imu"))
			c.isMissing(c.topic("gyro/sample"))
		}},
		{"output", "log", quiet},
	}},
	// Points without a texture.
	"four": {file: "rs_camera.launch", with: append([]string{"device:=sim", "enable_pointcloud:=true"}, small...), turns: []turn{
		{"camera", "four", published("depth/image_rect_raw")},
		{"enable_color", "false", gone("color/image_raw")},
		{"allow_no_texture_points", "true", barePoints},
		{"filters", "decimation", sized("depth", 212, 120)},
		{"args", "--sync --infra1=424x240@6", logged("Infrared_1 Y8 424x240@6")},
	}},
	// A camera that isn't connected.
	"five": {file: "rs_camera.launch", turns: []turn{
		{"camera", "five", logged("/five/realsense2_camera")},
		{"usb_port_id", "2-1.4", logged("port 2-1.4")},
		{"device_type", "d435(?!i)", logged("type d435(?!i)")},
		{"required", "true", logged("REQUIRED process [five/realsense2_camera")},
	}},
	// A camera that is connected too late.
	"seven": {file: "rs_camera.launch", with: []string{"device:=sim", "args:=--unplugged"}, turns: []turn{
		{"camera", "seven", logged("/seven/realsense2_camera")},
		{"reconnect_timeout", "1.5", logged("next_attempt_in=1.5s")},
		{"wait_for_device_timeout", "4", logged("waited 4s for a camera")},
	}},
	// A stream that the simulated camera lacks.
	"six": {file: "rs_camera.launch", with: []string{"device:=sim"}, turns: []turn{
		{"camera", "six", logged("/six/realsense2_camera")},
		{"enable_infra", "true", logged("stream Infrared_0", "the device doesn't have it")},
	}},
}

// allStreams are turns of the streams of the simulated camera.
var allStreams = []turn{
	{"depth_width", "424", sized("depth", 424, 0)},
	{"depth_height", "240", sized("depth", 0, 240)},
	{"depth_fps", "6", logged("Depth_0 Z16 424x240@6")},
	{"color_width", "424", sized("color", 424, 0)},
	{"color_height", "240", sized("color", 0, 240)},
	{"color_fps", "6", logged("Color_0 RGB8 424x240@6")},
	{"infra_width", "424", sized("infra1", 424, 0)},
	{"infra_height", "240", sized("infra2", 0, 240)},
	{"infra_fps", "6", logged("Infrared_1 Y8 424x240@6", "Infrared_2 Y8 424x240@6")},
	{"enable_infra1", "true", published("infra1/image_rect_raw")},
	{"enable_infra2", "true", published("infra2/image_rect_raw")},
	{"enable_gyro", "true", published("gyro/sample")},
	{"enable_accel", "true", published("accel/sample")},
	{"gyro_fps", "400", logged("Gyro_0", "@400")},
	{"accel_fps", "250", logged("Accel_0", "@250")},
}

// small are profiles with which several cameras fit on a small machine.
var small = []string{"depth_width:=424", "depth_height:=240", "depth_fps:=6", "color_width:=424", "color_height:=240", "color_fps:=6",
	"infra_width:=424", "infra_height:=240", "infra_fps:=6"}

// withoutEffect are arguments that the log reports as without effect.
var withoutEffect = []turn{
	unused("external_manager", "true"),
	unused("fisheye_width", "640"),
	unused("fisheye_height", "400"),
	unused("fisheye_fps", "15"),
	unused("enable_fisheye", "true"),
	unused("confidence_width", "320"),
	unused("confidence_height", "240"),
	unused("confidence_fps", "15"),
	unused("enable_confidence", "false"),
	unused("json_file_path", "/preset.json"),
	unused("topic_odom_in", "wheels"),
	unused("calib_odom_file", "/wheels.json"),
	unused("stereo_module/exposure/1", "100"),
	unused("stereo_module/gain/1", "20"),
	unused("stereo_module/exposure/2", "50"),
	unused("stereo_module/gain/2", "30"),
}

// greyPoints checks that points have the brightness of infrared.
func greyPoints(c *turned) {
	c.t.Helper()
	if _, fields := c.cloud(); fields != "x y z intensity " {
		c.t.Errorf("fields %s", fields)
	}
}

// barePoints checks that points have no colours.
func barePoints(c *turned) {
	c.t.Helper()
	if head, fields := c.cloud(); fields != "x y z " || head.Width == 0 {
		c.t.Errorf("fields %s, %d points", fields, head.Width)
	}
}

// unused is a turn whose argument the log must report as without effect.
func unused(arg, value string) turn { return unusedAs(arg, arg, value) }

// unusedAs is unused for an argument whose parameter has another name.
func unusedAs(arg, parameter, value string) turn {
	return turn{arg, value, func(c *turned) {
		c.t.Helper()
		peer.Await(c.t, "the log names "+parameter, func() bool {
			for line := range strings.Lines(c.output()) {
				if strings.Contains(line, "has no effect") && strings.Contains(line, "~"+parameter+" ") {
					return true
				}
			}
			return false
		})
	}}
}
