package naming

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/msgs"
	"rsros/program/buffers"
	"rsros/replay"
	"rsros/test/need"
	"rsros/test/samplebag"
)

const sampleBags = "../../test/data/librealsense/"

func openWrapperSource(t *testing.T, path string, o WrapperOptions) *Source {
	t.Helper()
	bag := samplebag.Open(t, path)
	file, err := rsbag.Open(bag.Path(), rsbag.Options{Bag: bag})
	need.Must(t, err)
	o.Camera = "camera"
	s, err := OpenSource(file, o, time.Unix(1_600_000_000, 0), zerolog.New(zerolog.NewTestWriter(t)))
	need.Must(t, err)
	t.Cleanup(s.Close)
	return s
}

func viewOf(t *testing.T, s *Source, q bagstore.Query) replay.View {
	t.Helper()
	v := s.View(q)
	return v
}

// made is a message of a moment. Its owner is released.
type made struct {
	*bagstore.Connection
	msgs.Raw
}

// messagesOf returns an iterator's messages of one moment, of which none is computed.
func messagesOf(m replay.Recorded) (list []made) {
	if m.Deferred == nil {
		return []made{{m.Conn, msgs.Raw{Body: m.Data}}}
	}
	wanted := make(map[*bagstore.Connection]func(msgs.Raw))
	for _, c := range m.Deferred.Connections() {
		wanted[c] = func(raw msgs.Raw) {
			list = append(list, made{c, raw})
			if raw.Owner != nil {
				raw.Owner.Release()
			}
		}
	}
	m.Deferred.Start(wanted, false)
	return list
}

func lineOf(m replay.Recorded) (line string) {
	for _, one := range messagesOf(m) {
		line += fmt.Sprintln(m.Time, one.Topic, len(one.Head), len(one.Body))
	}
	return line
}

func linesOf(next func() bool, it replay.Iterator) (lines []string) {
	for next() {
		lines = append(lines, lineOf(it.Message()))
	}
	return lines
}

// TestWrapperSource reads what realsense2_camera would have published, in both directions and from the
// middle.
func TestWrapperSource(t *testing.T) {
	for _, name := range []string{"sw_small_raw", "sw_small_lz4", "sw_small_pause"} {
		t.Run(name, func(t *testing.T) {
			s := openWrapperSource(t, sampleBags+name+".bag", WrapperOptions{})
			v := viewOf(t, s, bagstore.Query{})
			it := v.Iterator()
			defer it.Close()
			counts := map[*bagstore.Connection]uint64{}
			var times []bagstore.Time
			var all []string
			for it.Next() {
				m := it.Message()
				for _, one := range messagesOf(m) {
					counts[one.Connection]++
				}
				times, all = append(times, m.Time), append(all, lineOf(m))
			}
			if it.Err() != nil || !slices.IsSorted(times) {
				t.Fatalf("%v; sorted: %v", it.Err(), slices.IsSorted(times))
			}
			for _, c := range s.Connections() {
				if counts[c] != s.Count(c) || counts[c] == 0 {
					t.Errorf("%s: %d messages, %d counted", c.Topic, counts[c], s.Count(c))
				}
			}
			first, _ := v.Start()
			if last, _ := v.End(); first != times[0] || last != times[len(times)-1] {
				t.Errorf("from %d to %d, want %d to %d", first, last, times[0], times[len(times)-1])
			}
			middle := slices.Index(times, times[len(times)/2])
			it.Seek(times[middle])
			if rest := linesOf(it.SkipNext, it); !slices.Equal(rest, all[middle:]) {
				t.Errorf("from the middle %d moments, want %d", len(rest), len(all)-middle)
			}
			for i := len(all) - 1; i > 0; i-- {
				if same := i+1 < len(all) && times[i+1] == times[i]; same {
					continue
				}
				if found, err := it.Last(times[i] + 1); !found || err != nil || lineOf(it.Message()) != all[i] {
					t.Fatalf("moment %d isn't the last one until its time", i)
				}
			}
			if found, _ := it.Last(times[0]); found {
				t.Errorf("there is %s before the first moment", lineOf(it.Message()))
			}
		})
	}
}

