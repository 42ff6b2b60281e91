package e2e

import (
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// TestPlayRosbag2 plays a ROS 2 recording into a ROS 1 graph, where stock tools read it.
func TestPlayRosbag2(t *testing.T) {
	t.Parallel()
	need.Programs(t, "/usr/bin/rostopic")
	recorded := need.Bag(t, "db3/own_native.db3")
	program := peer.Program(t)
	g := newJudge(t)
	p := g.start(program, "play", recorded, "--pause", "--loop", "__name:=player")
	peer.AwaitService(t, g.node, "/pause_playback")
	const camera = "/camera/camera/depth"
	if got := strings.TrimSpace(g.run("rostopic", "type", camera+"/image_rect_raw")); got != "sensor_msgs/Image" {
		t.Errorf("the type of the images is %s", got)
	}
	rec := g.record([]string{camera + "/camera_info"})
	echo := g.start("/usr/bin/rostopic", "echo", "-n", "1", camera+"/camera_info")
	g.awaitAudience(2, camera+"/camera_info")
	rig.SetBool(t, g.node, "/pause_playback", false)
	if code := echo.Wait(); code != 0 {
		t.Errorf("rostopic echo: exit code %d", code)
	}
	for _, want := range []string{"frame_id: \"camera_depth_optical_frame\"", "height: 48", "width: 64", "distortion_model: \"plumb_bob\"", "K: ["} {
		if !strings.Contains(echo.Stdout(), want) {
			t.Errorf("rostopic echo: no %s in %s", want, echo.Stdout())
		}
	}
	peer.Await(t, "a message for the judge", func() bool { return rec.count(camera+"/camera_info") > 0 })
	// A late subscriber gets what was published for it, as with transient local durability in ROS 2.
	if out := g.run("rostopic", "echo", "-n", "1", "/tf_static"); !strings.Contains(out, "child_frame_id:") {
		t.Errorf("rostopic echo /tf_static: %s", out)
	}
	rig.Trigger(t, g.node, "/player/stop")
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
