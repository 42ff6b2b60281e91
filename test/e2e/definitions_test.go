package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/peer"
)

// TestDefinitions: with the folder that definitions writes, stock tools know the types of all topics
// and services of a camera, and print, call, record and play them.
func TestDefinitions(t *testing.T) {
	g := onMaster(t)
	need.Programs(t, "rosmsg", "rossrv")
	folder := filepath.Join(t.TempDir(), "the definitions")
	for range 2 { // running it again changes nothing
		line := g.run(peer.Program(t), "definitions", "-o", folder)
		if want := "export ROS_PACKAGE_PATH='" + folder + "':${ROS_PACKAGE_PATH:-/usr/share}\n"; line != want {
			t.Fatalf("printed %q, want %q", line, want)
		}
	}
	g.env = append(g.env, "ROS_PACKAGE_PATH="+folder+":/usr/share")
	g.start(peer.Program(t), append([]string{"live", "--naming", "both"}, smallCamera...)...)
	g.awaitPublisher("/camera/color/metadata")
	g.awaitPublisher("/device_0/sensor_2/Gyro_0/info")
	g.awaitService("/rs_ros_node/device_info")

	script, err := filepath.Abs("testdata/known_types.py")
	need.Must(t, err)
	known := g.lines(need.Python(t, "rosservice"), script)
	if len(known) < 15 {
		t.Errorf("the graph has only the types %q", known)
	}
	for _, line := range known {
		name, md5, _ := strings.Cut(line, " ")
		m, _ := msgs.Lookup(name)
		s, _ := msgs.LookupService(name)
		if md5 != m.MD5 && md5 != s.MD5 {
			t.Errorf("ROS's Python says %q, and ours are %s and %s", line, m.MD5, s.MD5)
		}
	}
	for name, text := range map[string]string{
		"realsense2_camera/Metadata": "string json_data", "realsense2_camera/Extrinsics": "float64[9] rotation",
		"realsense2_camera/IMUInfo": "float64[3] bias_variances", "realsense_msgs/StreamInfo": "bool is_recommended",
		"realsense_msgs/ImuIntrinsic": "float32[12] data", "realsense_msgs/Notification": "string serialized_data",
	} {
		g.wantContains([]string{text}, "rosmsg", "show", name)
		g.wantContains([]string{msgs.MustType(name).MD5}, "rosmsg", "md5", name)
	}
	const info = "realsense2_camera/DeviceInfo"
	g.wantContains([]string{"string usb_type_descriptor"}, "rossrv", "show", info)
	g.wantContains([]string{msgs.MustService(info).MD5}, "rossrv", "md5", info)

	for topic, text := range map[string]string{
		"/camera/color/metadata": "frame_counter", "/camera/extrinsics/depth_to_color": "rotation:", "/camera/gyro/imu_info": "noise_variances:",
		"/device_0/sensor_0/Depth_0/info": "encoding:", "/device_0/sensor_2/Gyro_0/imu_intrinsic": "bias_variances:",
	} {
		g.wantContains([]string{text}, "rostopic", "echo", "-n", "1", topic)
	}
	g.wantContains([]string{"serial_number:"}, "rosservice", "call", "/rs_ros_node/device_info")

	bag := filepath.Join(t.TempDir(), "stock.bag")
	g.run("rosbag", "record", "-O", bag, "--duration", "2", "/camera/color/metadata", "/camera/extrinsics/depth_to_color", "__name:=stock")
	g.wantContains([]string{"realsense2_camera/Metadata   [" + msgs.MustType("realsense2_camera/Metadata").MD5 + "]"}, "rosbag", "info", bag)
	echo := g.start("rostopic", "echo", "-n", "1", "/replayed/color/metadata")
	g.start("rosbag", "play", "--loop", bag, "/camera/color/metadata:=/replayed/color/metadata", "/camera/extrinsics/depth_to_color:=/replayed/extrinsics")
	if code := echo.Wait(); code != 0 || !strings.Contains(echo.Stdout(), "frame_counter") {
		t.Errorf("rostopic echo of the replay ended with %d: %s", code, echo.Stdout())
	}
}
