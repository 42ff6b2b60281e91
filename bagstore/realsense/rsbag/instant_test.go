package rsbag

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestInstantIsBounded checks that of many large frames of one time the first ones are read, and the others are counted
// as unreadable.
func TestInstantIsBounded(t *testing.T) {
	in := samplebag.Open(t, samplebag.Data(t, "sw_small_raw.bag"))
	path := filepath.Join(t.TempDir(), "b.bag")
	out, err := rosbag.CreateOutput(t.Context(), path, bagstore.Options{Compression: bagstore.LZ4, NoSync: true})
	need.Must(t, err)
	const frames, image = 100, 1 << 20
	written := false
	for m, err := range in.View(bagstore.Query{}).Messages() {
		need.Must(t, err)
		if !strings.HasSuffix(m.Conn.Topic, "/image/data") {
			need.Must(t, out.Copy(m, m.Time))
			continue
		}
		if written {
			continue
		}
		written = true
		at := 4 + 8
		at += 4 + int(binary.LittleEndian.Uint32(m.Data[at:])) // frame_id
		at += 8                                                // height, width
		at += 4 + int(binary.LittleEndian.Uint32(m.Data[at:])) // encoding
		at += 1 + 4                                            // byte order, step
		m.Data = append(binary.LittleEndian.AppendUint32(slices.Clone(m.Data[:at]), image), make([]byte, image)...)
		for range frames {
			need.Must(t, out.Copy(m, 100e6))
		}
	}
	need.Must(t, out.Finish(nil))
	f, err := Open(path, Options{})
	need.Must(t, err)
	defer f.Close() //nolint:errcheck // only read
	c := f.Cursor(CursorOptions{FramesOnly: true})
	defer c.Close()
	n := 0
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		if len(e.Frame.Data) == image {
			n++
		}
	}
	left, why := c.Damaged()
	if want := instantBytes/image - 1; n != want || left != uint64(frames-want) {
		t.Errorf("%d frames, want %d; %d are left out: %v", n, want, left, why)
	}
}
