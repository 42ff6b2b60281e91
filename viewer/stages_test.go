package viewer

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"rsros/camdriver"
	"rsros/test/need"
	"rsros/test/rig"
	"rsros/test/samplebag"
	"rsros/test/visitor"
)

// A recording that runs isn't ended by another viewer who opens something.
func TestRecordingIsKept(t *testing.T) {
	dir := t.TempDir()
	_, a, _ := start(t, Options{RecordDir: dir}, "sim")
	b := visitor.DialViewer(t, a.Page)
	b.Text("hello")
	a.Must("record.start", object{"name": "walk"})
	for a.Text("record")["bytes"].(float64) == 0 { //nolint:revive // waits
	}
	m, ok := b.Ask("open", object{"device": "sim"})
	if text, _ := m["error"].(string); ok || !strings.Contains(text, "walk.bag is being recorded") || !strings.Contains(text, "127.0.0.1:") {
		t.Errorf("opened during a recording: %v", m)
	}
	if m := a.Must("record.stop", nil); m["file"] != "walk.bag" {
		t.Errorf("recorded %v", m)
	}
	rig.CheckTake(t, filepath.Join(dir, "walk.bag"))
	b.Must("open", object{"device": "sim"})
}

// What a viewer wanted to open isn't opened for nobody.
func TestOpeningEndsWithViewer(t *testing.T) {
	opening, gone := make(chan struct{}), make(chan struct{})
	_, v, _ := start(t, Options{Open: func(ctx context.Context, _ string) (camdriver.Device, error) {
		close(opening)
		<-ctx.Done()
		close(gone)
		return nil, ctx.Err()
	}}, "")
	v.Send("open", object{"id": 1, "device": "sim"})
	<-opening
	v.Conn.CloseNow() //nolint:errcheck // it doesn't say goodbye
	<-gone
}

// A subscription of a source that was replaced meanwhile has no effect.
func TestLateSubscription(t *testing.T) {
	s, _, hello := start(t, Options{}, walk)
	old := s.stream(streams(hello["source"])["Depth_0"])
	need.Must(t, s.Show(t.Context(), "sim", "", ""))
	v := s.viewers.All()[0]
	v.subscribe(old, form{divisor: 1})
	if n, _ := v.counts(); old.watched() || len(n) != 0 {
		t.Errorf("the viewer watches a stream of the previous source: %v", n)
	}
}

// A recording waits for its first viewer, so that none misses the beginning.
func TestPlaybackWaits(t *testing.T) {
	for path, name := range map[string]string{walk: "Depth_0", samplebag.Robot(t, "robot.bag"): "/camera/image"} {
		s, v, hello := start(t, Options{}, path)
		for range 2 { // twenty updates
			v.Text("counts")
		}
		if st := s.current().state(); st.Playing {
			t.Errorf("%s: played without a viewer: %+v", path, st)
		}
		v.Subscribe(streams(hello["source"])[name])
		for v.Text("state")["playing"] != true { //nolint:revive // waits
		}
	}
}

// While it is paused, the start of a recording is its first frame set. A seek loses no frames.
func TestStart(t *testing.T) {
	_, v, hello := start(t, Options{}, walk)
	depth := streams(hello["source"])["Depth_0"]
	v.Must("pause", nil)
	v.Subscribe(depth)
	v.Must("seek", object{"set": 0})
	v.Must("seek", object{"set": hello["source"].(object)["frameSets"].(float64) - 1})
	v.Must("seek", object{"time": "0"})
	for v.Text("state")["set"] != 0.0 { //nolint:revive // waits
	}
	for i := range 2 { // the first counts may be older
		if c := v.Text("counts")["streams"].([]any); i == 1 && c[0].(object)["lost"] != 0.0 {
			t.Errorf("after seeks the counts are %v", c)
		}
	}
}

// nowhere is a device whose numbers aren't.
type nowhere struct{ camdriver.Device }

type unset struct{ camdriver.Sensor }

func (d nowhere) Extrinsics(camdriver.StreamID, camdriver.StreamID) (camdriver.Extrinsics, error) {
	return camdriver.Extrinsics{Translation: [3]float64{math.Inf(1), 0.5, math.NaN()}}, nil
}

func (d nowhere) Sensors() (list []camdriver.Sensor) {
	for _, s := range d.Device.Sensors() {
		list = append(list, unset{s})
	}
	return list
}

func (s unset) Options() []camdriver.Option {
	return []camdriver.Option{
		{ID: camdriver.OptionExposure, Value: float32(math.NaN()), Max: 1, Step: 0.001},
		{ID: camdriver.OptionEmitterEnabled, Value: 1, Max: 2, Step: 1},
	}
}

// Numbers that JSON doesn't have are null, and a choice's values have names.
func TestNumbers(t *testing.T) {
	_, _, hello := start(t, Options{Open: func(ctx context.Context, device string) (camdriver.Device, error) {
		d, err := openDevice(ctx, device)
		return nowhere{d}, err
	}}, "sim")
	text, err := json.Marshal(hello["source"])
	need.Must(t, err)
	for _, want := range []string{`"translation":[null,0.5,null]`, `"step":0.001,"value":null`, `"labels":{"0":"Off","1":"Laser","2":"Laser Auto"}`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the source has no %s: %.2000s", want, text)
		}
	}
}
