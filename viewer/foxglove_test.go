package viewer

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/test/samplebag"
	"rsros/test/visitor"
)

// foxgloveBeside connects a Foxglove client to a viewer's server.
func foxgloveBeside(t *testing.T, v *visitor.Viewer) *visitor.Foxglove {
	return visitor.DialFoxglove(t, "ws"+strings.TrimPrefix(v.Page, "http"))
}

func isMessage(e visitor.Event) bool { return e.Opcode == 1 }

// serverInfo is the first message to a client.
type serverInfo struct {
	Capabilities  []string
	SessionID     string
	DataStartTime *struct{ Sec, Nsec int64 }
}

// capable reads the next serverInfo, and reports whether playback can be controlled.
func capable(t *testing.T, c *visitor.Foxglove) (info serverInfo, playback bool) {
	t.Helper()
	c.AwaitOp("serverInfo").Decode(t, &info)
	return info, strings.HasSuffix(strings.Join(info.Capabilities, " "), "time playbackControl")
}

// control sends a request to the player, and returns the state after it and the messages that came
// before that.
func control(c *visitor.Foxglove, play byte, speed float32, seek byte, at int64, name string) (state visitor.Event, came []visitor.Event) {
	c.SendBinary(3, play, speed, seek, uint64(at), name)
	state = c.Await("the state of playback", func(e visitor.Event) bool {
		if isMessage(e) {
			came = append(came, e)
		}
		return e.Opcode == 5 && e.PlayRequest == name
	})
	return state, came
}

// A Foxglove client sees the topics of a recording without a camera, byte for byte, and their last
// messages while it is paused. It controls playback as the page does, and starts over when another
// source is shown.
func TestFoxgloveOfTopics(t *testing.T) {
	robot := samplebag.Robot(t, "robot.bag")
	_, page, _ := start(t, Options{}, robot)
	page.Must("pause", nil)
	c := foxgloveBeside(t, page)
	first, playback := capable(t, c)
	if !playback || first.DataStartTime == nil || first.DataStartTime.Sec != 1700000000 {
		t.Errorf("the server says %+v", first)
	}
	c.Subscribe(1, "/map")
	if e := c.Await("the map", isMessage); !bytes.Contains(e.Data, []byte("here be dragons")) {
		t.Errorf("the map is %q", e.Data)
	}
	images := contents(t, robot, "/camera/image")
	c.Subscribe(2, "/camera/image")
	c.Await("an image", func(e visitor.Event) bool { return isMessage(e) && e.ID == 2 })
	at := samplebag.RobotStart + 7*samplebag.RobotStep
	e, came := control(c, 1, 2, 1, int64(at), "seek")
	if e.State != 1 || e.Time != int64(at) || !e.DidSeek || e.Speed != 2 {
		t.Errorf("after a seek the state is %+v", e)
	}
	for st := page.Text("state"); st["rate"] != 2.0; st = page.Text("state") { //nolint:revive // the page hears of it
	}
	there := func(e visitor.Event) bool {
		return isMessage(e) && e.ID == 2 && e.Time == int64(at) && bytes.Equal(e.Data, images[at])
	}
	if !slices.ContainsFunc(came, there) {
		c.Await("the image there", there)
	}
	control(c, 0, 100, 0, 0, "play")
	c.Await("the end", func(e visitor.Event) bool {
		if isMessage(e) && e.ID == 2 && !bytes.Equal(e.Data, images[bagstore.Time(e.Time)]) {
			t.Errorf("an image of %d bytes at %d isn't the bag's", len(e.Data), e.Time)
		}
		return e.Opcode == 5 && e.State == 3
	})
	page.Must("open", object{"device": "sim"})
	second, playback := capable(t, c)
	if playback || second.SessionID == first.SessionID {
		t.Errorf("the server says %+v", second)
	}
	c.Subscribe(3, "/device_0/sensor_0/Depth_0/image/data")
	c.Await("depth", func(e visitor.Event) bool { return isMessage(e) && e.ID == 3 && len(e.Data) > 424*240*2 })
}

// A Foxglove client gets the messages of a RealSense recording, including those that describe the
// camera, even while it is paused.
func TestFoxgloveOfRecording(t *testing.T) {
	_, page, _ := start(t, Options{}, walk)
	page.Must("pause", nil)
	page.Must("seek", object{"set": 0})
	c := foxgloveBeside(t, page)
	if _, playback := capable(t, c); !playback {
		t.Error("playback can't be controlled")
	}
	const depth, info = "/device_0/sensor_0/Depth_0/image/data", "/device_0/sensor_0/Depth_0/info/camera_info"
	of := func(topic string) map[bagstore.Time][]byte { return contents(t, walk, topic) }
	has := func(all map[bagstore.Time][]byte, tail int, data []byte) bool {
		for _, m := range all {
			if bytes.Contains(m, data[len(data)-tail:]) {
				return true
			}
		}
		return false
	}
	c.Subscribe(1, info)
	if e := c.Await("the lens", isMessage); !has(of(info), len(e.Data), e.Data) {
		t.Errorf("the lens is %q", e.Data)
	}
	c.Subscribe(2, depth)
	e := c.Await("a depth image", func(e visitor.Event) bool { return isMessage(e) && e.ID == 2 })
	if !has(of(depth), 64*48*2, e.Data) {
		t.Errorf("a depth image of %d bytes isn't the recording's", len(e.Data))
	}
	state, came := control(c, 0, 1, 0, 0, "play")
	if state.State != 0 {
		t.Errorf("the state is %+v", state)
	}
	next := func(n visitor.Event) bool { return isMessage(n) && n.ID == 2 && n.Time > e.Time }
	if !slices.ContainsFunc(came, next) {
		c.Await("the next image", next)
	}
}

// Foxglove clients have the same restrictions as viewers.
func TestFoxgloveViewOnly(t *testing.T) {
	_, page, _ := start(t, Options{ViewOnly: true}, walk)
	c := foxgloveBeside(t, page)
	if _, playback := capable(t, c); playback {
		t.Error("playback can be controlled")
	}
	c.SendBinary(3, byte(1), float32(1), byte(0), uint64(0), "pause")
	c.AwaitOp("status")
}
