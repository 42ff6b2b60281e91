package live

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/naming"
	"rsros/node/transport"
	"rsros/ros"
	"rsros/test/need"
)

// Statuses have the names and texts that monitors of realsense2_camera expect.
func TestDiagnosticsNames(t *testing.T) {
	_, n := startTestLive(t, Options{})
	const manager = "camera/realsense2_camera_manager"
	found := map[string]msgs.DiagnosticStatus{}
	wanted := []string{
		manager + "_depth: Frequency Status", manager + "_color: Frequency Status", manager + "_gyro: Frequency Status",
		manager + ": Asic Temperature", manager + ": Projector Temperature", manager + ": Drops",
	}
	done := make(chan struct{})
	s, err := n.Subscribe(ros.SubscriberOptions{Topic: "/diagnostics"}, func(r ros.Received) {
		var m msgs.DiagnosticArray
		if err := msgs.Unmarshal(r.Data, &m); err != nil {
			t.Error(err)
		}
		if len(found) > 0 {
			return
		}
		for _, status := range m.Status {
			found[status.Name] = status
		}
		close(done)
	})
	need.Must(t, err)
	<-done
	s.Close()
	for _, name := range wanted {
		status, ok := found[name]
		if !ok || status.HardwareID != "000000000000" {
			t.Errorf("%s: %+v in %v", name, status, found)
		}
	}
	if values := found[manager+": Asic Temperature"].Values; len(values) != 1 || values[0].Key != "Index" || values[0].Value != "41" {
		t.Errorf("temperature %+v", values)
	}
}

func TestFrequency(t *testing.T) {
	at := time.Unix(100, 0)
	f := newFrequency(at)
	p := camdriver.Profile{FPS: 6}
	frames := uint64(0)
	// The window is five seconds; one frame more or less is no failure.
	for i, events := range []uint64{5, 7, 6, 7, 5, 6} {
		at, frames = at.Add(time.Second), frames+events
		s := f.update(p, at, frames, 0)
		if i > 0 && s.Message != "Desired frequency met" {
			t.Errorf("second %d: %+v", i, s)
		}
	}
	for _, want := range []string{"Frequency too low.", "Frequency too low.", "Frequency too low.", "Frequency too low.", "No events recorded."} {
		at = at.Add(time.Second)
		if s := f.update(p, at, frames, 3); s.Message != want || !slices.Contains(s.Values, msgs.KeyValue{Key: "Frames lost before arrival", Value: "3"}) {
			t.Errorf("%+v, want %s", s, want)
		}
	}
	if s := f.update(p, at.Add(time.Second), frames+90, 3); s.Message != "Frequency too high." || s.Level != msgs.DiagnosticWarn {
		t.Errorf("%+v", s)
	}
}

// A drop warns once, and stays counted.
func TestDropsInDiagnostics(t *testing.T) {
	sets := uint64(0)
	topic := transport.Drops{Topic: "/camera/color/image_raw/compressed", Dropped: 4}
	d := &diagnostics{camera: &camera{drops: []func() naming.Drops{
		func() naming.Drops { return naming.Drops{Sets: sets} },
		func() naming.Drops { return naming.Drops{Topics: []transport.Drops{topic}} },
	}}}
	for _, want := range []struct {
		sets  uint64
		level byte
		text  string
	}{{0, msgs.DiagnosticWarn, "4 dropped"}, {0, msgs.DiagnosticOK, "nothing"}, {3, msgs.DiagnosticWarn, "3 dropped"}} {
		sets = want.sets
		s := d.dropped()
		if s.Level != want.level || !strings.HasPrefix(s.Message, want.text) ||
			!slices.Contains(s.Values, msgs.KeyValue{Key: topic.Topic + ": not compressed", Value: "4"}) {
			t.Errorf("%+v, want %+v", s, want)
		}
	}
}
