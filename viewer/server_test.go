package viewer

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/sim"
	"rsros/msgs/imagetransport"
	"rsros/replay"
	"rsros/replay/recorded"
	"rsros/test/need"
	"rsros/test/rig"
	"rsros/test/visitor"
	"rsros/viewer/api"
)

// smallStreams are the profiles of tests: small images, which are cheap.
func smallStreams(sensors []camdriver.Sensor) ([][]camdriver.Profile, error) {
	chosen := make([][]camdriver.Profile, len(sensors))
	for i, s := range sensors {
		seen := map[camdriver.StreamID]bool{}
		for _, p := range s.Profiles() {
			if !seen[p.Stream] && (p.Width == 424 && p.Height == 240 && p.FPS == 30 || p.Width == 0 || p.Width < 100) {
				seen[p.Stream] = true
				chosen[i] = append(chosen[i], p)
			}
		}
	}
	return chosen, nil
}

func openDevice(_ context.Context, device string) (camdriver.Device, error) {
	if device == "sim" {
		return sim.Open(sim.Options{StreamMemory: 1 << 20})
	}
	return recorded.Open(device, recorded.Options{RealTime: true, Paused: true, All: true})
}

// object is a text message.
type object = visitor.Object

// start starts a server, and returns a viewer after its greeting.
func start(t *testing.T, o Options, show string) (*Server, *visitor.Viewer, object) {
	t.Helper()
	if o.Open == nil {
		o.Open = openDevice
	}
	o.Choose, o.Log = smallStreams, zerolog.New(zerolog.NewTestWriter(t))
	o.Candidates = []api.Candidate{{ID: "sim", Name: "Simulated"}}
	if o.RecordDir == "" {
		o.RecordDir = t.TempDir()
	}
	s, err := New(o)
	need.Must(t, err)
	if show != "" {
		need.Must(t, s.Show(t.Context(), show, "", ""))
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if n := s.memory.lent; n != 0 {
			t.Errorf("%d buffers of images are missing", n)
		}
		h.Close()
	})
	v := visitor.DialViewer(t, h.URL+"/")
	return s, v, v.Text("hello")
}

// While a recording opens, at an address that doesn't answer, other viewers come and go on.
func TestSlowOpen(t *testing.T) {
	opening := make(chan struct{})
	s, v, _ := start(t, Options{Open: func(ctx context.Context, device string) (camdriver.Device, error) {
		if device != "slow" {
			return openDevice(ctx, device)
		}
		close(opening)
		<-ctx.Done()
		return nil, ctx.Err()
	}}, "sim")
	ctx, giveUp := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Show(ctx, "slow", "", "") }()
	<-opening
	v.Must("pause", nil)
	if visitor.DialViewer(t, v.Page).Text("hello")["state"].(object)["playing"] != false {
		t.Error("the camera isn't frozen")
	}
	giveUp()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// streams returns the ids of a source's streams by name: of several cameras, after the camera's and a slash.
func streams(source any) map[string]uint16 {
	out := map[string]uint16{}
	for _, s := range source.(object)["streams"].([]any) {
		name := s.(object)["name"].(string)
		if camera, ok := s.(object)["camera"].(string); ok {
			name = camera + "/" + name
		}
		out[name] = uint16(s.(object)["id"].(float64))
	}
	return out
}

const walk = "../test/data/librealsense/sw_small_lz4.bag"

