package rsbag

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/camdriver"
	"rsros/test/need"
)

func TestGaps(t *testing.T) {
	f := openSample(t, "sw_small_pause")
	if !IsRecording(f.Bag()) {
		t.Error("not taken for a recording")
	}
	missing, damaged, why := f.Gaps()
	if why != nil || damaged != 0 || missing[camdriver.DepthStream] != 20 || missing[camdriver.GyroStream] != 120 {
		t.Errorf("missing %v, damaged %d, %v", missing, damaged, why)
	}
}

// TestPlayableAtEveryInstant copies a file that is being written, as a kill or a
// power cut would leave it.
func TestPlayableAtEveryInstant(t *testing.T) {
	dir := t.TempDir()
	var cuts []string
	for name, o := range sinks() {
		t.Run(name, func(t *testing.T) {
			path, cut := filepath.Join(dir, name+".bag"), filepath.Join(dir, name+"-cut.bag")
			cuts = append(cuts, cut)
			snap := testSnapshot()
			r, err := NewRecorder(path, snap, RecorderOptions{Bag: o})
			need.Must(t, err)
			defer r.Close()
			last := 0
			for i := range 30 {
				for _, s := range snap.Streams {
					need.Must(t, r.Frame(s.Sensor, testFrame(s.Profile, i, arrival(float64(i)*33))))
				}
				data, err := os.ReadFile(path)
				if err != nil || os.WriteFile(cut, data, 0o666) != nil {
					t.Fatal(err)
				}
				f, err := Open(cut, Options{})
				if err != nil {
					t.Fatalf("after frame %d: %v", i, err)
				}
				n := len(walk(t, f))
				if len(f.Snapshot().Streams) != len(snap.Streams) || n < last {
					t.Fatalf("after frame %d: %d streams, %d events, had %d", i, len(f.Snapshot().Streams), n, last)
				}
				last = n
				f.Close()
			}
		})
	}
	playable(t, cuts...)
}
