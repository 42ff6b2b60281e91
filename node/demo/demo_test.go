package demo

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/live"
	"rsros/program"
	"rsros/test/need"
	"rsros/test/rig"
)

// smallStreams keep a test's frames small; and quickly drawn.
func smallStreams() live.StreamSettings {
	return live.StreamSettings{
		{Kind: camdriver.Depth}: {Width: 424, Height: 240, FPS: 15},
		{Kind: camdriver.Color}: {Width: 424, Height: 240, FPS: 15},
	}
}

// The demo is the main job end to end: master, camera, recorder, player and
// subscribers, in one process.
func TestDemo(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	err := Run(t.Context(), Options{
		Output: dir, Duration: time.Second, Streams: smallStreams(), Out: &out, Log: zerolog.New(zerolog.NewTestWriter(t)),
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range []string{"Depth_0", "Infrared_2", "Color_0", "Gyro_0", "Accel_0", "nothing was lost or changed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report doesn't mention %q:\n%s", want, &out)
		}
	}
	f, err := rsbag.Open(filepath.Join(dir, "demo.bag"), rsbag.Options{})
	need.Must(t, err)
	defer f.Close()
	if n := f.Frames(camdriver.DepthStream); n < 10 {
		t.Errorf("the bag that was kept has %d depth frames of a second", n)
	}
}

func TestDemoRemovesItsBag(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	var out bytes.Buffer
	err := Run(t.Context(), Options{Duration: 300 * time.Millisecond, Streams: smallStreams(), Out: &out, Log: zerolog.Nop()})
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The judge itself is judged: a lost, a changed and a doubled frame are seen.
func TestLedgerSeesWhatIsWrong(t *testing.T) {
	id := camdriver.DepthStream
	message := func(number uint32, pixels ...byte) []byte {
		head := msgs.ImageHead{Header: msgs.Header{Seq: number, Stamp: 1}, DataLen: uint32(len(pixels))}
		return append(msgs.Marshal(&head), pixels...)
	}
	for name, c := range map[string]struct {
		replayed      [][]byte
		same, changed uint64
	}{
		"all":               {[][]byte{message(1, 1, 0), message(2, 2, 0)}, 2, 0},
		"one lost":          {[][]byte{message(1, 1, 0)}, 1, 0},
		"a pixel changed":   {[][]byte{message(1, 1, 0), message(2, 2, 1)}, 1, 1},
		"one twice":         {[][]byte{message(1, 1, 0), message(1, 1, 0)}, 1, 0},
		"one never given":   {[][]byte{message(7, 1, 0)}, 0, 1},
		"cut in the header": {[][]byte{message(1)[:10]}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger()
			for n := range uint16(2) {
				f := rig.DepthFrame(0.001, n+1)
				f.Number = uint64(n) + 1
				l.Frame(0, f)
			}
			for _, m := range c.replayed {
				l.replayed(id, m, time.Now())
			}
			if e := l.entry(id); e.same != c.same || e.changed != c.changed {
				t.Errorf("%d same and %d changed, want %d and %d", e.same, e.changed, c.same, c.changed)
			}
		})
	}
}

func TestReportRefusesALostFrame(t *testing.T) {
	id := camdriver.DepthStream
	l := newLedger()
	l.profiles = [][]camdriver.Profile{{{Stream: id, Width: 1, Height: 1}}}
	l.Frame(0, rig.DepthFrame(0.001, 1))
	d := &demo{Options: Options{Out: &bytes.Buffer{}}, ledger: l, clocks: 1}
	if err := d.report(); !errors.Is(err, program.ErrIncomplete) {
		t.Errorf("a frame that never came: %v", err)
	}
}
