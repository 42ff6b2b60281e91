package trigger

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/sim"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// camera says how one of the cameras of a recording takes its images.
type camera struct {
	fps    int
	phase  time.Duration // of the first frame
	ppm    float64       // its shutter is that much slower
	own    bool          // stamps are of its own clock, which gains clock ppm
	clock  float64
	lose   []int
	stall  int // frame 900 and so many after it are recorded 30 ms late
	jumpAt int // the frame at which the stamps jump by 100 ms; 0: none
}

const seconds = 60

// record records simulated cameras, in turns. Frames arrive 20 ms late, with 2 ms of jitter; stamps have 0.1 ms of it.
func record(t *testing.T, cameras []camera) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.bag")
	var first *rsbag.Recorder
	var recorders []*rsbag.Recorder
	var profiles []camdriver.Profile
	for i := range cameras {
		dev, err := sim.Open(sim.Options{Serial: string(rune('1' + i))})
		need.Must(t, err)
		profile := dev.Sensors()[0].Profiles()[0]
		snap := camdriver.Snapshot(dev, [][]camdriver.Profile{{profile}})
		need.Must(t, dev.Close())
		var r *rsbag.Recorder
		if first == nil {
			r, err = rsbag.NewRecorder(path, snap, rsbag.RecorderOptions{})
			first = r
		} else {
			r, err = first.Join(i, snap)
		}
		need.Must(t, err)
		recorders, profiles = append(recorders, r), append(profiles, profile)
	}
	type event struct {
		at, arrival time.Duration
		camera, n   int
	}
	var events []event
	random := rand.New(rand.NewPCG(1, 2))
	for i, c := range cameras {
		for n := range seconds * c.fps {
			at := c.phase + time.Duration(float64(n)*1e9/float64(c.fps)*(1+c.ppm*1e-6))
			late := time.Duration(0)
			if n >= 900 && n < 900+c.stall {
				late = 30 * time.Millisecond
			}
			events = append(events, event{at, late + at + 20*time.Millisecond + time.Duration(random.IntN(2_000_000)), i, n})
		}
	}
	slices.SortFunc(events, func(a, b event) int { return int(a.arrival - b.arrival) })
	start := time.Unix(1_700_000_000, 0)
	for _, e := range events {
		c := cameras[e.camera]
		if slices.Contains(c.lose, e.n) {
			continue
		}
		f := camdriver.NewFrame(nil)
		f.Profile, f.Width, f.Height, f.Stride, f.Data, f.DepthUnits = profiles[e.camera], 4, 1, 8, make([]byte, 8), 0.001
		stamp := e.at + time.Duration(random.IntN(100_000))
		f.Number, f.Arrival, f.Domain = uint64(e.n+1), start.Add(e.arrival), camdriver.GlobalTime
		f.Timestamp = float64(start.UnixMilli()) + float64(stamp)/1e6
		if c.own {
			f.Domain, f.Timestamp = camdriver.HardwareClock, 5000*float64(e.camera+1)+float64(stamp)*(1+c.clock*1e-6)/1e6
		}
		if c.jumpAt > 0 && e.n >= c.jumpAt {
			f.Timestamp += 100
		}
		need.Must(t, recorders[e.camera].Frame(0, f))
	}
	need.Must(t, first.Close())
	return path
}