// A viewer of the simulated camera: greeting, credits and counts, both codecs, samples, options, a
// recording.
func TestCamera(t *testing.T) {
	dir := t.TempDir()
	_, v, hello := start(t, Options{RecordDir: dir}, "sim")
	ids := streams(hello["source"])
	depth, gyro := ids["Depth_0"], ids["Gyro_0"]
	if depth == 0 || gyro == 0 || ids["Color_0"] == 0 {
		t.Fatalf("streams %v", ids)
	}
	v.Subscribe(depth)
	for want := uint32(1); want <= 2; want++ {
		m := v.Frame()
		if h := m.Head; h.Kind != api.Video || h.Codec != api.Raw || h.Stream != depth || h.Sequence != want || h.Width != 424 || len(m.Body) != 240*int(h.Stride) || !json.Valid(m.Metadata) {
			t.Fatalf("%+v with %d bytes and %s", h, len(m.Body), m.Metadata)
		}
	}
	// Without credit nothing is sent, and everything that is offered is counted.
	for {
		m := v.Read()
		if m.Fields == nil {
			t.Fatalf("a third image without credit: %+v", m.Head)
		}
		if m.Op == "counts" {
			c := m.Fields["streams"].([]any)[0].(object)
			if c["sent"] != 2.0 || c["given"].(float64)-c["skipped"].(float64) > 3 {
				t.Fatalf("counts %v", c)
			}
			if c["skipped"].(float64) > 0 {
				break
			}
		}
	}
	v.SubscribeAs(depth, "packed", 2)
	v.Credit(depth, 2)
	v.Frame() // one may have been in transit
	small := v.Frame()
	if h := small.Head; h.Codec != api.RVL || h.Width != 212 || h.Height != 120 {
		t.Fatalf("%+v", h)
	}
	unpack(t, small.Head, small.Body)
	v.Send("unsubscribe", object{"stream": depth})
	v.Subscribe(gyro)
	m := v.Frame()
	for m.Head.Stream != gyro {
		m = v.Frame()
	}
	if n := len(m.Body); m.Head.Kind != api.Motion || m.Head.Codec != api.Samples || n == 0 || n%32 != 0 {
		t.Fatalf("%+v with %d bytes", m.Head, n)
	}
	v.Must("option", object{"sensor": 0, "option": "Laser Power", "value": 90})
	if m, ok := v.Ask("option", object{"sensor": 0, "option": "Laser Power", "value": 1e9}); ok {
		t.Errorf("a laser power out of range: %v", m)
	}
	checkRecord(t, v, dir)
	v.Must("pause", nil)
	v.Must("play", nil)
	if m, ok := v.Ask("seek", object{"time": "0"}); ok {
		t.Errorf("a camera was sought in: %v", m)
	}
}

// unpack decodes depth and checks its size.
func unpack(t *testing.T, h api.Head, body []byte) []byte {
	t.Helper()
	n := int(binary.LittleEndian.Uint16(body))
	at := 2 + 4*n
	var all []byte
	for i := range n {
		size := int(binary.LittleEndian.Uint32(body[2+4*i:]))
		rows := int(h.Height)*(i+1)/n - int(h.Height)*i/n
		pixels := make([]byte, 2*rows*int(h.Width))
		need.Must(t, imagetransport.DecodeRVL(pixels, body[at:at+size]))
		all = append(all, pixels...)
		at += size
	}
	if at != len(body) {
		t.Errorf("%d bytes after the bands", len(body)-at)
	}
	return all
}

// checkRecord makes a recording, and tries names that escape the folder.
func checkRecord(t *testing.T, v *visitor.Viewer, dir string) {
	t.Helper()
	for _, bad := range []string{"../out", "/tmp/out", `..\out`, ".hidden", strings.Repeat("x", 65), "a\nb", "a\u202eb", "a\u2028b", "a\u009bb", "-rf"} {
		if m, ok := v.Ask("record.start", object{"name": bad}); ok {
			t.Errorf("name %q: %v", bad, m)
		}
	}
	for _, bad := range []object{{"splitBytes": 1}, {"splitBytes": -1}, {"splitBytes": minSplitBytes - 1}, {"splitSeconds": 0.01}, {"splitSeconds": 1e7}} {
		if m, ok := v.Ask("record.start", bad); ok {
			t.Errorf("%v: %v", bad, m)
		}
	}
	if m := v.Must("record.start", object{"name": "walk"}); m["file"] != "walk.bag" {
		t.Errorf("recording into %v", m)
	}
	if m, ok := v.Ask("record.start", object{"name": "other"}); ok {
		t.Errorf("a second recording: %v", m)
	}
	for v.Text("record")["bytes"].(float64) == 0 { //nolint:revive // waits
	}
	v.Must("record.pause", object{"on": true})
	v.Must("record.pause", object{"on": false})
	if m := v.Must("record.stop", nil); m["dropped"] != 0.0 || m["file"] != "walk.bag" {
		t.Errorf("recorded %v", m)
	}
	rig.CheckTake(t, filepath.Join(dir, "walk.bag"))
	before, err := os.Stat(filepath.Join(dir, "walk.bag"))
	need.Must(t, err)
	if m := v.Must("record.start", object{"name": "walk"}); m["file"] == "walk.bag" {
		t.Error("a recording was replaced")
	}
	v.Must("record.stop", nil)
	if after, err := os.Stat(filepath.Join(dir, "walk.bag")); err != nil || after.Size() != before.Size() {
		t.Errorf("the first recording changed: %v, %v", after, err)
	}
}

// Events of a source that is no longer shown aren't taken for the new one's.
func TestOldSource(t *testing.T) {
	s, v, _ := start(t, Options{}, "sim")
	old := s.current().(*cameras).parts[0]
	need.Must(t, s.Show(t.Context(), walk, "", ""))
	old.StatusChanged(camdriver.Status{})
	old.OptionChanged(0, camdriver.OptionExposure, 1)
	v.Send("pause", object{"id": 1})
	for source := v.Text("source"); source != nil; {
		switch m := v.Read(); m.Op {
		case "state":
			if m.Fields["position"] == nil {
				t.Errorf("the recording's state is %v", m.Fields)
			}
		case "option":
			t.Errorf("the recording's option is %v", m.Fields)
		case "answer":
			source = nil
		}
	}
}

