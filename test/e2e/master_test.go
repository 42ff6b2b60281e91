package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

// TestMaster runs only stock tools and client libraries, so that any failure is the master's. It passes with
// onRoscore, too.
func TestMaster(t *testing.T) {
	g := onMaster(t)
	folder, err := filepath.Abs("testdata")
	need.Must(t, err)
	launch := g.start("roslaunch", "--wait", filepath.Join(folder, "talker.launch"))
	g.awaitPublisher("/chatter")
	g.parametersFromShell()
	g.toolsSeeTalker()
	g.rospyListens(filepath.Join(folder, "listener.py"))
	g.sameNameReplaces(filepath.Join(folder, "listener.py"))
	g.recordsAndPlays()

	g.wantContains([]string{"killed"}, "rosnode", "kill", "/stage/talker")
	if code := launch.Wait(); code != 0 {
		t.Errorf("roslaunch ended with %d", code)
	}
	g.awaitNoNode("/stage/talker")
}

// parametersFromShell checks that parameters set by roslaunch exist, and that all commands of rosparam
// work.
func (g *graph) parametersFromShell() {
	g.t.Helper()
	g.wantContains([]string{"3.5"}, "rosparam", "get", "/gain")
	g.wantContains([]string{"arm:\n- 1\n- 2\n- 3\nname: x y"}, "rosparam", "get", "/robot")
	g.wantContains([]string{"11"}, "rosparam", "get", "/stage/talker/volume")
	g.wantContains([]string{"/gain", "/robot/arm", "/run_id", "/roslaunch/uris/"}, "rosparam", "list")
	g.run("rosparam", "set", "/tree", "{a: {b: [1.5, true, 'text']}, c: -7}")
	g.wantContains([]string{"b:\n- 1.5\n- true\n- text"}, "rosparam", "get", "/tree/a")
	file := filepath.Join(g.t.TempDir(), "dump.yaml")
	g.run("rosparam", "dump", file, "/tree")
	g.run("rosparam", "load", file, "/copy")
	g.wantContains([]string{"-7"}, "rosparam", "get", "/copy/c")
	g.run("rosparam", "delete", "/tree")
	if out := g.run("rosparam", "list"); strings.Contains(out, "/tree") || !strings.Contains(out, "/copy/a/b") {
		g.t.Errorf("after deleting /tree: %s", out)
	}
}

func (g *graph) toolsSeeTalker() {
	g.t.Helper()
	if nodes := g.lines("rosnode", "list"); !slices.Contains(nodes, "/stage/talker") {
		g.t.Errorf("rosnode list: %q", nodes)
	}
	g.wantContains([]string{"/chatter [std_msgs/String]", "/stage/talker/get_loggers"}, "rosnode", "info", "/stage/talker")
	g.wantContains([]string{"xmlrpc reply"}, "rosnode", "ping", "-c", "2", "/stage/talker")
	g.wantContains([]string{"/chatter [std_msgs/String] 1 publisher"}, "rostopic", "list", "-v")
	g.wantContains([]string{"std_msgs/String"}, "rostopic", "type", "/chatter")
	g.wantContains([]string{"Type: std_msgs/String", "/stage/talker"}, "rostopic", "info", "/chatter")
	g.wantContains([]string{"/chatter"}, "rostopic", "find", "std_msgs/String")
	if out := g.run("rostopic", "echo", "-n", "2", "/chatter"); out != "data: \"hello\"\n---\ndata: \"hello\"\n---\n" {
		g.t.Errorf("rostopic echo: %q", out)
	}
	g.wantRate("/chatter", 20)
	g.wantContains([]string{"/stage/talker/set_logger_level"}, "rosservice", "list")
	g.wantContains([]string{"roscpp/GetLoggers"}, "rosservice", "type", "/stage/talker/get_loggers")
	g.wantContains([]string{"rosrpc://127.0.0.1:"}, "rosservice", "uri", "/stage/talker/get_loggers")
	g.wantContains([]string{"name:"}, "rosservice", "call", "/stage/talker/get_loggers")
	if out := g.run("roswtf"); strings.Contains(out, "ROS Master does not appear to be running") || !strings.Contains(out, "Online checks summary") {
		g.t.Errorf("roswtf can't check the graph:\n%s", out)
	}
}