// TestCases checks the verdicts about cameras whose triggers, clocks and losses are known.
func TestCases(t *testing.T) {
	for name, c := range map[string]struct {
		a, b          camera
		want          Verdict
		offset, drift float64 // within 0.2 ms, and 1 ppm
		clock, notes  string
		alone         [2]int // -1: half a period apart, either may be the partner
		jump          float64
		stamps        float64
	}{
		"a common trigger":       {a: camera{fps: 30}, b: camera{fps: 30}, want: Together, clock: "Global Time"},
		"free running":           {a: camera{fps: 30}, b: camera{fps: 30, phase: 7 * time.Millisecond, ppm: -15}, want: Free, offset: 7 - 0.45, drift: -15, clock: "Global Time"},
		"a drift of 20 ppm":      {a: camera{fps: 30}, b: camera{fps: 30, ppm: 20}, want: Free, offset: 0.6, drift: 20, clock: "Global Time"},
		"round the period":       {a: camera{fps: 90}, b: camera{fps: 90, phase: 3 * time.Millisecond, ppm: 200}, want: Free, offset: 9999, drift: 200, clock: "Global Time", alone: [2]int{-1}},
		"triggered with a delay": {a: camera{fps: 30}, b: camera{fps: 30, phase: -8 * time.Millisecond}, want: Together, offset: -8, clock: "Global Time", notes: "later than the other"},
		"a host that stalls":     {a: camera{fps: 30}, b: camera{fps: 30, stall: 12}, want: Together, clock: "Global Time"},
		"lost frames":            {a: camera{fps: 30}, b: camera{fps: 30, lose: []int{500, 900, 901}}, want: Together, clock: "Global Time", alone: [2]int{3, 0}},
		"a clock that jumps":     {a: camera{fps: 30}, b: camera{fps: 30, jumpAt: 900}, want: Together, clock: timesOfRecording, jump: 100, notes: "device_1's stamps jump"},
		"clocks of their own":    {a: camera{fps: 30, own: true}, b: camera{fps: 30, own: true, clock: 30}, want: Together, clock: timesOfRecording, stamps: 30, notes: "own clock"},
		"free, by own clocks":    {a: camera{fps: 30, own: true}, b: camera{fps: 30, own: true, ppm: 100}, want: Free, offset: 3, drift: 100, clock: timesOfRecording, stamps: 100},
		"other rates":            {a: camera{fps: 30}, b: camera{fps: 15}, want: Different, clock: "Global Time"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Analyse(t.Context(), samplebag.Open(t, record(t, []camera{c.a, c.b})))
			need.Must(t, err)
			if len(r.Pairs) != 1 || len(r.Streams) != 2 {
				t.Fatalf("%d streams, %d pairs", len(r.Streams), len(r.Pairs))
			}
			p := r.Pairs[0]
			var text strings.Builder
			r.WriteText(&text)
			t.Log(text.String())
			drift := 1.
			if c.clock == timesOfRecording {
				drift = 6
			}
			if p.Verdict != c.want || !strings.Contains(p.Clock, c.clock) || r.Synchronised() != (c.want == Together) || !strings.Contains(strings.Join(p.Notes, "; "), c.notes) {
				t.Errorf("%s by %s (%q), want %s by %s", p.Verdict, p.Clock, p.Notes, c.want, c.clock)
			}
			if c.offset != 9999 && math.Abs(p.Offset-c.offset) > 0.2 || math.Abs(p.Drift-c.drift) > drift {
				t.Errorf("offset %.3f ms, drift %.2f ppm ± %.2f, want %.3f, %.2f", p.Offset, p.Drift, p.DriftLimit, c.offset, c.drift)
			}
			if c.alone[0] >= 0 && (p.AloneA != c.alone[0] || p.AloneB != c.alone[1] || r.Streams[1].Missing != uint64(c.alone[0])) {
				t.Errorf("%d and %d without a partner, %d missing; want %v", p.AloneA, p.AloneB, r.Streams[1].Missing, c.alone)
			}
			if c.offset > 1 && c.offset != 9999 && p.Leads != "device_0 Depth_0" || c.offset < -1 && p.Leads != "device_1 Depth_0" {
				t.Errorf("%q leads", p.Leads)
			}
			if jumps := r.Streams[1].Jumps; len(jumps) != min(1, int(c.jump)) || len(jumps) == 1 && (math.Abs(jumps[0].By-c.jump) > 2 || math.Abs(jumps[0].At-30) > 0.1) || len(r.Streams[0].Jumps) > 0 {
				t.Errorf("jumps %v", jumps)
			}
			if c.stamps != 0 && (p.StampsDrift == nil || math.Abs(*p.StampsDrift-c.stamps) > 1) {
				t.Errorf("stamps drift %v ppm, want %v", p.StampsDrift, c.stamps)
			}
		})
	}
}

// TestForms checks that the report is text, JSON and a picture, also of a recording with a frame or two.
func TestForms(t *testing.T) {
	for _, path := range []string{record(t, []camera{{fps: 1}, {fps: 1}, {fps: 1}}), samplebag.Cameras(t, "front/color.jpeg", "robot1/wrist/depth.raw", "front/depth.raw")} {
		r, err := Analyse(t.Context(), samplebag.Open(t, path))
		need.Must(t, err)
		var text, picture bytes.Buffer
		r.WriteText(&text)
		if strings.Count(text.String(), "\n") < len(r.Pairs)+len(r.Streams) {
			t.Errorf("text %s", text.String())
		}
		if out, err := json.Marshal(r); err != nil || !json.Valid(out) {
			t.Errorf("JSON: %v", err)
		}
		need.Must(t, r.WriteSVG(&picture))
		d := xml.NewDecoder(&picture)
		for err = nil; err == nil; _, err = d.Token() {
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("SVG: %v", err)
		}
	}
}
