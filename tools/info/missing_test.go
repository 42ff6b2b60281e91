package info

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
)

// write makes a bag: one publisher that counts, one whose messages all have number 0, one
// that lost three, and a topic without headers.
func write(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "x.bag")
	w, err := rosbag.Create(path, bagstore.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	connection := func(topic, typ, caller string) uint32 {
		known := msgs.MustType(typ)
		id, err := w.AddConnection(bagstore.Connection{Topic: topic, Type: known.Name, MD5: known.MD5, Definition: known.Definition, CallerID: caller})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	const point = "geometry_msgs/PointStamped"
	whole, still, lossy, text := connection("/a", point, "/whole"), connection("/a", point, "/still"), connection("/b", point, "/lossy"), connection("/text", "std_msgs/String", "/talker")
	for i, lossySeq := range []uint32{5, 6, 8, 9, 12} {
		for id, seq := range map[uint32]uint32{whole: uint32(i), still: 0, lossy: lossySeq, text: 0} {
			data := binary.LittleEndian.AppendUint32(nil, seq)
			if id != text {
				data = append(data, make([]byte, 36)...)
			}
			if err := w.Write(id, bagstore.Time(i+1), data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCount(t *testing.T) {
	list, dropped, err := Missing(t.Context(), write(t), zerolog.Nop())
	if want := []Series{{"/b", "/lossy", 3, false}, {"/a", "/still", 0, true}}; err != nil || len(dropped) > 0 || !slices.Equal(list, want) {
		t.Fatalf("%+v, %v, want %+v", list, err, want)
	}
	for want, list := range map[string][]Series{
		"missing:     3 of /b from /lossy, by header.seq\n             unknown for /a from /still: its header.seq isn't consecutive\n": list,
		"missing:     nothing, by header.seq\n":                                                  {},
		"missing:     1 of /a, by header.seq\n             2 of /b from /lossy, by header.seq\n": {{"/a", "", 1, false}, {"/b", "/lossy", 2, false}},
	} {
		var b bytes.Buffer
		if err := WriteMissing(&b, list, nil); err != nil || b.String() != want {
			t.Errorf("got %q, %v, want %q", &b, err, want)
		}
	}
}
