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

// rosPackage makes our package as rosrun and roslaunch expect it: a folder in ROS_PACKAGE_PATH with
// package.xml, launch/ and, anywhere except in build/, the program. It returns the folder.
func (g *graph) rosPackage() string {
	g.t.Helper()
	return g.rosPackageOf(peer.Program(g.t))
}

// rosPackageOf is rosPackage with another build of the program.
func (g *graph) rosPackageOf(program string) string {
	g.t.Helper()
	need.Programs(g.t, "rosrun", "rospack")
	root, folder := repository(g.t), filepath.Join(g.t.TempDir(), "rs_ros_node")
	if err := os.MkdirAll(filepath.Join(folder, "bin"), 0o755); err != nil {
		g.t.Fatal(err)
	}
	for link, target := range map[string]string{
		"package.xml":     filepath.Join(root, "package.xml"),
		"launch":          filepath.Join(root, "launch"),
		"bin/rs-ros-node": program,
	} {
		if err := os.Symlink(target, filepath.Join(folder, link)); err != nil {
			g.t.Fatal(err)
		}
	}
	g.env = append(g.env, "ROS_PACKAGE_PATH="+filepath.Dir(folder)+":/usr/share")
	return folder
}

// TestRosrun starts the node without a command, with remaps and private parameters.
func TestRosrun(t *testing.T) {
	g := onMaster(t)
	g.rosPackage()
	node := g.start("rosrun", "rs_ros_node", "rs-ros-node", "_device:=sim", "_depth_width:=424", "_depth_height:=240", "_depth_fps:=6",
		"_color_width:=424", "_color_height:=240", "_color_fps:=6", "_enable_infra1:=false", "_enable_gyro:=false",
		"__name:=eye", "__ns:=/robot", "camera/color/image_raw:=/front/image")
	g.awaitPublisher("/front/image")
	g.awaitService("/robot/eye/start_recording")
	g.wantContains([]string{"Node [/robot/eye]", "/front/image [sensor_msgs/Image]", "/robot/camera/depth/image_rect_raw", "/robot/eye/start_recording"}, "rosnode", "info", "/robot/eye")
	g.wantContains([]string{"6"}, "rosparam", "get", "/robot/eye/depth_fps")
	g.wantContains([]string{"width: 424"}, "rostopic", "echo", "--noarr", "-n", "1", "/front/image")
	if topics := g.run("rostopic", "list"); strings.Contains(topics, "infra1") || strings.Contains(topics, "gyro") {
		t.Errorf("streams that were switched off have topics:\n%s", topics)
	}
	if code := node.Interrupt(); code != 0 {
		t.Errorf("the node ended with %d", code)
	}
}

// TestLaunch runs camera.launch with the parameters and remappings of a user's launch file together
// with record.launch, and then plays the recording with play.launch.
func TestLaunch(t *testing.T) {
	g := onRoscore(t)
	g.rosPackage()
	folder := t.TempDir()
	robot, err := filepath.Abs("testdata/robot.launch")
	need.Must(t, err)
	camera := g.start("roslaunch", "--wait", robot, "record:="+filepath.Join(folder, "camera.bag"))
	g.awaitPublisher("/front/depth")
	if nodes := g.lines("rosnode", "list"); !slices.Contains(nodes, "/front") {
		t.Errorf("rosnode list: %q", nodes)
	}
	g.wantContains([]string{"camera_info", "/device_0/sensor_0/Depth_0/image/data"}, "rostopic", "list")

	copied := filepath.Join(folder, "copy.bag")
	record := g.start("roslaunch", "rs_ros_node", "record.launch", "bag:="+copied, "topics:=/front/depth", "args:=-l 5")
	record.Wait() // required="true": it ends with the recorder
	g.wantContains([]string{"messages:    5"}, "rosbag", "info", copied)
	camera.Interrupt()
	g.wantContains([]string{"/device_0/sensor_0/Depth_0/image/data"}, "rosbag", "info", filepath.Join(folder, "camera.bag"))

	audience := g.listen("/front/depth", "/clock")
	g.start("roslaunch", "rs_ros_node", "play.launch", "bag:="+copied, "args:=--loop")
	audience.awaitCounts(map[string]int{"/front/depth": 5, "/clock": 5})
	g.awaitParam("/use_sim_time", true)
	g.wantContains([]string{"success: True"}, "rosservice", "call", "/play/pause_playback", "data: true")
}

// TestDemo runs what a newcomer runs first: no ROS in the environment.
func TestDemo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TMPDIR=" + folder}
	demo := peer.Start(t, env, peer.Program(t), "demo", "-o", folder, "--duration", "2",
		"--depth", "424x240@6", "--color", "424x240@6", "--infra1", "424x240@6", "--infra2", "424x240@6")
	if code := demo.Wait(); code != 0 {
		t.Errorf("demo ended with %d", code)
	}
	bags, err := filepath.Glob(filepath.Join(folder, "*.bag"))
	if err != nil || len(bags) != 1 {
		t.Fatalf("%v %v", bags, err)
	}
	for _, word := range []string{"Depth_0", "Color_0", "Infrared_2", "Gyro_0", bags[0]} {
		if !strings.Contains(demo.Stdout(), word) {
			t.Errorf("the table has no %s:\n%s", word, demo.Stdout())
		}
	}
	if hashes := bagHashes(t, bags[0]); len(hashes) != 4 {
		t.Errorf("the bag has %d image topics", len(hashes))
	}
}
