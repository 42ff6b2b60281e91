package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/node/internal/queue"
	"rsros/node/ros"
	"rsros/program"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// second returns the studio's device under the number 1.
func (s *studio) second() device {
	other := s.Source
	other.Number = 1
	return other.describe()
}

func (s *studio) parts(path string, open openFunc, devices ...device) (*parts, error) {
	return newParts(path, devices, Options{}, queue.NewBudget(1<<20), open, zerolog.New(zerolog.NewTestWriter(s.t)))
}

// closedWriter holds one device, and counts calls of Close.
type closedWriter struct {
	bagWriter
	closed *int
}

func (w closedWriter) Close() error { *w.closed++; return w.bagWriter.Close() }

// TestJoinFails checks that a file which can't hold all devices is closed.
func TestJoinFails(t *testing.T) {
	s, closed := newStudio(t, Options{}), 0
	open := func(path string, number int, snap camdriver.DeviceSnapshot, bag bagstore.Options) (bagWriter, error) {
		w, err := s.open(path, number, snap, bag)
		return closedWriter{w, &closed}, err
	}
	if _, err := s.parts(filepath.Join(t.TempDir(), "x.bag"), open, s.describe(), s.second()); !errors.Is(err, errAlone) || closed != 1 {
		t.Errorf("closed %d times, %v", closed, err)
	}
}

// TestJoinDB3 checks that a device that a file can't hold isn't taken for an event that it can't hold, which
// is left out.
func TestJoinDB3(t *testing.T) {
	s := newStudio(t, Options{})
	p, err := s.parts(filepath.Join(t.TempDir(), "x.db3"), s.open, s.describe())
	s.must(err)
	if err := p.join(s.second()); !errors.Is(err, errAlone) || errors.Is(err, camdriver.ErrUnsupported) {
		t.Error(err)
	}
	s.must(p.end())
}

// TestJoinGoneFile checks that a device joins the next file if the current one is gone.
func TestJoinGoneFile(t *testing.T) {
	s := newStudio(t, Options{})
	path := filepath.Join(t.TempDir(), "x.bag")
	p, err := s.parts(path, s.open, s.describe())
	s.must(err)
	if err := os.Remove(path); err != nil {
		_ = p.end()
		need.NotOnWindows(t, err)
	}
	first := p.cur
	r := &session{parts: p}
	s.must(r.again(func() error {
		if err := p.join(s.second()); err != nil || p.cur != first {
			return err
		}
		return bagstore.ErrGone // noticed later
	}))
	if p.cur.of(1) == nil || len(p.devices) != 2 {
		t.Errorf("%d devices", len(p.devices))
	}
	if err := p.end(); !errors.Is(err, bagstore.ErrGone) {
		t.Error(err)
	}
	if f, err := rsbag.Open(filepath.Join(filepath.Dir(path), "x_1.bag"), rsbag.Options{Device: 1}); err != nil {
		t.Error(err)
	} else {
		s.must(f.Close())
	}
}

// TestSplitOnce checks that what another device's goroutine queued before a split, and reached the queue
// after it, starts no further file.
func TestSplitOnce(t *testing.T) {
	s := newStudio(t, Options{})
	p, err := s.parts(filepath.Join(t.TempDir(), "x.bag"), s.open, s.describe())
	s.must(err)
	for _, part := range []uint32{0, 1, 0, 1, 1, 2, 1, 2} {
		p.frames = true
		s.must(p.turn(queued{part: part}))
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
	node, err := ros.NewNode(t.Context(), ros.Config{MasterURI: master, Host: "127.0.0.1", Name: "recorder"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = node.Close() })
	s := newStudio(t, Options{QueueBytes: 1 << 20, Topics: []string{"/large"}})
	s.Node = node
	s.begin()
	peer.Await(t, "the loss", func() bool { p, _ := s.Progress(); return p.Lost+p.Messages > 0 })
	sum, err := s.Stop()
	s.must(err)
	if sum.Lost != 1 || sum.Messages != 0 {
		t.Errorf("%d lost, %d written", sum.Lost, sum.Messages)
	}
	if err := s.Close(); !errors.Is(err, program.ErrIncomplete) {
		t.Error(err)
	}
}
