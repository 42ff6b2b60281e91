package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// TestRecordedNames checks that topics are recorded under resolved names, where stock tools find them.
func TestRecordedNames(t *testing.T) {
	need.Programs(t, "rosbag", "rostopic")
	g := onMaster(t)
	g.start("rostopic", "pub", "-r", "20", "/robot/chatter", "std_msgs/String", "hello")
	bag, some := filepath.Join(t.TempDir(), "x.bag"), filepath.Join(t.TempDir(), "y.bag")
	g.run(peer.Program(t), "record", "-l", "3", "-O", bag, "chatter", "__ns:=robot")
	g.wantContains([]string{"topic: /robot/chatter"}, "rosbag", "info", "-y", bag)
	g.wantContains([]string{`data: "hello"`}, "rostopic", "echo", "-n", "1", "-b", bag, "/robot/chatter")
	g.run("rosbag", "filter", bag, some, "topic == '/robot/chatter'")
	g.wantContains([]string{"messages:    3"}, "rosbag", "info", some)
	g.start("rosbag", "play", "-l", "-q", bag, "/robot/chatter:=/again")
	if out := g.run("rostopic", "echo", "-n", "1", "/again"); !strings.Contains(out, "hello") {
		t.Errorf("replayed: %q", out)
	}
}
