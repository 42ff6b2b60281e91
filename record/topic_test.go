package record

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/program"
	"rsros/program/work"
	"rsros/test/peer"
	"rsros/test/rig"
)

// second returns the studio's device under the number 1.
func (s *studio) second() device {
	other := s.Source
	other.Number = 1
	return other.describe()
}

// files returns the open series of a recording of devices.
func (s *studio) files(path string, o Options, devices ...device) (*series, error) {
	o.Latched = true
	f, err := newDeviceSeries(o, path, devices, work.NewBudget(1<<30), s.create, zerolog.New(zerolog.NewTestWriter(s.t)))
	s.must(err)
	return f, f.next()
}

// closedWriter counts calls of Close.
type closedWriter struct {
	deviceWriter
	closed *int
}

func (w closedWriter) Close() error { *w.closed++; return w.deviceWriter.Close() }

// TestJoinFails checks that a file which can't hold all devices is closed.
func TestJoinFails(t *testing.T) {
	s, closed := newStudio(t, Options{}), 0
	s.wrap(func(w deviceWriter) deviceWriter { return closedWriter{w, &closed} })
	if _, err := s.files(filepath.Join(t.TempDir(), "x.db3"), Options{}, s.describe(), s.second()); !errors.Is(err, camdriver.ErrUnsupported) || closed != 1 {
		t.Errorf("closed %d times, %v", closed, err)
	}
}

// TestJoinLate checks that a device that joins during a recording is in the next one only.
func TestJoinLate(t *testing.T) {
	s := newStudio(t, Options{MaxTime: 5 * spacing})
	other := s.Source
	other.Hub, other.Number = new(camdriver.Hub), 1
	s.begin()
	s.raise(3)
	s.Join(other, s.o, "", s.log)
	s.raise(10)
	first, err := s.Stop()
	s.must(err)
	s.begin()
	s.raise(3)
	second, err := s.Stop()
	s.must(err)
	if len(first.Paths) < 2 {
		t.Errorf("one file: %q", first.Paths)
	}
	for _, path := range first.Paths {
		if _, err := rsbag.Open(path, rsbag.Options{Camera: "1"}); !errors.Is(err, rsbag.ErrCamera) {
			t.Errorf("%s: %v", path, err)
		}
	}
	f, err := rsbag.Open(second.Paths[0], rsbag.Options{Camera: "1"})
	s.must(err)
	s.must(f.Close())
}

// TestSplitOnce checks that what another device's goroutine queued before a split, and reached the queue
// after it, starts no further file.
func TestSplitOnce(t *testing.T) {
	s := newStudio(t, Options{})
	p, err := s.files(filepath.Join(t.TempDir(), "x.bag"), Options{}, s.describe())
	s.must(err)
	for _, part := range []uint32{0, 1, 0, 1, 1, 2, 1, 2} {
		p.used = true
		s.must(p.splitIfDue(&item{part: part}))
	}
	if p.made != 3 {
		t.Errorf("%d files after two splits", p.made)
	}
	s.must(p.end())
}

// TestLargeMessage checks that a message larger than what may wait for the disk is skipped, and counts as lost.
func TestLargeMessage(t *testing.T) {
	master := rig.Master(t).URI()
	talker(t, master, "/large", strings.Repeat("l", 3<<20))
	s := newStudio(t, Options{QueueBytes: 1 << 20, Topics: []string{"/large"}})
	s.Node = rig.NodeAt(t, master, "recorder")
	s.begin()
	peer.Await(t, "the loss", func() bool { p := s.Current().Figures(); return p.Lost+p.Messages > 0 })
	sum, err := s.Stop()
	s.must(err)
	if sum.Lost != 1 || sum.Messages != 0 {
		t.Errorf("%d lost, %d written", sum.Lost, sum.Messages)
	}
	if err := s.Close(); !errors.Is(err, program.ErrIncomplete) {
		t.Error(err)
	}
}
