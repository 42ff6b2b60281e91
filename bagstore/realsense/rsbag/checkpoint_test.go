package rsbag

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
)

// TestCheckpointBetweenFrames looks at the file whenever a checkpoint could be due: a kill must not leave a frame without
// its metadata in the index, which librealsense reads.
func TestCheckpointBetweenFrames(t *testing.T) {
	dir := t.TempDir()
	path, killed := filepath.Join(dir, "a.bag"), filepath.Join(dir, "killed.bag")
	const each = 4 // two values, the domain, and the host's time
	now, most := testStart, uint64(0)
	look := func() time.Time {
		now = now.Add(time.Hour)
		content, err := os.ReadFile(path)
		if err != nil || len(content) == 0 {
			return now
		}
		if err := os.WriteFile(killed, content, 0o600); err != nil {
			t.Error(err)
		}
		bag, err := rosbag.Open(killed, bagstore.OpenOptions{})
		if err != nil {
			t.Error(err)
			return now
		}
		defer bag.Close()
		images, metadata, counts := uint64(0), uint64(0), bag.Counts()
		for _, c := range bag.Connections() {
			switch {
			case strings.HasSuffix(c.Topic, "Depth_0/image/data"):
				images += counts[c.ID]
			case strings.HasSuffix(c.Topic, "Depth_0/image/metadata"):
				metadata += counts[c.ID]
			}
		}
		if most = max(most, images); metadata != images*each {
			t.Errorf("%d images, %d of their metadata", images, metadata)
		}
		return now
	}
	snap := testSnapshot()
	r, err := NewRecorder(path, snap, RecorderOptions{Bag: bagstore.Options{ChunkSize: 1, Checkpoint: time.Nanosecond, NoSync: true, Now: look}})
	need.Must(t, err)
	defer r.Close()
	depth := snap.Streams[0]
	const frames = 5
	for i := range frames {
		need.Must(t, r.Frame(depth.Sensor, testFrame(depth.Profile, i, testStart.Add(time.Duration(i)*time.Millisecond))))
	}
	if most < frames-1 {
		t.Errorf("the index had at most %d images", most)
	}
}