var (
	averageRate = regexp.MustCompile(`average rate: ([0-9.]+)`)
	averageSize = regexp.MustCompile(`mean: ([0-9.]+)(KB|MB|B)`)
)

// rate returns what rostopic hz prints in its third report, after a few seconds.
func (g *graph) rate(topic string, options ...string) float64 {
	g.t.Helper()
	found := g.measure(averageRate, "rostopic", append([]string{"hz", topic}, options...)...)
	rate, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		g.t.Fatal(err)
	}
	return rate
}

// wantRate compares the result of rostopic hz with the rate at which a topic is published. The
// tolerance allows for an overloaded machine.
func (g *graph) wantRate(topic string, want float64) {
	g.t.Helper()
	if rate := g.rate(topic); rate <= want/10 || rate >= want*2 {
		g.t.Errorf("%s: rostopic hz says %v, want %v", topic, rate, want)
	}
}

// messageSize returns the mean size in bytes from rostopic bw.
func (g *graph) messageSize(topic string) float64 {
	g.t.Helper()
	found := g.measure(averageSize, "rostopic", "bw", topic)
	size, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		g.t.Fatal(err)
	}
	return size * map[string]float64{"B": 1, "KB": 1e3, "MB": 1e6}[found[2]]
}

// measure starts a tool that reports once a second, and returns its third report.
func (g *graph) measure(pattern *regexp.Regexp, name string, args ...string) []string {
	g.t.Helper()
	const reports = 3
	var found [][]string
	p := g.start(name, args...)
	p.Await(fmt.Sprintf("%d reports", reports), func(stdout string) bool {
		found = pattern.FindAllStringSubmatch(stdout, -1)
		return len(found) >= reports
	})
	p.Interrupt()
	return found[reports-1]
}

// rospyListens checks that a rospy node receives the topic and is notified when a cached parameter
// changes.
func (g *graph) rospyListens(script string) {
	g.t.Helper()
	listener := g.start(need.Python(g.t, "rospy"), script, "1000000", "follow", "__name:=follower", "chatter:=/chatter")
	g.awaitSubscriber("/chatter", "/follower")
	listener.Await("the parameter", func(out string) bool { return strings.Contains(out, "loud is unset") })
	g.run("rosparam", "set", "/loud", "very")
	listener.Await("the new parameter", func(out string) bool { return strings.Contains(out, "loud is very") })
	g.run("rosparam", "delete", "/loud")
	listener.Interrupt()
	peer.Await(g.t, "follower leaves", func() bool { return g.nodesOf(subscribers, "/chatter") == nil })
	g.wantContains([]string{"heard 10 {'hello'}"}, need.Python(g.t, "rospy"), script, "10", "chatter:=/chatter")
}

// sameNameReplaces checks that the second node of a name shuts the first one down.
func (g *graph) sameNameReplaces(script string) {
	g.t.Helper()
	args := []string{script, "1000000", "__name:=twin", "chatter:=/silence"}
	first := g.start(need.Python(g.t, "rospy"), args...)
	g.awaitSubscriber("/silence", "/twin")
	second := g.start(need.Python(g.t, "rospy"), args...)
	first.Wait()
	if out := first.Stdout() + first.Stderr(); !strings.Contains(out, "new node registered with same name") {
		g.t.Errorf("the first twin ends with %q", out)
	}
	g.awaitSubscriber("/silence", "/twin")
	second.Interrupt()
}

// recordsAndPlays checks that rosbag's two roscpp programs work, with each other's topic.
func (g *graph) recordsAndPlays() {
	g.t.Helper()
	bag := filepath.Join(g.t.TempDir(), "chatter.bag")
	g.run("rosbag", "record", "-O", bag, "-l", "5", "/chatter")
	g.wantContains([]string{"messages:    5", "std_msgs/String"}, "rosbag", "info", bag)
	echo := g.start("rostopic", "echo", "-n", "5", "/replayed")
	g.run("rosbag", "play", "--wait-for-subscribers", "-q", bag, "/chatter:=/replayed")
	if echo.Wait() != 0 || strings.Count(echo.Stdout(), "hello") != 5 {
		g.t.Errorf("replayed: %q", echo.Stdout())
	}
	if err := os.Remove(bag); err != nil {
		g.t.Error(err)
	}
}
