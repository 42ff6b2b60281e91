package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// launch runs one of our launch files until the test ends, and returns it.
func (g *graph) launch(name string, args ...string) *peer.Process {
	return g.start("roslaunch", append([]string{"--wait", "rs_ros_node", name}, args...)...)
}

// said waits until a program has printed a text, on either stream.
func said(t *testing.T, p *peer.Process, text string) {
	t.Helper()
	peer.Await(t, text, func() bool { return strings.Contains(p.Stdout()+p.Stderr(), text) })
}

// TestRSCameraLaunch runs rs_camera.launch with the package replaced: names, services and parameters
// are the original's, and arguments without effect are reported.
func TestRSCameraLaunch(t *testing.T) {
	g := onRoscore(t)
	g.rosPackage()
	g.run("rosparam", "set", "/camera/stereo_module/laser_power", "90")
	camera := g.launch("rs_camera.launch", append([]string{"device:=sim", "align_depth:=true", "enable_pointcloud:=true", "filters:=spatial,temporal",
		"enable_gyro:=true", "enable_accel:=true", "unite_imu_method:=linear_interpolation", "tf_prefix:=eye",
		"json_file_path:=/preset.json", "stereo_module/exposure/1:=100"}, small...)...)
	g.awaitPublisher("/camera/depth/color/points")
	said(t, camera, "~json_file_path")
	said(t, camera, "~stereo_module/exposure/1")
	if nodes := g.lines("rosnode", "list"); !slices.Contains(nodes, "/camera/realsense2_camera") {
		t.Errorf("rosnode list: %q", nodes)
	}
	topics := g.lines("rostopic", "list")
	for _, want := range []string{"/camera/color/image_raw", "/camera/aligned_depth_to_color/image_raw", "/camera/imu", "/camera/gyro/imu_info",
		"/camera/spatial/parameter_updates", "/camera/stereo_module/parameter_updates"} {
		if !slices.Contains(topics, want) {
			t.Errorf("rostopic list has no %s", want)
		}
	}
	for _, topic := range topics {
		if strings.Contains(topic, "infra") || strings.HasPrefix(topic, "/device_0") || topic == "/camera/gyro/sample" {
			t.Errorf("rostopic list has %s", topic)
		}
	}
	g.wantContains([]string{"frame_id: \"eye_color_optical_frame\"", "width: 424"}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/aligned_depth_to_color/image_raw")
	g.wantContains([]string{"frame_id: \"eye_color_optical_frame\"", "point_step: 20"}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/depth/color/points")
	g.wantContains([]string{"frame_id: \"eye_imu_optical_frame\""}, "rostopic", "echo", "-n", "1", "/camera/imu")
	g.wantContains([]string{"realsense2_camera/DeviceInfo"}, "rosservice", "type", "/camera/realsense2_camera/device_info")
	g.wantContains([]string{"success: True"}, "rosservice", "call", "/camera/enable", "data: true")
	dynparam := g.dynparam()
	if out := dynparam("get", "/camera/stereo_module"); !strings.Contains(out, "'laser_power': 90") {
		t.Errorf("laser power isn't the parameter's: %s", out)
	}
	dynparam("set", "/camera/spatial", "filter_magnitude", "4")
	if out := dynparam("get", "/camera/spatial"); !strings.Contains(out, "'filter_magnitude': 4") {
		t.Errorf("dynparam get: %s", out)
	}
	g.pausesCamera()
}

// pausesCamera checks that publishing stops and resumes.
func (g *graph) pausesCamera() {
	g.t.Helper()
	images := g.listen("/camera/color/image_raw")
	peer.Await(g.t, "images", func() bool { return images.count("/camera/color/image_raw") > 2 })
	g.wantContains([]string{"success: True", "Playback is now paused"}, "rosservice", "call", "/pause_playback", "data: true")
	g.wantContains([]string{"success: False"}, "rosservice", "call", "/camera/realsense2_camera/pause_playback", "data: true")
	g.wantContains([]string{"paused by pause_playback"}, "rostopic", "echo", "-n", "1", "/diagnostics")
	before := images.count("/camera/color/image_raw")
	g.wantContains([]string{"Playback is now resumed"}, "rosservice", "call", "/camera/realsense2_camera/pause_playback", "data: false")
	peer.Await(g.t, "images after the pause", func() bool { return images.count("/camera/color/image_raw") > before+2 })
}

func TestRSFromFileLaunch(t *testing.T) {
	g := onMaster(t)
	g.rosPackage()
	bag, err := filepath.Abs("../data/librealsense/sw_small_lz4.bag")
	need.Must(t, err)
	g.launch("rs_from_file.launch", "rosbag_filename:="+bag, "args:=--loop", "align_depth:=true", "camera:=file")
	g.wantContains([]string{"frame_id: \"file_color_optical_frame\"", "encoding: \"16UC1\""}, "rostopic", "echo", "--noarr", "-n", "1", "/file/aligned_depth_to_color/image_raw")
}

func TestRSRGBDLaunch(t *testing.T) {
	g := onMaster(t)
	g.rosPackage()
	camera := g.launch("rs_rgbd.launch", append([]string{"device:=sim", "disparity_processing:=true"}, small...)...)
	g.wantContains([]string{"height: 240", "width: 424", "is_dense: False"}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/depth_registered/points")
	g.wantContains([]string{"encoding: \"rgb8\""}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/color/image_rect_color")
	said(t, camera, "~rgbd_launch/disparity_processing")
}

func TestRSMultipleDevicesLaunch(t *testing.T) {
	g := onMaster(t)
	g.rosPackage()
	g.launch("rs_multiple_devices.launch", "device:=sim", "serial_no_camera1:=_111", "serial_no_camera2:=_222", "camera2:=back",
		"args:=--depth 424x240@6 --color 424x240@6 --infra1 off --infra2 off")
	for camera, serial := range map[string]string{"camera1": "111", "back": "222"} {
		g.awaitService("/" + camera + "/realsense2_camera/device_info")
		g.wantContains([]string{"hardware_id: \"" + serial + "\""}, "rostopic", "echo", "-n", "6", "/diagnostics")
		g.wantContains([]string{"frame_id: \"" + camera + "_depth_optical_frame\""}, "rostopic", "echo", "--noarr", "-n", "1", "/"+camera+"/depth/image_rect_raw")
	}
}

// TestRSOtherLaunches checks that the original's other launch files start what can work here, and
// report what can't.
func TestRSOtherLaunches(t *testing.T) {
	g := onMaster(t)
	g.rosPackage()
	t.Run("rs_aligned_depth", func(t *testing.T) {
		g := g.in(t)
		camera := g.launch("rs_aligned_depth.launch", "device:=sim", "depth_fps:=6", "color_fps:=6", "infra_fps:=6")
		g.wantContains([]string{"frame_id: \"camera_color_optical_frame\"", "width: 640"}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/aligned_depth_to_color/image_raw")
		g.awaitPublisher("/camera/infra2/image_rect_raw")
		camera.Interrupt()
	})
	t.Run("rs_d435_camera_with_model", func(t *testing.T) {
		g := g.in(t)
		camera := g.launch("rs_d435_camera_with_model.launch", "device:=sim", "model:=false", "depth_fps:=6", "color_fps:=6", "infra_fps:=6")
		g.wantContains([]string{"point_step: 20"}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/depth/color/points")
		camera.Interrupt()
	})
	t.Run("demo_pointcloud", func(t *testing.T) {
		need.Programs(t, "rviz", "Xvfb")
		g := g.in(t)
		g.env = append(g.env, "DISPLAY="+startScreen(g), "LIBGL_ALWAYS_SOFTWARE=1")
		camera := g.launch("demo_pointcloud.launch", "device:=sim", "depth_fps:=6", "color_fps:=6")
		g.awaitSubscriber("/camera/depth/color/points", "/camera/rviz")
		camera.Interrupt()
	})
	if _, code := g.try("rospack", "find", "xacro"); code != 0 {
		refused := g.start("roslaunch", "--nodes", "rs_ros_node", "rs_d435_camera_with_model.launch")
		if code := refused.Wait(); code == 0 || !strings.Contains(refused.Output(), "Resource not found: xacro") {
			t.Errorf("without xacro, it ends with %d:\n%s", code, refused.Output())
		}
	}
}

// TestLaunchIntoFile checks that with output:=screen, the node's log follows roslaunch's output into a
// file, and with output:=log only warnings do.
func TestLaunchIntoFile(t *testing.T) {
	g := onMaster(t)
	g.rosPackage()
	for output, want := range map[string]bool{"screen": true, "log": false} {
		file := filepath.Join(t.TempDir(), "out")
		script := `exec roslaunch --wait rs_ros_node rs_camera.launch "$@" >"$0" 2>&1`
		args := []string{"-c", script, file, "output:=" + output, "device:=sim", "usb_port_id:=2-1", "args:=--duration 1s"}
		g.start("sh", append(args, small...)...).Wait()
		text, err := os.ReadFile(file)
		need.Must(t, err)
		if got := strings.Contains(string(text), " INF "); got != want || !strings.Contains(string(text), "~usb_port_id") {
			t.Errorf("output:=%s: INFO lines are %v:\n%s", output, got, text)
		}
	}
}
