package page

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/test/peer"
	"rsros/viewer/page"
)

// policy is the content security policy with which the program serves the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
	"worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// object is a JSON object.
type object = map[string]any

// program speaks docs/view-protocol.md to one page at a time, with frames that the test chooses. It can
// do what the real program can't on demand: stop frames, damage one, drop the connection.
type program struct {
	t   testing.TB
	url string

	mu       sync.Mutex
	conn     *websocket.Conn
	source   object
	state    object
	record   object
	lanes    map[int]*lane
	requests []object // requests from the page, oldest first
	handle   func(p *program, request object) (object, error)
	held     bool // frames aren't passed on
}

// lane is one subscribed stream.
type lane struct {
	codec    string
	divisor  int
	sequence uint32
	credited uint32
	given    int
	skipped  int
	pending  uint32 // skipped since the last one sent
	waiting  []byte // newest frame without credit
}

func startProgram(t testing.TB, source object) *program {
	t.Helper()
	p := &program{t: t, source: source, lanes: map[int]*lane{},
		state:  object{"playing": true, "position": nil, "rate": 1, "loop": false, "range": nil, "ended": false},
		record: object{"on": false, "paused": false, "file": "", "seconds": 0, "bytes": 0, "free": 64e9, "drops": 0, "part": 1, "streams": []int{}}}
	pages, err := page.Handler()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("/api/ws", p.serve)
	modules := bundled(t)
	mux.HandleFunc("/modules.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Write(modules)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	}))
	p.url = server.URL
	t.Cleanup(func() {
		p.disconnect()
		server.Close()
	})
	return p
}

func (p *program) serve(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"rs-ros.view.v1"}})
	if err != nil {
		return
	}
	p.mu.Lock()
	p.conn = conn
	p.lanes = map[int]*lane{}
	p.send(object{"op": "hello", "version": 1, "viewer": 1, "viewOnly": false, "now": nanos(time.Now()), "source": p.source, "state": p.state,
		"record": p.record, "files": false, "candidates": []object{{"id": "sim", "name": "Simulated camera"}}})
	p.mu.Unlock()
	for {
		_, text, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		var request object
		if json.Unmarshal(text, &request) != nil {
			p.t.Errorf("the page sent %q", text)
			return
		}
		p.answer(request)
	}
}

func nanos(at time.Time) string { return strconv.FormatInt(at.UnixNano(), 10) }

// send sends a text message; p.mu is held.
func (p *program) send(message object) {
	if p.conn == nil {
		return
	}
	text, err := json.Marshal(message)
	if err != nil {
		p.t.Error(err)
		return
	}
	_ = p.conn.Write(context.Background(), websocket.MessageText, text)
}

// tell sends a text message.
func (p *program) tell(message object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.send(message)
}

// hold stops and starts the frames.
func (p *program) hold(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = on
}

// await waits until a condition on the program is true; p.mu is held while it is evaluated.
func (p *program) await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	peer.Await(t, what, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return condition()
	})
}

// disconnect closes the page's connection.
func (p *program) disconnect() {
	p.mu.Lock()
	conn := p.conn
	p.conn = nil
	p.mu.Unlock()
	if conn != nil {
		conn.CloseNow()
	}
}

func (p *program) answer(request object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := func() int { n, _ := request["stream"].(float64); return int(n) }
	switch request["op"] {
	case "subscribe":
		l := p.lanes[id()]
		if l == nil {
			l = &lane{}
			p.lanes[id()] = l
		}
		l.codec, _ = request["codec"].(string)
		n, _ := request["divisor"].(float64)
		l.divisor = int(n)
	case "unsubscribe":
		delete(p.lanes, id())
	case "credit":
		if l := p.lanes[id()]; l != nil {
			upto, _ := request["upto"].(float64)
			l.credited = max(l.credited, uint32(upto))
			p.flush(l)
		}
	case "ping":
		p.send(object{"op": "pong", "t": request["t"], "now": nanos(time.Now())})
	default:
		p.requests = append(p.requests, request)
		result, err := object{}, errors.ErrUnsupported
		if p.handle != nil {
			result, err = p.handle(p, request)
		}
		answer := object{"op": "answer", "id": request["id"], "ok": err == nil}
		for k, v := range result {
			answer[k] = v
		}
		if err != nil {
			answer["error"] = err.Error()
		}
		p.send(answer)
	}
}

