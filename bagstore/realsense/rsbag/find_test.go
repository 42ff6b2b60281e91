package rsbag

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/camdriver"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// largeReads counts the reads of at least min bytes.
type largeReads struct {
	*os.File
	least, n int
}

func (r *largeReads) ReadAt(p []byte, off int64) (int, error) {
	if len(p) >= r.least {
		r.n++
	}
	return r.File.ReadAt(p, off)
}

// TestFindReadsFewFrames counts the images read to find a number: a bag may be on a slow disk.
func TestFindReadsFewFrames(t *testing.T) {
	const frames, first = 32, 1000
	p := camdriver.Profile{Stream: id(camdriver.Depth, 0), Format: camdriver.Z16, Width: 512, Height: 256, FPS: 30, Default: true}
	path := filepath.Join(t.TempDir(), "a.bag")
	r, err := NewRecorder(path, camdriver.DeviceSnapshot{Reference: p.Stream,
		Sensors: []camdriver.SensorSnapshot{{Name: "Stereo Module"}}, Streams: []camdriver.StreamSnapshot{{Profile: p}}}, RecorderOptions{})
	need.Must(t, err)
	for n := range frames {
		need.Must(t, r.Frame(0, testFrame(p, n, testStart.Add(time.Duration(n)*time.Second/30))))
	}
	need.Must(t, r.Close())
	file, err := os.Open(path)
	need.Must(t, err)
	defer file.Close()
	st, err := file.Stat()
	need.Must(t, err)
	reads := &largeReads{File: file, least: p.FrameSize()}
	bag, err := rosbag.OpenFile(stockbag.NewFile(reads, st.Size(), path), bagstore.OpenOptions{})
	need.Must(t, err)
	f, err := Open(bag.Path(), Options{Bag: bag})
	need.Must(t, err)
	for number, most := range map[uint64]int{0: 1, first: 1, first + 1: 7, first + frames/3: 7, first + frames - 1: 7, first + frames: 7} {
		reads.n = 0
		at, err := f.Find(p.Stream, number)
		if number == first+frames != (err != nil) || reads.n > 2*most { // the frame after the one looked up is read with it
			t.Errorf("number %d: found at %v, %v, after %d images, want up to %d", number, at, err, reads.n, 2*most)
		}
	}
}
