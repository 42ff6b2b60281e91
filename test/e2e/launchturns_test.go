package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"rsros/msgs"
	"rsros/node/ros"
	"rsros/node/xmlrpc"
	"rsros/test/peer"
)

// turn gives one argument of rs_camera.launch a value other than its default, and looks for the effect.
type turn struct {
	arg, value string
	check      func(c *turned)
}

// turnedLaunch is one run of rs_camera.launch with several turns. With are arguments that its turns need.
type turnedLaunch struct {
	with  []string
	turns []turn
}

// turned is a launch that runs. Its topics are below /name.
type turned struct {
	*onlooker
	name   string
	launch *peer.Process
}

// TestEveryLaunchArgument turns every argument of rs_camera.launch once and looks for its effect. What has no effect
// says so in the log.
func TestEveryLaunchArgument(t *testing.T) {
	defaults := launchArgs(t, "rs_camera.launch")
	rows := map[string]int{}
	for _, l := range turnedLaunches {
		for _, row := range l.turns {
			rows[row.arg]++
			if value, ok := defaults[row.arg]; !ok || value == row.value {
				t.Errorf("%s: %q is no turn of %q (there: %t)", row.arg, row.value, value, ok)
			}
		}
	}
	for _, arg := range slices.Sorted(maps.Keys(defaults)) {
		if rows[arg] == 0 {
			t.Errorf("argument %s has no row", arg)
		}
	}
	g := onRoscore(t)
	g.rosPackage()
	for name, l := range turnedLaunches {
		t.Run(name, func(t *testing.T) {
			inner := g.in(t)
			args := append([]string{"--wait", "rs_ros_node", "rs_camera.launch"}, l.with...)
			for _, row := range l.turns {
				args = append(args, row.arg+":="+row.value)
			}
			c := &turned{onlooker: inner.onlooker(), name: name, launch: inner.start("roslaunch", args...)}
			for _, row := range l.turns {
				t.Run(strings.ReplaceAll(row.arg, "/", "_"), func(t *testing.T) {
					here := *c.onlooker
					here.t, here.graph = t, c.graph.in(t)
					row.check(&turned{&here, c.name, c.launch})
				})
			}
		})
	}
}

func (c *turned) topic(name string) string { return "/" + c.name + "/" + name }
func (c *turned) full() string             { return c.topic("realsense2_camera") }

// isThere waits until the node publishes a topic.
func (c *turned) isThere(topic string) {
	c.t.Helper()
	peer.Await(c.t, c.full()+" publishes "+topic, func() bool { return slices.Contains(c.graph.nodesOf(publishers, topic), c.full()) })
}

// isMissing wants the node to be there without a topic.
func (c *turned) isMissing(topic string) {
	c.t.Helper()
	c.graph.awaitPublisher("/diagnostics")
	c.isThere("/diagnostics") // advertised last
	if slices.Contains(c.graph.nodesOf(publishers, topic), c.full()) {
		c.t.Errorf("%s publishes %s", c.full(), topic)
	}
}

// logged is a check that the launch's output has all of the words.
func logged(words ...string) func(c *turned) {
	return func(c *turned) {
		c.t.Helper()
		for _, word := range words {
			said(c.t, c.launch, word)
		}
	}
}

func (c *turned) info(stream string) msgs.CameraInfo {
	c.t.Helper()
	var info msgs.CameraInfo
	c.decode(c.topic(stream+"/camera_info"), &info)
	return info
}

// sized is a check of the size of a stream's pictures.
func sized(stream string, width, height uint32) func(c *turned) {
	return func(c *turned) {
		c.t.Helper()
		info := c.info(stream)
		if width > 0 && info.Width != width || height > 0 && info.Height != height {
			c.t.Errorf("%s is %dx%d, want %dx%d", stream, info.Width, info.Height, width, height)
		}
	}
}

// published is a check that a topic is there.
func published(topic string) func(c *turned) {
	return func(c *turned) { c.t.Helper(); c.isThere(c.topic(topic)) }
}

// gone is a check that topics aren't there.
func gone(topics ...string) func(c *turned) {
	return func(c *turned) {
		c.t.Helper()
		for _, topic := range topics {
			c.isMissing(c.topic(topic))
		}
	}
}

// meet waits until two topics have messages with the same stamp.
func (c *turned) meet(a, b string) {
	c.t.Helper()
	stamps := map[msgs.Time]string{} // and the topic that had them
	var mu sync.Mutex
	met := func(topic string) func([]byte) bool {
		return func(data []byte) bool {
			mu.Lock()
			defer mu.Unlock()
			var head msgs.Header
			c.decodeBytes(topic, data, &head)
			first, ok := stamps[head.Stamp]
			stamps[head.Stamp] = topic
			return ok && first != topic
		}
	}
	other, err := c.node.Subscribe(ros.SubscriberOptions{Topic: c.topic(a)}, func(m ros.Received) { met(a)(m.Data) })
	if err != nil {
		c.t.Fatal(err)
	}
	defer other.Close()
	c.look("a stamp of "+a, c.topic(b), met(b))
}

// deepest is the largest depth of a topic's next picture, in millimetres.
func (c *turned) deepest(topic string) uint16 {
	c.t.Helper()
	var head msgs.ImageHead
	d := c.decodeBytes(topic, c.next(topic), &head)
	var most uint16
	for range head.DataLen / 2 {
		most = max(most, d.U16())
	}
	if d.Err() != nil {
		c.t.Fatal(d.Err())
	}
	return most
}

// cloud is the head of the next cloud, and the names of its fields.
func (c *turned) cloud() (head msgs.PointCloudHead, fields string) {
	c.t.Helper()
	topic := c.topic("depth/color/points")
	c.decodeBytes(topic, c.next(topic), &head)
	for _, f := range head.Fields {
		fields += f.Name + " "
	}
	return head, fields
}

func (c *turned) deviceInfo() msgs.DeviceInfo {
	c.t.Helper()
	var info msgs.DeviceInfo
	c.call(c.full()+"/device_info", "realsense2_camera/DeviceInfo", nil, &info)
	return info
}

// kill ends the node as rosnode kill does.
func (c *turned) kill() {
	c.t.Helper()
	api, _ := c.graph.ask("lookupNode", c.full()).(string)
	if _, err := xmlrpc.Call(c.t.Context(), c.graph.client, api, "shutdown", "/e2e", "test"); err != nil {
		c.t.Fatal(err)
	}
}

// pid is the node's process id as it says itself, or nil.
func (c *turned) pid() any {
	api, _ := c.graph.ask("lookupNode", c.full()).(string)
	result, err := xmlrpc.Call(c.t.Context(), c.graph.client, api, "getPid", "/e2e")
	if answer, ok := result.([]any); err == nil && ok && len(answer) == 3 {
		return answer[2]
	}
	return nil
}

// logFile is what the node printed where roslaunch keeps the output of nodes that aren't on the screen.
func (c *turned) logFile() string {
	var text strings.Builder
	for _, variable := range c.graph.env {
		folder, ok := strings.CutPrefix(variable, "ROS_LOG_DIR=")
		if !ok {
			continue
		}
		files, _ := filepath.Glob(filepath.Join(folder, "*", c.name+"-realsense2_camera*"))
		for _, file := range files {
			b, _ := os.ReadFile(file)
			text.Write(b)
		}
	}
	return text.String()
}
