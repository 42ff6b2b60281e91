package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/ros"
	"rsros/ros/xmlrpc"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// turn sets one argument of a launch file to a value other than its default, and checks the effect.
type turn struct {
	arg, value string
	check      func(c *turned)
}

// turnedLaunch is one run of a launch file with several turns. With lists arguments that its turns
// need. In its values {recording} is the path of a recording with every stream.
type turnedLaunch struct {
	file  string
	with  []string
	turns []turn
}

// turned is a running launch. Its topics are below /name.
type turned struct {
	*onlooker
	name   string
	launch *peer.Process
}

// TestEveryLaunchArgument sets every argument of each launch file that realsense2_camera also has, and
// checks its effect. For arguments without effect, the log must say so.
func TestEveryLaunchArgument(t *testing.T) {
	launches := maps.Clone(turnedLaunches)
	maps.Copy(launches, otherLaunches)
	everyArgumentTurned(t, launches)
	g := onRoscore(t)
	g.rosPackage()
	recording := everyStream(t)
	for _, name := range slices.Sorted(maps.Keys(launches)) {
		l := launches[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inner := g.in(t)
			args := append([]string{"--wait", "rs_ros_node", l.file}, l.with...)
			for _, row := range l.turns {
				args = append(args, row.arg+":="+row.value)
			}
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "{recording}", recording)
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

// everyArgumentTurned checks that each argument of the launch files has a row, with a value that isn't
// its default.
func everyArgumentTurned(t *testing.T, launches map[string]turnedLaunch) {
	t.Helper()
	rows := map[string]map[string]int{}
	for _, l := range launches {
		if rows[l.file] == nil {
			rows[l.file] = map[string]int{}
		}
		defaults := launchArgs(t, l.file)
		for _, row := range l.turns {
			rows[l.file][row.arg]++
			if value, ok := defaults[row.arg]; !ok || value == row.value {
				t.Errorf("%s: %s: %q is no turn of %q (there: %t)", l.file, row.arg, row.value, value, ok)
			}
		}
	}
	for file := range originalArgs(t) {
		if filepath.Dir(file) != "." {
			continue // those of the others are passed on to it
		}
		for _, arg := range slices.Sorted(maps.Keys(launchArgs(t, file))) {
			if rows[file][arg] == 0 {
				t.Errorf("%s: argument %s has no row", file, arg)
			}
		}
	}
}

// everyStream makes a recording that has each stream of the launch files: one by librealsense with its
// infrared streams repeated as Infrared_0 and as Fisheye_0.
func everyStream(t *testing.T) string {
	t.Helper()
	from := samplebag.Open(t, samplebag.Data(t, "sw_small_lz4.bag"))
	path := filepath.Join(t.TempDir(), "every.bag")
	to := samplebag.Create(t, path, bagstore.Options{})
	again := strings.NewReplacer("/Infrared_1/", "/Infrared_0/", "/Infrared_2/", "/Fisheye_0/")
	samplebag.Each(t, func(m bagstore.Message) {
		for _, topic := range slices.Compact([]string{m.Conn.Topic, again.Replace(m.Conn.Topic)}) {
			c := *m.Conn
			c.Topic = topic
			to.Put(c, m.Time, m.Data)
		}
	}, from)
	to.Done()
	return path
}

func (c *turned) topic(name string) string { return "/" + c.name + "/" + name }
func (c *turned) full() string             { return c.topic("realsense2_camera") }

// isThere waits until the node publishes a topic.
func (c *turned) isThere(topic string) {
	c.t.Helper()
	peer.Await(c.t, c.full()+" publishes "+topic, func() bool { return slices.Contains(c.graph.nodesOf(publishers, topic), c.full()) })
}

// isMissing checks that the node runs without a topic.
func (c *turned) isMissing(topic string) {
	c.t.Helper()
	c.graph.awaitPublisher("/diagnostics")
	c.isThere("/diagnostics") // advertised last
	if slices.Contains(c.graph.nodesOf(publishers, topic), c.full()) {
		c.t.Errorf("%s publishes %s", c.full(), topic)
	}
}

// logged checks that the output of the node, or of roslaunch, contains all of the words.
func logged(words ...string) func(c *turned) {
	return func(c *turned) {
		c.t.Helper()
		for _, word := range words {
			peer.Await(c.t, word, func() bool { return strings.Contains(c.output(), word) })
		}
	}
}

// quiet checks that the node's output isn't on the screen.
func quiet(c *turned) {
	c.t.Helper()
	peer.Await(c.t, "a log file with the node's output", func() bool { return strings.Contains(c.logFile(), "streaming") })
	if strings.Contains(c.launch.Output(), "streaming") {
		c.t.Errorf("the output is on the screen: %s", c.launch.Output())
	}
}

// respawns checks that the node is restarted as another process.
func respawns(c *turned) {
	c.t.Helper()
	before := c.pid()
	c.kill()
	peer.Await(c.t, "another process of "+c.full(), func() bool { now := c.pid(); return now != nil && now != before })
}

// prefixed checks that frames start with a tf_prefix.
func prefixed(prefix string) func(c *turned) {
	return func(c *turned) {
		c.t.Helper()
		if frame := c.info("color").Header.FrameID; frame != prefix+"_color_optical_frame" {
			c.t.Errorf("frame_id %q", frame)
		}
	}
}

// numbered checks the camera's serial number.
func numbered(want string) func(c *turned) {
	return func(c *turned) {
		c.t.Helper()
		if serial := c.deviceInfo().SerialNumber; serial != want {
			c.t.Errorf("serial number %q, want %s", serial, want)
		}
	}
}

// coloured checks that depth is published as a colour image.
func coloured(stream string) func(c *turned) {
	return func(c *turned) {
		c.t.Helper()
		var head msgs.ImageHead
		if c.decode(c.topic(stream), &head); head.Encoding != "rgb8" {
			c.t.Errorf("%s is %s", stream, head.Encoding)
		}
	}
}

// another checks another camera of the same launch.
func another(name string, check func(c *turned)) func(c *turned) {
	return func(c *turned) {
		c.t.Helper()
		other := *c
		other.name = name
		check(&other)
	}
}

func (c *turned) info(stream string) msgs.CameraInfo {
	c.t.Helper()
	var info msgs.CameraInfo
	c.decode(c.topic(stream+"/camera_info"), &info)
	return info
}

// sized checks the size of a stream's images.
func sized(stream string, width, height uint32) func(c *turned) {
	return func(c *turned) {
		c.t.Helper()
		info := c.info(stream)
		if width > 0 && info.Width != width || height > 0 && info.Height != height {
			c.t.Errorf("%s is %dx%d, want %dx%d", stream, info.Width, info.Height, width, height)
		}
	}
}

// published checks that a topic is published.
func published(topic string) func(c *turned) {
	return func(c *turned) { c.t.Helper(); c.isThere(c.topic(topic)) }
}

// gone checks that topics aren't published.
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
	stamps := map[msgs.Time]string{} // and the topic of the messages
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

// deepest returns the largest depth in a topic's next image, in millimetres.
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

// cloud returns the head of the next cloud, and the names of its fields.
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

// output returns the output of roslaunch and the node.
func (c *turned) output() string { return c.launch.Output() + c.logFile() }

// pid returns the node's process id as reported by the node, or nil.
func (c *turned) pid() any {
	api, _ := c.graph.ask("lookupNode", c.full()).(string)
	result, err := xmlrpc.Call(c.t.Context(), c.graph.client, api, "getPid", "/e2e")
	if answer, ok := result.([]any); err == nil && ok && len(answer) == 3 {
		return answer[2]
	}
	return nil
}

// logFile returns the node's output from where roslaunch keeps the output of nodes that aren't on the
// screen.
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