// A viewer of a recording: exact seeks by time, set and frame, steps both ways, and nothing that
// changes the recording.
func TestRecording(t *testing.T) {
	_, v, hello := start(t, Options{}, walk)
	source := hello["source"].(object)
	if source["kind"] != "file" || source["frameSets"].(float64) < 3 {
		t.Fatalf("source %v", source)
	}
	ids := streams(source)
	depth := ids["Depth_0"]
	v.Must("pause", nil)
	v.Subscribe(depth)
	sequence := v.Frame().Head.Sequence // the position is shown again
	see := func() uint64 {
		t.Helper()
		v.Credit(depth, sequence)
		h := v.Frame().Head
		sequence = h.Sequence
		return h.Number
	}
	v.Must("seek", object{"set": 0})
	base := see()
	v.Must("step", object{"sets": 2})
	if n := see(); n != base+2 {
		t.Errorf("two sets further is frame %d, want %d", n, base+2)
	}
	v.Must("step", object{"sets": -1})
	if n := see(); n != base+1 {
		t.Errorf("one set back is frame %d, want %d", n, base+1)
	}
	v.Must("seek", object{"stream": depth, "frame": base + 2})
	if n := see(); n != base+2 {
		t.Errorf("seek to frame %d showed %d", base+2, n)
	}
	for op, fields := range map[string]object{
		"option": {"sensor": 0, "option": "Exposure", "value": 1}, "rate": {"rate": 1000}, "range": {"range": []string{"5", "1"}}, "seek": {}, "open": {"file": "x.bag"}, "fly": {},
	} {
		if m, ok := v.Ask(op, fields); ok {
			t.Errorf("%s: %v", op, m)
		}
	}
	v.Must("rate", object{"rate": 2})
	v.Must("loop", object{"on": true})
	v.Must("play", nil)
	for st := v.Text("state"); st["round"].(float64) < 1; st = v.Text("state") { //nolint:revive // waits for the second round
	}
	v.Must("open", object{"device": "sim"})
}

// Viewers without control change nothing.
func TestViewOnly(t *testing.T) {
	_, v, hello := start(t, Options{ViewOnly: true}, walk)
	if hello["viewOnly"] != true {
		t.Errorf("hello %v", hello)
	}
	for _, op := range []string{"play", "pause", "seek", "open", "record.start", "option"} {
		if m, ok := v.Ask(op, object{"time": "0"}); ok {
			t.Errorf("%s: %v", op, m)
		}
	}
}

// Messages that violate the protocol close the connection.
func TestNonsense(t *testing.T) {
	for _, text := range []string{"", "{", `{"op":"fly"}`, `{"op":"subscribe","stream":1,"codec":"raw","divisor":0}`} {
		_, v, _ := start(t, Options{}, "")
		need.Must(t, v.Conn.Write(t.Context(), websocket.MessageText, []byte(text)))
		var err error
		for err == nil {
			_, _, err = v.Conn.Read(t.Context())
		}
		if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A recording whose reader panics ends the viewer that opened it. Others are still answered, and the
// server can be closed.
func TestPanic(t *testing.T) {
	_, v, _ := start(t, Options{Open: func(ctx context.Context, device string) (camdriver.Device, error) {
		if device == "sim" {
			panic("a hostile recording")
		}
		return openDevice(ctx, device)
	}}, walk)
	other := visitor.DialViewer(t, v.Page)
	v.Send("open", object{"id": 1, "device": "sim"})
	var err error
	for err == nil {
		_, _, err = v.Conn.Read(t.Context())
	}
	if websocket.CloseStatus(err) != websocket.StatusInternalError {
		t.Errorf("the viewer saw %v", err)
	}
	other.Must("pause", nil)
}

// A viewer that subscribes during playback, and receives no frame before it pauses, is shown the
// current position.
func TestPausedBeforeFirstFrame(t *testing.T) {
	s, v, hello := start(t, Options{}, walk)
	depth := streams(hello["source"])["Depth_0"]
	v.Must("rate", object{"rate": 0.01}) // the next frame is far away
	v.Subscribe(depth)
	g := s.current()
	for seen := 0; seen < 3; seen++ { // ticks while it plays
		v.Text("state")
	}
	if g.(*cameras).file.Status().State == replay.Paused {
		t.Fatal("it doesn't play")
	}
	v.Must("pause", nil)
	v.Frame()
}
