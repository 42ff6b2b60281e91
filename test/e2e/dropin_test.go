package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/peer"
)

// dropIn installs launch/drop-in.sh's packages as the only ones besides Debian's, and returns their
// folder.
func (g *graph) dropIn() string {
	g.t.Helper()
	need.Programs(g.t, "rospack", "rosrun", "sh")
	folder := filepath.Join(g.t.TempDir(), "drop in")
	script := filepath.Join(g.rosPackage(), "launch", "drop-in.sh")
	for range 2 { // running it again changes nothing
		if out, err := exec.Command(script, folder).CombinedOutput(); err != nil {
			g.t.Fatalf("%v\n%s", err, out)
		}
	}
	g.env = append(g.env, "ROS_PACKAGE_PATH="+folder+":/usr/share")
	return folder
}

// TestDropIn replaces the package realsense2_camera by ours: stock tools find it, launch files written
// for it work, and its services are available under their names.
func TestDropIn(t *testing.T) {
	g := onRoscore(t)
	folder := g.dropIn()
	if found := strings.TrimSpace(g.run("rospack", "find", "realsense2_camera")); found != filepath.Join(folder, "realsense2_camera") {
		t.Errorf("rospack find: %s", found)
	}
	g.wantContains([]string{"rs-ros-node"}, "rosrun", "realsense2_camera", "rs-ros-node", "version")

	o := g.onlooker()
	t.Run("rs_camera", func(t *testing.T) {
		g := g.in(t)
		camera := g.start("roslaunch", append([]string{"--wait", "realsense2_camera", "rs_camera.launch", "device:=sim:333", "enable_color:=false"}, small...)...)
		g.awaitPublisher("/camera/depth/image_rect_raw")
		var info msgs.DeviceInfo
		if o.call("/camera/realsense2_camera/device_info", "realsense2_camera/DeviceInfo", nil, &info); info.SerialNumber != "333" {
			t.Errorf("device_info: %+v", info)
		}
		g.awaitService("/camera/enable") // advertised one after the other
		g.awaitService("/camera/realsense2_camera/reset")
		g.wantContains([]string{"success: True"}, "rosservice", "call", "/camera/enable", "data: false")
		g.wantContains([]string{"success: True"}, "rosservice", "call", "/camera/enable", "data: true")
		g.run("rosservice", "call", "/camera/realsense2_camera/reset")
		o.next("/camera/depth/image_rect_raw")
		need.Programs(t, "rosmsg", "rossrv")
		for _, name := range []string{"Metadata", "Extrinsics", "IMUInfo"} {
			g.wantContains([]string{msgs.MustType("realsense2_camera/" + name).MD5}, "rosmsg", "md5", "realsense2_camera/"+name)
		}
		g.wantContains([]string{"string json_data"}, "rosmsg", "show", "realsense2_camera/Metadata")
		g.wantContains([]string{"string usb_type_descriptor"}, "rossrv", "show", "realsense2_camera/DeviceInfo")
		g.wantContains([]string{"frame_counter"}, "rostopic", "echo", "-n", "1", "/camera/depth/metadata")
		g.wantContains([]string{`serial_number: "333"`}, "rosservice", "call", "/camera/realsense2_camera/device_info")
		camera.Interrupt()
	})
	t.Run("a user's launch file", func(t *testing.T) {
		g := g.in(t)
		file, err := filepath.Abs("testdata/written_for_realsense2_camera.launch")
		need.Must(t, err)
		g.start("roslaunch", "--wait", file)
		for topic, frame := range map[string]string{"/robot/front/depth/camera_info": "front_depth_optical_frame", "/back/depth/camera_info": "lens"} {
			var info msgs.CameraInfo
			if o.decode(topic, &info); info.Header.FrameID != frame || info.Width != 424 {
				t.Errorf("%s: frame_id %q, width %d", topic, info.Header.FrameID, info.Width)
			}
		}
		g.awaitService("/robot/front/realsense2_camera/device_info")
		g.awaitService("/robot/front/enable")
		o.look("base over lens", "/tf_static", func(data []byte) bool {
			var tf msgs.TFMessage
			if msgs.Unmarshal(data, &tf) != nil || len(tf.Transforms) != 2 {
				return false
			}
			first, second := tf.Transforms[0], tf.Transforms[1]
			return first.Header.FrameID == "base" && first.ChildFrameID == second.Header.FrameID && second.ChildFrameID == "lens"
		})
	})
}

// TestDropInRefuses checks that the script neither overwrites the real package nor uses a folder where
// roslaunch would find files twice.
func TestDropInRefuses(t *testing.T) {
	script := filepath.Join(repository(t), "launch", "drop-in.sh")
	folder := t.TempDir()
	real := filepath.Join(folder, "realsense2_camera", "launch")
	peer.Run(t, nil, "mkdir", "-p", real)
	for _, to := range []string{folder, filepath.Join(repository(t), "bin")} {
		out, err := exec.Command(script, to).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "drop-in.sh: ") {
			t.Errorf("%s: %v, %s", to, err, out)
		}
	}
}