// TestWrapperSourceView checks that a view holds exactly what its query selects.
func TestWrapperSourceView(t *testing.T) {
	s := openWrapperSource(t, sampleBags+"sw_small_lz4.bag", WrapperOptions{})
	statics := viewOf(t, s, bagstore.Query{End: bagstore.MinTime})
	it := statics.Iterator()
	defer it.Close()
	for range 2 {
		if n := len(linesOf(it.Next, it)); n != 6 { // extrinsics to three cameras, two imu_info, tf_static
			t.Errorf("%d static messages", n)
		}
		it.Seek(0)
	}
	depth := func(c *bagstore.Connection) bool { return c.Topic == "/camera/depth/image_rect_raw" }
	frames := viewOf(t, s, bagstore.Query{Connections: depth, Start: bagstore.MinTime + 1})
	first, _ := frames.Start()
	last, _ := frames.End()
	if want := bagstore.NewTime(1_700_000_000, 0); first < want || first > want.Add(time.Second) {
		t.Errorf("the recording begins at %d, its dated stamps with %d", first, want)
	}
	part := viewOf(t, s, bagstore.Query{Connections: depth, Start: first + 1, End: last - 1})
	it2 := part.Iterator()
	defer it2.Close()
	if n := len(linesOf(it2.Next, it2)); n != 58 {
		t.Errorf("%d depth images between the first and the last, want 58", n)
	}
	if n, ok := viewOf(t, s, bagstore.Query{Start: last.Add(time.Hour)}).Start(); ok {
		t.Errorf("an empty view starts at %d", n)
	}
}

// TestWrapperSourceImages checks that depth is in millimetres, with a stamp on the messages' time line,
// in memory that stays valid while it is held.
func TestWrapperSourceImages(t *testing.T) {
	s := openWrapperSource(t, sampleBags+"sw_small_lz4.bag", WrapperOptions{})
	it := viewOf(t, s, bagstore.Query{Connections: func(c *bagstore.Connection) bool { return strings.Contains(c.Topic, "/image_") }}).Iterator()
	var held []buffers.Releaser
	for it.Next() {
		m := it.Message()
		topic := m.Conn.Topic
		m.Deferred.Start(map[*bagstore.Connection]func(msgs.Raw){m.Conn: func(image msgs.Raw) {
			var head msgs.ImageHead
			need.Must(t, msgs.Unmarshal(image.Head, &head))
			if head.Width != 64 || head.Height != 48 || int(head.DataLen) != len(image.Body) || !strings.HasSuffix(head.Header.FrameID, "_optical_frame") ||
				strings.Contains(topic, "depth") != (head.Encoding == "16UC1") {
				t.Errorf("%s: image %+v, %d bytes", topic, head, len(image.Body))
			}
			if off := time.Duration(bagstore.Time(head.Header.Stamp) - m.Time).Abs(); off > 100*time.Millisecond {
				t.Errorf("stamped %v beside its time", off)
			}
			held = append(held, image.Owner)
		}}, false)
	}
	it.Close()
	if s.layout.pool.InUse() == 0 {
		t.Error("the sample's depth isn't in millimetres: it must have been converted")
	}
	for _, h := range held {
		h.Release()
	}
	if n := s.layout.pool.InUse(); n != 0 {
		t.Errorf("%d bytes never came back", n)
	}
}

// TestWrapperSourceDamage checks that what can't be read is reported, and that what follows is read.
func TestWrapperSourceDamage(t *testing.T) {
	b, err := os.ReadFile(sampleBags + "sw_small_raw.bag")
	need.Must(t, err)
	encoding := []byte("\x06\x00\x00\x00mono16") // of depth images
	middle := b[len(b)/2:]
	middle[bytes.Index(middle, encoding)+3] = 0xff // a string longer than the message
	path := filepath.Join(t.TempDir(), "broken.bag")
	need.Must(t, os.WriteFile(path, b, 0o600))
	it := viewOf(t, openWrapperSource(t, path, WrapperOptions{}), bagstore.Query{}).Iterator()
	defer it.Close()
	if found, err := it.Last(bagstore.MaxTime); !found || err != nil || it.(*iterator).damaged > 0 {
		t.Error("the end isn't found without reading what is at the start")
	}
	it.Seek(0)
	got, errs := 0, 0
	for {
		switch {
		case it.Next():
			got++
			continue
		case it.Err() != nil:
			errs++
			continue
		}
		break
	}
	if errs != 1 || got < 100 {
		t.Errorf("%d messages, %d errors", got, errs)
	}
}
