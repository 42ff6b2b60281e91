package rsbag

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/test/need"
)

func arrival(ms float64) time.Time { return testStart.Add(time.Duration(ms * 1e6)) }

// TestTimelinePause checks that the frame after a pause takes the time of the first one that the pause
// dropped.
func TestTimelinePause(t *testing.T) {
	depth, gyro := id(camdriver.Depth, 0), id(camdriver.Gyro, 0)
	const period = 33 * time.Millisecond
	type step struct {
		do      string // frame, imu, pause, resume, event
		arrival float64
		want    float64 // ms after the first frame; -1: skipped
	}
	for name, steps := range map[string][]step{
		"no pause":     {{"frame", 0, 0}, {"frame", 33, 33}, {"frame", 66, 66}},
		"frames drop":  {{"frame", 0, 0}, {"pause", 0, 0}, {"frame", 33, -1}, {"frame", 66, -1}, {"resume", 0, 0}, {"frame", 99, 33}, {"frame", 132, 66}},
		"none dropped": {{"frame", 0, 0}, {"pause", 0, 0}, {"resume", 0, 0}, {"frame", 5000, 33}, {"imu", 5005, 38}},
		"twice": {{"frame", 0, 0}, {"pause", 0, 0}, {"frame", 33, -1}, {"resume", 0, 0}, {"pause", 0, 0}, {"frame", 66, -1},
			{"resume", 0, 0}, {"frame", 99, 33}, {"pause", 0, 0}, {"frame", 132, -1}, {"resume", 0, 0}, {"frame", 165, 66}},
		"before the first frame": {{"pause", 0, 0}, {"frame", 0, -1}, {"frame", 33, -1}, {"resume", 0, 0}, {"frame", 66, 0}, {"frame", 99, 33}},
		"resume without pause":   {{"frame", 0, 0}, {"resume", 0, 0}, {"frame", 500, 500}},
		"late by a thread":       {{"frame", 10, 0}, {"imu", 9, -0.000998}, {"imu", 9.5, -0.000997}, {"imu", 11, 1}},
		"same arrival":           {{"frame", 0, 0}, {"frame", 0, 0.000001}, {"imu", 0, 0}, {"frame", -5, 0.000002}},
		"a source that goes back": {{"frame", 5000, 0}, {"imu", 5005, 5}, {"frame", 100, 38}, {"imu", 105, 43}, {"pause", 0, 0}, {"frame", 133, -1},
			{"resume", 0, 0}, {"frame", -3000, 71}},
		"events": {{"event", 0, -0.000998}, {"frame", 0, 0}, {"event", 7, 7}, {"event", 7, 7.000001}, {"pause", 0, 0}, {"frame", 33, -1},
			{"event", 34, 7.000002}, {"resume", 0, 0}, {"event", 70, 7.000003}, {"frame", 66, 33}, {"event", 70, 37}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newTimeline(new(axis))
			for i, s := range steps {
				var at bagstore.Time
				ok := true
				switch s.do {
				case "frame":
					at, ok = l.frame(depth, arrival(s.arrival), period)
				case "imu":
					at, ok = l.frame(gyro, arrival(s.arrival), 5*time.Millisecond)
				case "event":
					at = l.event("/t", arrival(s.arrival))
				case "pause":
					l.pause()
					continue
				case "resume":
					l.resume()
					continue
				}
				want := firstFrame + bagstore.Time(s.want*1e6+math.Copysign(0.5, s.want))
				if ok != (s.want != -1) || ok && at != want {
					t.Fatalf("step %d %s: %d ns %v, want %d", i, s.do, at, ok, want)
				}
			}
		})
	}
}

// TestTimelineRandom checks that times of a stream always increase and leave no gap: each of two
// consecutive pauses may drop a frame of the same stream.
func TestTimelineRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		l := newTimeline(new(axis))
		last := make(map[camdriver.StreamID]bagstore.Time)
		for i := range 300 {
			switch rnd.IntN(20) {
			case 0:
				l.pause()
			case 1, 2:
				l.resume()
			}
			s := id(camdriver.Infrared, 1+i%2)
			at, ok := l.frame(s, arrival(float64(i)*10+rnd.Float64()), 20*time.Millisecond)
			if !ok {
				continue
			}
			if before, had := last[s]; had && (at <= before || at-before > bagstore.Time(65*time.Millisecond)) {
				t.Fatalf("%s: %d after %d", s, at, before)
			}
			if at < earliest {
				t.Fatalf("%s: %d", s, at)
			}
			last[s] = at
		}
	}
}

// TestRecorderPause checks that nothing of the pause is in the file.
func TestRecorderPause(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	snap := testSnapshot()
	r, err := NewRecorder(path, snap, RecorderOptions{})
	need.Must(t, err)
	r.Pause()
	for i := range 40 {
		switch i {
		case 5, 30:
			r.Resume()
		case 10:
			r.Pause()
		}
		need.Must(t, r.Frame(0, testFrame(snap.Streams[0].Profile, i, arrival(float64(i)*33))))
	}
	if st := r.Stats(); st.Streams[0].Frames != 15 || st.Streams[0].Skipped != 25 {
		t.Errorf("stats %+v", st)
	}
	f := written(t, r, path, 0)
	if want := 14*33*time.Millisecond + 1000; f.Duration() != want {
		t.Errorf("duration %v, want %v", f.Duration(), want)
	}
	playable(t, path)
}
