package record

import (
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
)

// received returns a buffer that holds a message of a publisher.
func received(n int) *ros.Buffer {
	b := &ros.Buffer{Data: msgs.Marshal(&msgs.String{Data: strings.Repeat("x", n-4)})}
	b.Retain() // it is in no pool
	return b
}

// headerOf returns a publisher's header of a text.
func headerOf(name, latching string) ros.Header {
	return ros.Header{"type": "std_msgs/String", "md5sum": "992ce8a1687cec8c8bd883ec73ca41d1", "message_definition": "string data\n", "callerid": name, "latching": latching}
}

// TestSizeAfterLatched checks that a file of a split takes messages although the latched ones that it begins
// with are larger than the limit, and that the limit holds for the whole file if they are small.
func TestSizeAfterLatched(t *testing.T) {
	for _, c := range []struct {
		name    string
		latched int
		files   int // for 100 messages of 4 KiB and a limit of 64 KiB
	}{
		{"small", 4 << 10, 8},
		{"large", 200 << 10, 7},
	} {
		bag := bagstore.Options{ChunkSize: 4 << 10, NoSync: true, Sink: bagstore.Buffered} // direct writing pads chunks this small
		for kind, open := range bothSeries {
			t.Run(kind+", "+c.name, func(t *testing.T) {
				f := open(t, filepath.Join(t.TempDir(), "x.bag"), Options{Split: true, MaxSize: 64 << 10, Latched: true, Bag: bag})
				write := func(topic, latching string, n int) {
					need.Must(t, f.write(message(topic, latching, n)))
				}
				write("/map", "1", c.latched)
				for range 100 {
					write("/chatter", "0", 4<<10)
				}
				finish(t, f)
				checkRepeated(t, f.totals().Paths, c.files, 100)
			})
		}
	}
}

// bothSeries open the first file of topics alone, and of topics next to a device.
var bothSeries = map[string]func(t *testing.T, path string, o Options) *series{
	"topics": func(t *testing.T, path string, o Options) *series {
		o.Output = path
		f, _ := files(t, o)
		return f
	},
	"camera": func(t *testing.T, path string, o Options) *series {
		s := newStudio(t, o)
		f, err := s.files(path, o, s.describe())
		s.must(err)
		return f
	},
}

// message returns a message of n bytes.
func message(topic, latching string, n int) *item {
	return &item{topic: topic, header: headerOf("/talker", latching), at: 1e18, stamp: 1e18, arrival: began, buffer: received(n)}
}

// checkRepeated checks that files, about as many as wanted, begin with a map and have all other messages.
func checkRepeated(t *testing.T, paths []string, want int, messages uint64) {
	t.Helper()
	if n := len(paths); n < want-1 || n > want+3 {
		t.Errorf("%d files, want about %d", n, want)
	}
	total := uint64(0)
	for _, path := range paths {
		counts := recorded(t, path)
		if counts["/map"] != 1 {
			t.Errorf("%s has %d maps", path, counts["/map"])
		}
		total += counts["/chatter"]
	}
	if total != messages {
		t.Errorf("%d messages, want %d", total, messages)
	}
}

// goneFile is a file that is gone at the first message.
type goneFile struct{ file }

func (goneFile) Message(_ string, _ ros.Header, _ instant, done func(), _ []byte) error {
	done()
	return bagstore.ErrGone
}

// TestLatchedWhileGone loses a file with a latched message that is being written: the next file has it once.
func TestLatchedWhileGone(t *testing.T) {
	for kind, open := range bothSeries {
		t.Run(kind, func(t *testing.T) {
			f := open(t, filepath.Join(t.TempDir(), "x.bag"), Options{Split: true, MaxSize: 1 << 20, Latched: true})
			f.cur.file = goneFile{f.cur.file}
			m := message("/map", "1", 10)
			if err := f.write(m); !f.lost(err) || f.next() != nil {
				t.Fatal(err)
			}
			need.Must(t, f.write(m))
			finish(t, f)
			if counts := recorded(t, f.totals().Paths[len(f.totals().Paths)-1]); counts["/map"] != 1 {
				t.Errorf("%d maps", counts["/map"])
			}
		})
	}
}
