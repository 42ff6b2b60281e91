package e2e

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rsros/test/peer"
)

// smallCamera is a simulated camera; several fit on a small machine.
var smallCamera = []string{"--device", "sim", "--depth", "424x240@6", "--color", "424x240@6", "--infra1", "424x240@6", "--infra2", "424x240@6"}

// TestLive checks a live node with the stock tools.
func TestLive(t *testing.T) {
	g := onRoscore(t)
	folder := t.TempDir()
	live := g.start(peer.Program(t), append([]string{"live", "--record-path", folder + "/"}, smallCamera...)...)
	g.awaitPublisher("/camera/color/image_raw")
	g.awaitService("/rs_ros_node/device_info")
	g.topicsOfCamera()
	g.numbersOfCamera()
	g.messagesOfCamera()
	g.servicesOfCamera(folder)
	g.stockRecords()

	g.wantContains([]string{"Node [/rs_ros_node]", "/camera/color/image_raw [sensor_msgs/Image]", "/rs_ros_node/device_info", "Pid: "}, "rosnode", "info", "/rs_ros_node")
	g.wantContains([]string{"xmlrpc reply from"}, "rosnode", "ping", "-c", "2", "/rs_ros_node")
	g.wantContains([]string{"killed"}, "rosnode", "kill", "/rs_ros_node")
	if code := live.Wait(); code != 0 {
		t.Errorf("killed, the node ended with %d", code)
	}
	g.awaitNoNode("/rs_ros_node")
}

func (g *graph) topicsOfCamera() {
	g.t.Helper()
	listed := g.lines("rostopic", "list")
	for topic, typeName := range map[string]string{
		"/camera/color/image_raw":                  "sensor_msgs/Image",
		"/camera/depth/image_rect_raw":             "sensor_msgs/Image",
		"/camera/depth/camera_info":                "sensor_msgs/CameraInfo",
		"/camera/gyro/sample":                      "sensor_msgs/Imu",
		"/camera/gyro/imu_info":                    "realsense2_camera/IMUInfo",
		"/camera/extrinsics/depth_to_color":        "realsense2_camera/Extrinsics",
		"/tf_static":                               "tf2_msgs/TFMessage",
		"/device_0/info":                           "diagnostic_msgs/KeyValue",
		"/device_0/sensor_0/Depth_0/image/data":    "sensor_msgs/Image",
		"/device_0/sensor_0/Infrared_2/image/data": "sensor_msgs/Image",
		"/device_0/sensor_2/Accel_0/imu/data":      "sensor_msgs/Imu",
		"/rosout":                                  "rosgraph_msgs/Log",
	} {
		if !slices.Contains(listed, topic) {
			g.t.Errorf("rostopic list has no %s", topic)
		}
		if got := g.typeOf(topic); got != typeName {
			g.t.Errorf("%s is a %s, want %s", topic, got, typeName)
		}
	}
	g.wantContains([]string{"sensor_msgs/Image"}, "rostopic", "type", "/camera/depth/image_rect_raw")
	g.wantContains([]string{"Type: sensor_msgs/Image", "/rs_ros_node (http://127.0.0.1:"}, "rostopic", "info", "/camera/depth/image_rect_raw")
}

// typeOf asks the master, as rostopic type does.
func (g *graph) typeOf(topic string) string {
	types, _ := g.ask("getTopicTypes").([]any)
	for _, entry := range types {
		if pair := entry.([]any); pair[0] == topic {
			return pair[1].(string)
		}
	}
	return ""
}

// numbersOfCamera compares rates with the profile and sizes with the images.
func (g *graph) numbersOfCamera() {
	g.t.Helper()
	g.wantRate("/camera/gyro/sample", 200)
	const pixels = 424 * 240 * 3
	if size := g.messageSize("/camera/color/image_raw"); size < 0.98*pixels || size > 1.02*pixels {
		g.t.Errorf("colour images: rostopic bw says %v bytes, want a little more than %d", size, pixels)
	}
}

func (g *graph) messagesOfCamera() {
	g.t.Helper()
	g.wantContains([]string{"frame_id: \"camera_color_optical_frame\"", "height: 240", "width: 424", "encoding: \"rgb8\"", "step: 1272"},
		"rostopic", "echo", "--noarr", "-n", "1", "/camera/color/image_raw")
	g.wantContains([]string{"encoding: \"16UC1\"", "step: 848"}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/depth/image_rect_raw")
	g.wantContains([]string{"encoding: \"mono8\"", "step: 424"}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/infra1/image_rect_raw")
	g.wantContains([]string{"distortion_model: \"plumb_bob\"", "width: 424"}, "rostopic", "echo", "-n", "1", "/camera/color/camera_info")
	g.wantContains([]string{"frame_id: \"camera_accel_optical_frame\"", "linear_acceleration:"}, "rostopic", "echo", "-n", "1", "/camera/accel/sample")
	// The options are latched as a set: a late subscriber gets every message of it.
	g.wantContains([]string{"key: \"Name\"", "key: \"Serial Number\"", "(simulated)"}, "rostopic", "echo", "-n", "6", "/device_0/info")
}

var recordedPath = regexp.MustCompile(`recording into (\S+\.bag)`)

func (g *graph) servicesOfCamera(folder string) {
	g.t.Helper()
	g.wantContains([]string{"realsense2_camera/DeviceInfo"}, "rosservice", "type", "/rs_ros_node/device_info")
	images := g.listen("/camera/infra1/image_rect_raw")
	call := func(service, typeName string, args ...string) string {
		g.t.Helper()
		out := g.run("rosservice", append([]string{"call", "/rs_ros_node/" + service}, args...)...)
		if !strings.Contains(out, "success: True") {
			g.t.Errorf("%s (%s) answers %s", service, typeName, out)
		}
		return out
	}
	found := recordedPath.FindStringSubmatch(call("start_recording", "std_srvs/Trigger"))
	if found == nil || !strings.HasPrefix(found[1], folder) {
		g.t.Fatalf("start_recording names no bag in %s: %q", folder, found)
	}
	before := images.count("/camera/infra1/image_rect_raw")
	peer.Await(g.t, "images while recording", func() bool { return images.count("/camera/infra1/image_rect_raw") > before+4 })
	call("pause_recording", "std_srvs/SetBool", "data: true")
	call("pause_recording", "std_srvs/SetBool", "data: false")
	call("stop_recording", "std_srvs/Trigger")
	g.wantContains([]string{"/device_0/sensor_0/Depth_0/image/data"}, "rosbag", "info", found[1])

	call("enable", "std_srvs/SetBool", "data: false")
	still := images.count("/camera/infra1/image_rect_raw")
	call("enable", "std_srvs/SetBool", "data: true")
	peer.Await(g.t, "images after enable", func() bool { return images.count("/camera/infra1/image_rect_raw") > still+2 })
}

// stockRecords records topics of both namings with rosbag record.
func (g *graph) stockRecords() {
	g.t.Helper()
	bag := filepath.Join(g.t.TempDir(), "stock.bag")
	topics := []string{"/camera/depth/image_rect_raw", "/device_0/sensor_0/Depth_0/image/data"}
	g.run("rosbag", append([]string{"record", "-O", bag, "-l", "10"}, topics...)...)
	for _, topic := range topics {
		if got := len(bagHashes(g.t, bag)[topic]); got != 10 {
			g.t.Errorf("rosbag record has %d of 10 messages of %s", got, topic)
		}
	}
}
