package sim

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rsros/camdriver"
)

// recorder keeps the frames of a run without their pixels.
type recorder struct {
	mu      sync.Mutex
	frames  map[camdriver.StreamID][]*camdriver.Frame
	status  []camdriver.Status
	notes   []camdriver.Notification
	options []camdriver.OptionID
	onFrame func(*camdriver.Frame)
}

func (r *recorder) Frame(_ int, f *camdriver.Frame) {
	r.mu.Lock()
	if r.frames == nil {
		r.frames = make(map[camdriver.StreamID][]*camdriver.Frame)
	}
	r.frames[f.Stream()] = append(r.frames[f.Stream()], f)
	r.mu.Unlock()
	if r.onFrame != nil {
		r.onFrame(f)
	}
}

func (r *recorder) OptionChanged(_ int, id camdriver.OptionID, _ float32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.options = append(r.options, id)
}

func (r *recorder) Notification(_ int, n camdriver.Notification) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, n)
}

func (r *recorder) StatusChanged(s camdriver.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = append(r.status, s)
}

// small gives a stream's profile of 424x240 at the given rate, or the default
// of one that is not video.
func small(s camdriver.Sensor, id camdriver.StreamID, fps int) camdriver.Profile {
	for _, p := range s.Profiles() {
		if p.Stream == id && (p.Width == 424 && p.Height == 240 && p.FPS == fps || p.Width == 0 && p.Default) {
			return p
		}
	}
	panic("no small profile of " + id.String())
}

// TestRates runs every stream for two simulated seconds: each gives all its
// frames, at exact times.
func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dev, _ := Open(Options{Pose: true, Loop: time.Second})
		defer dev.Close()
		sensors, rec := dev.Sensors(), &recorder{}
		for i, ids := range [][]camdriver.StreamID{{depthID, leftID, rightID}, {colorID}, {gyroID, accelID}, {poseID}} {
			var profiles []camdriver.Profile
			for _, id := range ids {
				profiles = append(profiles, small(sensors[i], id, 15))
			}
			if err := sensors[i].Start(profiles, rec); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2*time.Second + 20*time.Millisecond)
		for _, s := range sensors {
			s.Stop()
		}
		for id, want := range map[camdriver.StreamID]int{depthID: 30, leftID: 30, rightID: 30, colorID: 31, gyroID: 404, accelID: 128, poseID: 404} {
			got := rec.frames[id]
			if len(got) != want {
				t.Errorf("%s: %d frames, want %d", id, len(got), want)
			}
			for i, f := range got {
				if f.Number != uint64(i+1) {
					t.Fatalf("%s: frame %d has number %d", id, i, f.Number)
				}
			}
		}
		for i, f := range rec.frames[depthID] {
			if l, r := rec.frames[leftID][i], rec.frames[rightID][i]; l.Timestamp != f.Timestamp || r.Timestamp != f.Timestamp {
				t.Fatalf("exposure %d has three times: %f %f %f", i, f.Timestamp, l.Timestamp, r.Timestamp)
			}
		}
	})
}
