package info

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/test/samplebag"
)

// write makes a bag: one publisher that counts, one whose messages all have number 0, one
// that lost three, and a topic without headers.
func write(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := samplebag.Create(t, path, bagstore.Options{})
	const point = "geometry_msgs/PointStamped"
	for i, lossy := range []uint32{5, 6, 8, 9, 12} {
		for _, m := range []struct {
			topic, typ, caller string
			seq                uint32
		}{{"/a", point, "/whole", uint32(i)}, {"/a", point, "/still", 0}, {"/b", point, "/lossy", lossy}, {"/text", "std_msgs/String", "/talker", 0}} {
			c := samplebag.Topic(m.topic, m.typ)
			c.CallerID = m.caller
			data := binary.LittleEndian.AppendUint32(nil, m.seq)
			if m.typ == point {
				data = append(data, make([]byte, 36)...)
			}
			w.Put(c, bagstore.Time(i+1), data)
		}
	}
	w.Done()
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