// update merges fields into the state or the record and notifies the page; p.mu is held.
func (p *program) update(op string, of object, fields object) {
	message := object{"op": op}
	for k, v := range fields {
		of[k] = v
	}
	for k, v := range of {
		message[k] = v
	}
	p.send(message)
}

func (p *program) flush(l *lane) {
	if l.waiting == nil || l.sequence-l.credited >= 2 {
		return
	}
	l.sequence++
	binary.LittleEndian.PutUint32(l.waiting[4:], l.sequence)
	binary.LittleEndian.PutUint32(l.waiting[44:], l.pending)
	if p.conn != nil {
		_ = p.conn.Write(context.Background(), websocket.MessageBinary, l.waiting)
	}
	l.waiting, l.pending = nil, 0
}

// give offers a frame to the page: it is sent when there is credit, unless a newer one comes first.
func (p *program) give(stream int, f *camdriver.Frame) {
	p.offer(stream, f.Profile.Stream.Kind.Inertial(), func(codec string) []byte { return messageOf(stream, f, codec) })
}

// offer offers the page a message, encoded in the form that it subscribed to, and reports whether it
// had subscribed. Free ones, such as motion, need no credit.
func (p *program) offer(stream int, free bool, make func(codec string) []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[stream]
	if l == nil || p.held {
		return false
	}
	l.given++
	if free {
		l.credited = l.sequence
	}
	if l.waiting != nil {
		l.skipped++
		l.pending++
	}
	l.waiting = make(l.codec)
	p.flush(l)
	return true
}

// messageOf returns a frame as a binary message, with sequence number and skipped 0.
func messageOf(stream int, f *camdriver.Frame, codec string) []byte {
	kind, form, body, metadata := byte(1), byte(0), f.Data, []byte(nil)
	if f.Profile.Stream.Kind.Inertial() {
		kind, form = 2, 4
		v := f.Motion.Gyro
		if f.Profile.Stream.Kind == camdriver.Accel {
			v = f.Motion.Accel
		}
		body = nil
		for _, x := range []float64{0, v[0], v[1], v[2]} {
			body = binary.LittleEndian.AppendUint64(body, math.Float64bits(x))
		}
	} else {
		values := object{}
		for _, m := range f.Metadata {
			values[m.Key.String()] = m.Value
		}
		metadata, _ = json.Marshal(object{"timestamp": f.Timestamp, "domain": f.Domain.String(), "format": f.Profile.Format.String(), "values": values})
		if codec == "packed" && f.Profile.Format == camdriver.Z16 {
			form, body = 1, bandsOf(f.Data, f.Width, f.Height, 2)
		}
	}
	b := []byte{kind, form}
	b = binary.LittleEndian.AppendUint16(b, uint16(stream))
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, f.Number)
	b = binary.LittleEndian.AppendUint64(b, uint64(time.Now().UnixNano()))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.Arrival.UnixNano()))
	b = binary.LittleEndian.AppendUint16(b, uint16(f.Width))
	b = binary.LittleEndian.AppendUint16(b, uint16(f.Height))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.Stride))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(metadata)))
	b = binary.LittleEndian.AppendUint32(b, 0)
	return append(append(b, metadata...), body...)
}

// streamOf describes a profile to the page.
func streamOf(id, sensor int, p camdriver.Profile, in *camdriver.Intrinsics, units float32) object {
	o := object{"id": id, "kind": "video", "name": p.Stream.String(), "sensor": sensor, "format": p.Format.String(), "width": p.Width, "height": p.Height, "fps": p.FPS}
	if p.Stream.Kind.Inertial() {
		o["kind"] = "motion"
	}
	if units != 0 {
		o["depthUnits"] = units
	}
	if in != nil {
		o["intrinsics"] = object{"width": in.Width, "height": in.Height, "fx": in.Fx, "fy": in.Fy, "ppx": in.Ppx, "ppy": in.Ppy, "model": in.Model.String(), "coeffs": in.Coeffs}
	}
	return o
}

