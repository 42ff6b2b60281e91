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
	"rsros/test/rig"
	"rsros/viewer/wire"
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
	return recorded.Open(device, recorded.Options{RealTime: true, Paused: true})
}

// viewer is a client that checks the protocol to the letter.
type viewer struct {
	t    *testing.T
	url  string
	conn *websocket.Conn
	next int
	came [][]byte // binary messages that arrived while awaiting a text
}

// object is a text message.
type object = map[string]any

// start starts a server, and returns a viewer after its greeting.
func start(t *testing.T, o Options, show string) (*Server, *viewer, object) {
	t.Helper()
	if o.Open == nil {
		o.Open = openDevice
	}
	o.Choose, o.Log = smallStreams, zerolog.New(zerolog.NewTestWriter(t))
	o.Candidates = []wire.Candidate{{ID: "sim", Name: "Simulated"}}
	if o.RecordDir == "" {
		o.RecordDir = t.TempDir()
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if show != "" {
		if err := s.Show(t.Context(), show, "", ""); err != nil {
			t.Fatal(err)
		}
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
	v := connect(t, h.URL)
	return s, v, v.text("hello")
}

func connect(t *testing.T, url string) *viewer {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), url+"/api/ws", &websocket.DialOptions{Subprotocols: []string{wire.Subprotocol}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { conn.CloseNow() }) //nolint:errcheck // at the end
	return &viewer{t: t, url: url, conn: conn}
}

func (v *viewer) send(message object) {
	v.t.Helper()
	text, err := json.Marshal(message)
	if err != nil {
		v.t.Fatal(err)
	}
	if err := v.conn.Write(v.t.Context(), websocket.MessageText, text); err != nil {
		v.t.Fatal(err)
	}
}

// read returns the next message: an object, or an image.
func (v *viewer) read() (object, []byte) {
	v.t.Helper()
	kind, data, err := v.conn.Read(v.t.Context())
	if err != nil {
		v.t.Fatal(err)
	}
	if kind == websocket.MessageBinary {
		return nil, data
	}
	var m object
	if err := json.Unmarshal(data, &m); err != nil {
		v.t.Fatalf("%q: %v", data, err)
	}
	return m, nil
}

// text returns the next text message of a kind.
func (v *viewer) text(op string) object {
	v.t.Helper()
	for {
		m, data := v.read()
		if data != nil {
			v.came = append(v.came, data)
		} else if m["op"] == op {
			return m
		}
	}
}

// binary returns the next binary message.
func (v *viewer) binary() (head wire.Head, metadata, body []byte) {
	v.t.Helper()
	for {
		var data []byte
		if len(v.came) > 0 {
			data, v.came = v.came[0], v.came[1:]
		} else {
			_, data = v.read()
		}
		if data != nil {
			head = headOf(v.t, data)
			return head, data[wire.HeadSize:][:head.Metadata], data[wire.HeadSize+head.Metadata:]
		}
	}
}

func headOf(t *testing.T, b []byte) wire.Head {
	t.Helper()
	if len(b) < wire.HeadSize {
		t.Fatalf("a message of %d bytes", len(b))
	}
	le := binary.LittleEndian
	return wire.Head{
		Kind: wire.Kind(b[0]), Codec: wire.Codec(b[1]), Stream: le.Uint16(b[2:]), Sequence: le.Uint32(b[4:]), Number: le.Uint64(b[8:]), Stamp: le.Uint64(b[16:]),
		Time: le.Uint64(b[24:]), Width: le.Uint16(b[32:]), Height: le.Uint16(b[34:]), Stride: le.Uint32(b[36:]), Metadata: le.Uint32(b[40:]), Skipped: le.Uint32(b[44:]),
	}
}

// ask sends a request and returns the response.
func (v *viewer) ask(op string, fields object) object {
	v.t.Helper()
	v.next++
	message := object{"op": op, "id": v.next}
	for k, x := range fields {
		message[k] = x
	}
	v.send(message)
	for {
		if m := v.text("answer"); m["id"] == float64(v.next) {
			return m
		}
	}
}

// must sends a request that has to succeed.
func (v *viewer) must(op string, fields object) object {
	v.t.Helper()
	m := v.ask(op, fields)
	if m["ok"] != true {
		v.t.Fatalf("%s %v: %v", op, fields, m)
	}
	return m
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
	v.must("pause", nil)
	if connect(t, v.url).text("hello")["state"].(object)["playing"] != false {
		t.Error("the camera isn't frozen")
	}
	giveUp()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// streams returns the ids of a source's streams by name.
func streams(source any) map[string]uint16 {
	out := map[string]uint16{}
	for _, s := range source.(object)["streams"].([]any) {
		out[s.(object)["name"].(string)] = uint16(s.(object)["id"].(float64))
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
	v.send(object{"op": "subscribe", "stream": depth, "codec": "raw", "divisor": 1})
	for want := uint32(1); want <= 2; want++ {
		h, facts, body := v.binary()
		if h.Kind != wire.Video || h.Codec != wire.Raw || h.Stream != depth || h.Sequence != want || h.Width != 424 || len(body) != 240*int(h.Stride) || !json.Valid(facts) {
			t.Fatalf("%+v with %d bytes and %s", h, len(body), facts)
		}
	}
	// Without credit nothing is sent, and everything that is offered is counted.
	for {
		m, data := v.read()
		if data != nil {
			t.Fatalf("a third image without credit: %+v", headOf(t, data))
		}
		if m["op"] == "counts" {
			c := m["streams"].([]any)[0].(object)
			if c["sent"] != 2.0 || c["given"].(float64)-c["skipped"].(float64) > 3 {
				t.Fatalf("counts %v", c)
			}
			if c["skipped"].(float64) > 0 {
				break
			}
		}
	}
	v.send(object{"op": "subscribe", "stream": depth, "codec": "packed", "divisor": 2})
	v.send(object{"op": "credit", "stream": depth, "upto": 2})
	v.binary() // one may have been in transit
	h, _, body := v.binary()
	if h.Codec != wire.RVL || h.Width != 212 || h.Height != 120 {
		t.Fatalf("%+v", h)
	}
	unpack(t, h, body)
	v.send(object{"op": "unsubscribe", "stream": depth})
	v.send(object{"op": "subscribe", "stream": gyro, "codec": "raw", "divisor": 1})
	for {
		h, _, body := v.binary()
		if h.Stream != gyro {
			continue
		}
		if h.Kind != wire.Motion || h.Codec != wire.Samples || len(body) == 0 || len(body)%32 != 0 {
			t.Fatalf("%+v with %d bytes", h, len(body))
		}
		break
	}
	v.must("option", object{"sensor": 0, "option": "Laser Power", "value": 90})
	if m := v.ask("option", object{"sensor": 0, "option": "Laser Power", "value": 1e9}); m["ok"] != false {
		t.Errorf("a laser power out of range: %v", m)
	}
	v.record(dir)
	v.must("pause", nil)
	v.must("play", nil)
	if m := v.ask("seek", object{"time": "0"}); m["ok"] != false {
		t.Errorf("a camera was sought in: %v", m)
	}
}

// unpack decodes depth and checks its size.
func unpack(t *testing.T, h wire.Head, body []byte) []byte {
	t.Helper()
	n := int(binary.LittleEndian.Uint16(body))
	at := 2 + 4*n
	var all []byte
	for i := range n {
		size := int(binary.LittleEndian.Uint32(body[2+4*i:]))
		rows := int(h.Height)*(i+1)/n - int(h.Height)*i/n
		pixels := make([]byte, 2*rows*int(h.Width))
		if err := imagetransport.DecodeRVL(pixels, body[at:at+size]); err != nil {
			t.Fatal(err)
		}
		all = append(all, pixels...)
		at += size
	}
	if at != len(body) {
		t.Errorf("%d bytes after the bands", len(body)-at)
	}
	return all
}

// record makes a recording, and tries names that escape the folder.
func (v *viewer) record(dir string) {
	t := v.t
	t.Helper()
	for _, bad := range []string{"../out", "/tmp/out", `..\out`, ".hidden", strings.Repeat("x", 65), "a\nb", "a\u202eb", "a\u2028b", "a\u009bb", "-rf"} {
		if m := v.ask("record.start", object{"name": bad}); m["ok"] != false {
			t.Errorf("name %q: %v", bad, m)
		}
	}
	for _, bad := range []object{{"splitBytes": 1}, {"splitBytes": -1}, {"splitBytes": minSplitBytes - 1}, {"splitSeconds": 0.01}, {"splitSeconds": 1e7}} {
		if m := v.ask("record.start", bad); m["ok"] != false {
			t.Errorf("%v: %v", bad, m)
		}
	}
	if m := v.must("record.start", object{"name": "walk"}); m["file"] != "walk.bag" {
		t.Errorf("recording into %v", m)
	}
	if m := v.ask("record.start", object{"name": "other"}); m["ok"] != false {
		t.Errorf("a second recording: %v", m)
	}
	for v.text("record")["bytes"].(float64) == 0 { //nolint:revive // waits
	}
	v.must("record.pause", object{"on": true})
	v.must("record.pause", object{"on": false})
	if m := v.must("record.stop", nil); m["dropped"] != 0.0 || m["file"] != "walk.bag" {
		t.Errorf("recorded %v", m)
	}
	rig.CheckTake(t, filepath.Join(dir, "walk.bag"))
	before, err := os.Stat(filepath.Join(dir, "walk.bag"))
	if err != nil {
		t.Fatal(err)
	}
	if m := v.must("record.start", object{"name": "walk"}); m["file"] == "walk.bag" {
		t.Error("a recording was replaced")
	}
	v.must("record.stop", nil)
	if after, err := os.Stat(filepath.Join(dir, "walk.bag")); err != nil || after.Size() != before.Size() {
		t.Errorf("the first recording changed: %v, %v", after, err)
	}
}

// Events of a source that is no longer shown aren't taken for the new one's.
func TestOldSource(t *testing.T) {
	s, v, _ := start(t, Options{}, "sim")
	old := s.current().(*camera)
	if err := s.Show(t.Context(), walk, "", ""); err != nil {
		t.Fatal(err)
	}
	old.StatusChanged(camdriver.Status{})
	old.OptionChanged(0, camdriver.OptionExposure, 1)
	v.send(object{"op": "pause", "id": 1})
	for source := v.text("source"); source != nil; {
		m, _ := v.read()
		switch m["op"] {
		case "state":
			if m["position"] == nil {
				t.Errorf("the recording's state is %v", m)
			}
		case "option":
			t.Errorf("the recording's option is %v", m)
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
	v.must("pause", nil)
	v.send(object{"op": "subscribe", "stream": depth, "codec": "raw", "divisor": 1})
	first, _, _ := v.binary() // the position is shown again
	sequence := first.Sequence
	see := func() uint64 {
		t.Helper()
		v.send(object{"op": "credit", "stream": depth, "upto": sequence})
		h, _, _ := v.binary()
		sequence = h.Sequence
		return h.Number
	}
	v.must("seek", object{"set": 0})
	base := see()
	v.must("step", object{"sets": 2})
	if n := see(); n != base+2 {
		t.Errorf("two sets further is frame %d, want %d", n, base+2)
	}
	v.must("step", object{"sets": -1})
	if n := see(); n != base+1 {
		t.Errorf("one set back is frame %d, want %d", n, base+1)
	}
	v.must("seek", object{"stream": depth, "frame": base + 2})
	if n := see(); n != base+2 {
		t.Errorf("seek to frame %d showed %d", base+2, n)
	}
	for op, fields := range map[string]object{
		"option": {"sensor": 0, "option": "Exposure", "value": 1}, "rate": {"rate": 1000}, "range": {"range": []string{"5", "1"}}, "seek": {}, "open": {"file": "x.bag"}, "fly": {},
	} {
		if m := v.ask(op, fields); m["ok"] != false {
			t.Errorf("%s: %v", op, m)
		}
	}
	v.must("rate", object{"rate": 2})
	v.must("loop", object{"on": true})
	v.must("play", nil)
	for st := v.text("state"); st["round"].(float64) < 1; st = v.text("state") { //nolint:revive // waits for the second round
	}
	v.must("open", object{"device": "sim"})
}

// Viewers without control change nothing.
func TestViewOnly(t *testing.T) {
	_, v, hello := start(t, Options{ViewOnly: true}, walk)
	if hello["viewOnly"] != true {
		t.Errorf("hello %v", hello)
	}
	for _, op := range []string{"play", "pause", "seek", "open", "record.start", "option"} {
		if m := v.ask(op, object{"time": "0"}); m["ok"] != false {
			t.Errorf("%s: %v", op, m)
		}
	}
}

// Messages that violate the protocol close the connection.
func TestNonsense(t *testing.T) {
	for _, text := range []string{"", "{", `{"op":"fly"}`, `{"op":"subscribe","stream":1,"codec":"raw","divisor":0}`} {
		_, v, _ := start(t, Options{}, "")
		if err := v.conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		var err error
		for err == nil {
			_, _, err = v.conn.Read(t.Context())
		}
		if websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A recording whose reader panics ends the viewer that opened it. Others are still answered, and the
// server can be closed.
func TestPanic(t *testing.T) {
	s, v, _ := start(t, Options{Open: func(ctx context.Context, device string) (camdriver.Device, error) {
		if device == "sim" {
			panic("a hostile recording")
		}
		return openDevice(ctx, device)
	}}, walk)
	h := httptest.NewServer(s)
	defer h.Close()
	other := connect(t, h.URL)
	v.send(object{"op": "open", "id": 1, "device": "sim"})
	var err error
	for err == nil {
		_, _, err = v.conn.Read(t.Context())
	}
	if websocket.CloseStatus(err) != websocket.StatusInternalError {
		t.Errorf("the viewer saw %v", err)
	}
	other.must("pause", nil)
}

// A viewer that subscribes during playback, and receives no frame before it pauses, is shown the
// current position.
func TestPausedBeforeFirstFrame(t *testing.T) {
	s, v, hello := start(t, Options{}, walk)
	depth := streams(hello["source"])["Depth_0"]
	v.must("rate", object{"rate": 0.01}) // the next frame is far away
	v.send(object{"op": "subscribe", "stream": depth, "codec": "raw", "divisor": 1})
	g := s.current()
	for seen := 0; seen < 3; seen++ { // ticks while it plays
		v.text("state")
	}
	if g.(*camera).file.Status().State == replay.Paused {
		t.Fatal("it doesn't play")
	}
	v.must("pause", nil)
	v.binary()
}
