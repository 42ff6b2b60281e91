package rsbag

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/test/need"
)

// about adds metadata for the frame with a stamp, which is also its number.
func (o *odd) about(at bagstore.Time, topic string, stamp msgs.Time, size int) {
	text := fmt.Sprintf(`{"frame_number":%d,"clock_domain":"global_time","frame_timestamp":1.5}`, stamp)
	text += strings.Repeat(" ", max(size-len(text), 0))
	o.add(at, topic, "realsense2_camera/Metadata", msgs.Marshal(&msgs.Metadata{Header: msgs.Header{Stamp: stamp}, JSONData: text}))
}

// TestNativeMetadataBounds checks that only so many metadata messages around a frame are kept, and that
// each frame of equal stamp finds its own.
func TestNativeMetadataBounds(t *testing.T) {
	for _, c := range []struct{ count, size int }{{5000, 100}, {200, maxMetadataText}} {
		o := newOdd(t)
		for stamp := range c.count {
			o.about(nativeAt, "/camera/depth/metadata", msgs.Time(stamp+1), c.size)
		}
		o.nativeDepth(nativeAt, 1)
		o.nativeDepth(nativeAt, msgs.Time(c.count-1))
		o.nativeDepth(nativeAt, msgs.Time(c.count+1)) // missing, so all are examined
		o.nativeDepth(nativeAt, msgs.Time(c.count))
		o.nativeDepth(nativeAt, 1) // dropped
		cur := o.openNode().Cursor(CursorOptions{FramesOnly: true})
		defer cur.Close()
		var matched []uint64
		for e, ok := cur.Next(); ok; e, ok = cur.Next() {
			if e.Frame.Domain == camdriver.GlobalTime {
				matched = append(matched, e.Frame.Number)
			}
		}
		if want := fmt.Sprint([]int{1, c.count - 1, c.count}); fmt.Sprint(matched) != want {
			t.Errorf("%d messages of %d bytes: frames %v have theirs, want %s", c.count, c.size, matched, want)
		}
		if n := cur.Unmatched(); n != uint64(c.count-3) {
			t.Errorf("%d messages of %d bytes: %d unmatched, want %d", c.count, c.size, n, c.count-3)
		}
		n := cur.asm.metadatas[camdriver.DepthStream]
		if len(n.list) > 4096 || len(n.list)*c.size > 8<<20 {
			t.Errorf("%d messages of %d bytes are kept", len(n.list), c.size)
		}
	}
}

// TestNativeMetadataFar checks that metadata are found up to a second from their frame, in both
// directions.
func TestNativeMetadataFar(t *testing.T) {
	o := newOdd(t)
	const topic = "/camera/depth/metadata"
	at := func(d time.Duration) bagstore.Time { return nativeAt + bagstore.Time(d) }
	o.about(at(-time.Second), topic, 101, 0)
	o.nativeDepth(at(0), 101)
	o.about(at(time.Second-1), topic, 102, 0)
	o.nativeDepth(at(4*time.Second), 102) // too late
	o.nativeDepth(at(10*time.Second), 103)
	o.nativeDepth(at(10*time.Second+1), 104)
	o.about(at(10*time.Second+2), topic, 104, 0)
	o.about(at(11*time.Second), topic, 103, 0)
	cur := o.openNode().Cursor(CursorOptions{FramesOnly: true})
	defer cur.Close()
	// what it says of a frame, or none
	text := func(e Event) string {
		if e.Frame.Domain == camdriver.GlobalTime {
			return fmt.Sprint(e.Frame.Number, " ")
		}
		return "none "
	}
	forward := ""
	for e, ok := cur.Next(); ok; e, ok = cur.Next() {
		forward += text(e)
	}
	if want, back := "101 none 103 104 ", backward(cur, text); forward != want || back != want {
		t.Errorf("forward %q, backward %q, want %q", forward, back, want)
	}
}

// TestNativeBeside checks that metadata beside two streams always go to the same one.
func TestNativeBeside(t *testing.T) {
	o := newOdd(t)
	for _, stream := range []string{"infra2", "depth", "color"} {
		o.nativeImage(nativeAt, "/camera/"+stream, "/camera/camera_info", 7)
	}
	o.about(nativeAt, "/camera/metadata", 7, 0)
	first := o.openNode()
	for range 20 {
		f, err := Open(o.path, Options{CameraNodes: true})
		need.Must(t, err)
		defer f.Close()
		for conn, id := range f.native.metadata {
			if id != camdriver.DepthStream || first.native.metadata[conn] != id {
				t.Fatalf("metadata of %s", id)
			}
		}
		if len(f.native.metadata) != 1 {
			t.Fatalf("metadata on %d topics", len(f.native.metadata))
		}
	}
	for prefix, want := range map[string]bool{"/": true, "/camera/": true, "/camera/depth": true, "/camera/e": false, "/camer/": false, "/d": false, "": true} {
		if first.inCamera(prefix) != want {
			t.Errorf("topics under %q: %v", prefix, !want)
		}
	}
}