// live answers the requests for a camera.
func live(p *program, request object) (object, error) {
	switch request["op"] {
	case "play", "pause":
		p.update("state", p.state, object{"playing": request["op"] == "play"})
	case "option":
		p.send(object{"op": "option", "sensor": request["sensor"], "id": request["option"], "value": request["value"]})
	case "record.start":
		p.update("record", p.record, object{"on": true, "file": "walk.bag", "seconds": 83, "bytes": 1.2e9, "streams": []int{1, 2, 3}})
	case "record.stop":
		p.update("record", p.record, object{"on": false})
	default:
		return nil, errors.ErrUnsupported
	}
	return nil, nil
}

// camera runs a device and passes its frames to the page.
type camera struct {
	camdriver.NopHandler
	p    *program
	ids  map[camdriver.StreamID]int
	mu   sync.Mutex
	seen map[int]map[uint64]uint64 // hash of each frame's pixels, by stream and number
}

// Frame implements camdriver.Handler.
func (c *camera) Frame(_ int, f *camdriver.Frame) {
	id := c.ids[f.Profile.Stream]
	c.mu.Lock()
	if c.seen[id] == nil {
		c.seen[id] = map[uint64]uint64{}
	}
	c.seen[id][f.Number] = hashOf(f.Data)
	c.mu.Unlock()
	c.p.give(id, f)
}

// newest returns the highest number of a stream's frames.
func (c *camera) newest(id int) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Max(slices.Collect(maps.Keys(c.seen[id])))
}

// hashOf returns FNV-1a over the pixels, 32 bits, as the page computes it.
func hashOf(b []byte) uint64 {
	h := uint32(2166136261)
	for _, v := range b {
		h = (h ^ uint32(v)) * 16777619
	}
	return uint64(h)
}

// pageHash computes hashOf of a stream's pixels in its texture, with the number of its frame: "number
// hash".
const pageHash = `(() => {
	const v = window.viewer, view = v.store.views.value.get($1), u = v.stage.value.textures.get(view)
	if (!u || !view.frame) return ''
	const whole = v.stage.value.textures.whole(u)
	let h = 2166136261
	for (let i = 0; i < whole.length; i += 4) {
		h = Math.imul(h ^ (whole[i] & 255), 16777619)
		h = Math.imul(h ^ (whole[i] >>> 8), 16777619)
	}
	return view.frame.head.number + ' ' + (h >>> 0)
})()`

// startCamera starts the profiles of a device and opens a page on it.
func startCamera(t *testing.T, d camdriver.Device, wanted ...camdriver.Profile) (*program, *camera) {
	t.Helper()
	c := &camera{ids: map[camdriver.StreamID]int{}, seen: map[int]map[uint64]uint64{}}
	var streams, sensors []object
	for i, s := range d.Sensors() {
		var options []object
		for _, o := range s.Options() {
			options = append(options, object{"id": o.ID.String(), "name": o.ID.String(), "description": o.Description, "value": o.Value, "min": o.Min, "max": o.Max, "step": o.Step, "default": o.Default, "readOnly": o.ReadOnly})
		}
		sensors = append(sensors, object{"id": i, "name": s.Name(), "options": options})
		for _, p := range s.Profiles() {
			if !slices.Contains(wanted, p) {
				continue
			}
			id := len(streams) + 1
			c.ids[p.Stream] = id
			units := float32(0)
			var in *camdriver.Intrinsics
			if p.Stream.Kind.Video() {
				if got, err := s.Intrinsics(p); err == nil {
					in = &got
				}
				if p.Format == camdriver.Z16 {
					units = 0.001
				}
			}
			streams = append(streams, streamOf(id, i, p, in, units))
		}
	}
	var info [][2]string
	for _, i := range d.Info() {
		info = append(info, [2]string{i.Key.String(), i.Value})
	}
	p := startProgram(t, object{"kind": "camera", "name": "Simulated D435i", "info": info, "sensors": sensors, "streams": streams})
	c.p = p
	p.handle = live
	for _, s := range d.Sensors() {
		var some []camdriver.Profile
		for _, profile := range s.Profiles() {
			if slices.Contains(wanted, profile) {
				some = append(some, profile)
			}
		}
		if len(some) == 0 {
			continue
		}
		if err := s.Start(some, c); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { d.Close() })
	return p, c
}

