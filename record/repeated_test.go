package record

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/program/work"
	"rsros/ros"
)

// received returns a buffer that holds a message of a publisher.
func received(n int) *ros.Buffer {
	b := &ros.Buffer{Data: []byte(strings.Repeat("x", n))}
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
		t.Run("topics, "+c.name, func(t *testing.T) {
			dir := t.TempDir()
			f, _ := files(t, TopicOptions{Output: filepath.Join(dir, "x.bag"), Split: true, MaxSize: 64 << 10, Latched: true, Bag: bag})
			write := func(topic, latching string, n int) {
				m := topicMessage{topic: topic, header: headerOf("/talker", latching), time: 1e18, stamp: 1e18, buffer: received(n)}
				if err := f.write(m); err != nil {
					t.Fatal(err)
				}
			}
			write("/map", "1", c.latched)
			for range 100 {
				write("/chatter", "0", 4<<10)
			}
			finish(t, f)
			checkRepeated(t, f.totals().Paths, c.files, 100)
		})
		t.Run("camera, "+c.name, func(t *testing.T) {
			s := newStudio(t, Options{SplitSize: 64 << 10, Bag: bag})
			p, err := newParts(filepath.Join(t.TempDir(), "x.bag"), []device{s.describe()}, s.opts, work.NewBudget(1<<30), s.open, zerolog.Nop())
			s.must(err)
			write := func(topic, latching string, n int) {
				s.must(p.message(queued{message: &extraMessage{topic: topic, header: headerOf("/talker", latching), time: 1e18, arrival: s.Now(), buffer: received(n)}}))
			}
			write("/map", "1", c.latched)
			for range 100 {
				write("/chatter", "0", 4<<10)
			}
			s.must(p.end())
			checkRepeated(t, p.totals().Paths, c.files, 100)
		})
	}
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

// goneTopics and goneCamera are files that are gone at the first message.
type goneTopics struct{ topicWriter }

func (goneTopics) Lend(_ uint32, _ bagstore.Time, done func(), _ ...[]byte) error {
	done()
	return bagstore.ErrGone
}

type goneCamera struct{ bagWriter }

func (goneCamera) Message(_ bagstore.Connection, _ time.Time, _ []byte, release func()) error {
	release()
	return bagstore.ErrGone
}

// TestLatchedWhileGone loses a file with a latched message that is being written: the next file has it once.
func TestLatchedWhileGone(t *testing.T) {
	t.Run("topics", func(t *testing.T) {
		f, _ := files(t, TopicOptions{Output: filepath.Join(t.TempDir(), "x.bag"), Split: true, MaxSize: 1 << 20, Latched: true})
		f.cur.topicWriter = goneTopics{f.cur.topicWriter}
		m := topicMessage{topic: "/map", header: headerOf("/talker", "1"), time: 1e18, stamp: 1e18, buffer: received(10)}
		if err := f.write(m); !errors.Is(err, bagstore.ErrGone) || f.goOn(err) != nil {
			t.Fatal(err)
		}
		if err := f.write(m); err != nil {
			t.Fatal(err)
		}
		finish(t, f)
		if counts := recorded(t, f.totals().Paths[len(f.totals().Paths)-1]); counts["/map"] != 1 {
			t.Errorf("%d maps", counts["/map"])
		}
	})
	t.Run("camera", func(t *testing.T) {
		s := newStudio(t, Options{})
		p, err := newParts(filepath.Join(t.TempDir(), "x.bag"), []device{s.describe()}, s.opts, work.NewBudget(1<<30), s.open, zerolog.Nop())
		s.must(err)
		p.cur.bagWriter = goneCamera{p.cur.bagWriter}
		m := queued{message: &extraMessage{topic: "/map", header: headerOf("/talker", "1"), time: 1e18, arrival: s.Now(), buffer: received(10)}}
		err = p.message(m)
		if !errors.Is(err, bagstore.ErrGone) || p.goOn(err) != nil {
			t.Fatal(err)
		}
		s.must(p.message(m))
		s.must(p.end())
		if counts := recorded(t, p.totals().Paths[len(p.totals().Paths)-1]); counts["/map"] != 1 {
			t.Errorf("%d maps", counts["/map"])
		}
	})
}
