package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// dynparam prepares Debian's dynparam, which looks for its package, which Debian doesn't install. The
// returned function runs it with arguments.
func (g *graph) dynparam() func(args ...string) string {
	const (
		tool        = "/usr/lib/dynamic_reconfigure/dynparam"
		packageFile = `<package format="2"><name>dynamic_reconfigure</name><version>1.7.3</version><description>x</description>
<maintainer email="x@example.org">x</maintainer><license>BSD</license></package>`
	)
	g.t.Helper()
	python := need.Python(g.t, "roslib", "dynamic_reconfigure")
	folder := filepath.Join(g.t.TempDir(), "dynamic_reconfigure")
	if err := os.Mkdir(folder, 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "package.xml"), []byte(packageFile), 0o644); err != nil {
		g.t.Fatal(err)
	}
	inner := *g
	inner.env = append(inner.env, "ROS_PACKAGE_PATH="+filepath.Dir(folder)+":/usr/share")
	return func(args ...string) string { return inner.run(python, append([]string{tool}, args...)...) }
}

// TestImageTransport checks the compressed topics of every image, with the parameters of
// image_transport's plugins, live and replayed.
func TestImageTransport(t *testing.T) {
	g := onMaster(t)
	g.run("rosparam", "set", "/camera/infra1/image_rect_raw/compressed/format", "png")
	folder := t.TempDir()
	bag := filepath.Join(folder, "camera.bag")
	live := g.start(peer.Program(t), append([]string{"live", "--record", bag}, smallCamera...)...)
	g.awaitPublisher("/camera/infra1/image_rect_raw/compressed")
	for topic, format := range map[string]string{
		"/camera/color/image_raw/compressed":                    "rgb8; jpeg compressed bgr8",
		"/camera/infra1/image_rect_raw/compressed":              "mono8; png compressed ",
		"/camera/depth/image_rect_raw/compressed":               "16UC1; png compressed ",
		"/camera/depth/image_rect_raw/compressedDepth":          "16UC1; compressedDepth png",
		"/device_0/sensor_0/Depth_0/image/data/compressedDepth": "mono16; compressedDepth png",
		"/device_0/sensor_1/Color_0/image/data/compressed":      "rgb8; jpeg compressed bgr8",
		"/device_0/sensor_0/Infrared_2/image/data/compressed":   "8UC1; jpeg compressed ",
	} {
		g.wantContains([]string{`format: "` + format + `"`}, "rostopic", "echo", "--noarr", "-n", "1", topic)
		if got := g.typeOf(topic); got != "sensor_msgs/CompressedImage" {
			t.Errorf("%s is a %s", topic, got)
		}
	}
	if out := g.run("rostopic", "list"); strings.Contains(out, "color/image_raw/compressedDepth") {
		t.Error("colour is offered as depth")
	}
	before := g.messageSize("/camera/color/image_raw/compressed")
	dynparam := g.dynparam()
	dynparam("set", "/camera/color/image_raw/compressed", "jpeg_quality", "10")
	if after := g.messageSize("/camera/color/image_raw/compressed"); after > before*2/3 {
		t.Errorf("a quality of 10 takes %v bytes, 80 took %v", after, before)
	}
	dynparam("set", "/camera/depth/image_rect_raw/compressedDepth", "format", "rvl")
	g.wantContains([]string{"16UC1; compressedDepth rvl"}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/depth/image_rect_raw/compressedDepth")
	live.Interrupt()

	// What was set is on the parameter server.
	g.start(peer.Program(t), "play", "--naming", "wrapper", "--loop", "-q", bag)
	g.wantContains([]string{"16UC1; compressedDepth rvl", "camera_depth_optical_frame"}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/depth/image_rect_raw/compressedDepth")
	g.wantContains([]string{"rgb8; jpeg compressed bgr8"}, "rostopic", "echo", "--noarr", "-n", "1", "/camera/color/image_raw/compressed")
}
