package e2e

import (
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// TestMasterRestarts checks that a live node waits for its master, and registers again after a restart.
func TestMasterRestarts(t *testing.T) {
	t.Parallel()
	need.Programs(t, stockTools...)
	for name, start := range map[string]func(*graph) *peer.Process{"roscore": (*graph).startRoscore, "ours": (*graph).startMaster} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const topic = "/camera/gyro/sample"
			g := newGraph(t)
			live := g.start(peer.Program(t), append([]string{"live"}, smallCamera...)...)
			for range 2 {
				master := start(g)
				g.awaitPublisher(topic)
				g.awaitService("/rs_ros_node/device_info")
				g.wantContains([]string{"angular_velocity:"}, "rostopic", "echo", "-n", "1", topic)
				master.Interrupt()
			}
			if code := live.Interrupt(); code != 0 {
				t.Errorf("live ended with %d", code)
			}
		})
	}
}

// TestKilledRecording checks that stock programs read a recording killed with SIGKILL as a whole,
// indexed bag.
func TestKilledRecording(t *testing.T) {
	need.Programs(t, "rosbag")
	t.Parallel()
	g := newGraph(t)
	bag := filepath.Join(t.TempDir(), "killed.bag")
	live := g.start(peer.Program(t), append([]string{"live", "--master", "embedded", "--record", bag}, smallCamera...)...)
	peer.Await(t, "a checkpoint with a second of frames", func() bool { return stockCount(g, bag) > 6*4 })
	live.Signal(syscall.SIGKILL)
	live.Wait()
	if _, code := g.try("rosbag", "info", bag); code != 0 {
		t.Errorf("rosbag info ends with %d", code)
	}
	if got := stockCount(g, bag); got <= 6*4 {
		t.Errorf("after the kill rosbag reads %d images", got)
	}
}

// stockCount returns the number of images that Python's rosbag reads from a bag; 0 if it can't read it.
func stockCount(g *graph, bag string) int {
	const read = `import rosbag,sys
print(sum(1 for topic, _, _ in rosbag.Bag(sys.argv[1]).read_messages() if topic.endswith("/image/data")))`
	out, _ := g.try(need.Python(g.t, "rosbag"), "-c", read, bag)
	count, _ := strconv.Atoi(strings.TrimSpace(out))
	return count
}