// recording is a file that the program plays.
type recording struct {
	p      *program
	frames []*camdriver.Frame // in time order
	times  []time.Duration    // of frames, in the file
	ids    map[camdriver.StreamID]int
	sets   []int // indexes of the depth frames
	at     int   // index of the last frame given
}

// startRecording opens a page on a recording, paused at its start.
func startRecording(t *testing.T, bag string) (*program, *recording) {
	t.Helper()
	file, err := rsbag.Open(bag, rsbag.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cursor := file.Cursor(rsbag.CursorOptions{})
	defer cursor.Close()
	r := &recording{ids: map[camdriver.StreamID]int{}, at: -1}
	var streams []object
	for {
		e, ok := cursor.Next()
		if !ok {
			break
		}
		if e.Frame == nil || e.Frame.Profile.Stream.Kind == camdriver.Pose {
			continue
		}
		id := e.Frame.Profile.Stream
		if r.ids[id] == 0 {
			r.ids[id] = len(streams) + 1
			streams = append(streams, streamOf(r.ids[id], 0, e.Frame.Profile, nil, e.Frame.DepthUnits))
		}
		f := e.Frame.Retain()
		t.Cleanup(f.Release)
		r.frames = append(r.frames, f)
	}
	slices.SortStableFunc(r.frames, func(a, b *camdriver.Frame) int { return cmp.Compare(a.Arrival.UnixNano(), b.Arrival.UnixNano()) })
	start := r.frames[0].Arrival
	for i, f := range r.frames {
		r.times = append(r.times, f.Arrival.Sub(start))
		if f.Profile.Stream.Kind == camdriver.Depth {
			r.sets = append(r.sets, i)
		}
	}
	slices.SortFunc(streams, func(a, b object) int { return strings.Compare(a["name"].(string), b["name"].(string)) })
	end := r.times[len(r.times)-1]
	r.p = startProgram(t, object{"kind": "file", "name": "Recording", "file": "walk.bag", "info": [][2]string{}, "sensors": []object{}, "streams": streams,
		"start": "0", "end": strconv.Itoa(int(end)), "frameSets": len(r.sets),
		"marks": []object{{"time": strconv.Itoa(int(end / 3)), "kind": "notification", "text": "synthetic hardware event"}, {"time": strconv.Itoa(int(end / 2)), "kind": "loss", "stream": 1, "text": "2 frames"}}})
	r.p.state["playing"], r.p.state["position"], r.p.state["set"] = false, "0", 0
	r.p.handle = r.request
	return r.p, r
}

// request handles playback requests, with p.mu held. Frames are given after the answer.
func (r *recording) request(p *program, request object) (object, error) {
	number := func(key string) float64 { n, _ := request[key].(float64); return n }
	switch request["op"] {
	case "play", "pause":
		p.update("state", p.state, object{"playing": request["op"] == "play"})
	case "rate":
		p.update("state", p.state, object{"rate": number("rate")})
	case "loop":
		p.update("state", p.state, object{"loop": request["on"]})
	case "range":
		p.update("state", p.state, object{"range": request["range"]})
	case "step":
		set, _ := p.state["set"].(int)
		r.show(min(len(r.sets)-1, max(0, set+int(number("sets")))))
	case "seek":
		if _, bySet := request["set"]; bySet {
			r.show(int(number("set")))
			break
		}
		at, err := strconv.Atoi(request["time"].(string))
		if err != nil {
			return nil, err
		}
		set := 0
		for i, place := range r.sets {
			if r.times[place] <= time.Duration(at) {
				set = i
			}
		}
		r.show(set)
		p.update("state", p.state, object{"position": request["time"]})
	default:
		return nil, errors.ErrUnsupported
	}
	return object{"position": p.state["position"]}, nil
}

// show moves to a frame set and gives each stream's newest frame at that time.
func (r *recording) show(set int) {
	at := r.sets[set]
	r.p.update("state", r.p.state, object{"set": set, "position": strconv.Itoa(int(r.times[at])), "playing": false})
	last := map[int]*camdriver.Frame{}
	for _, f := range r.frames[:at+1] {
		last[r.ids[f.Profile.Stream]] = f
	}
	go func() {
		for id, f := range last {
			r.p.give(id, f)
		}
	}()
}
