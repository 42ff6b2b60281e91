package record

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/program"
	"rsros/program/work"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/tools/info"
)

// blockedLog is a terminal after Ctrl-S, or a pipe that nobody reads.
type blockedLog struct {
	blocked chan struct{} // closed when a line waits
	until   chan struct{}
}

func (l blockedLog) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("dropped")) && !work.Closed(l.blocked) {
		close(l.blocked)
		<-l.until
	}
	return len(line), nil
}

// TestBlockedLog checks that a recording goes on, and is completed, while the log blocks.
func TestBlockedLog(t *testing.T) {
	log := blockedLog{make(chan struct{}), make(chan struct{})}
	s := newStudio(t, Options{QueueBytes: 3 * int64(color0.FrameSize()+eventSize)})
	s.log = zerolog.New(log)
	disk := s.stall()
	s.begin()
	rec := s.running()
	s.raise(1)
	<-disk.arrived
	peer.Await(t, "a line about drops", func() bool {
		s.raise(1)
		return work.Closed(log.blocked)
	})
	close(disk.release)
	s.raise(1)
	peer.Await(t, "what the queue has", func() bool { return rec.queue.Size() == 0 })
	ended := make(chan error)
	go func() {
		_, err := s.Stop()
		ended <- err
	}()
	peer.Await(t, "the complete file", func() bool { return work.Closed(rec.done) })
	close(log.until)
	s.must(<-ended)
}

// TestDropsAreRecorded checks that a recording, also a .db3, states what was dropped of each topic.
func TestDropsAreRecorded(t *testing.T) {
	for _, name := range []string{"x.bag", "x.db3"} {
		t.Run(name, func(t *testing.T) {
			master := rig.Master(t).URI()
			for _, topic := range []string{"/a", "/b"} {
				talker(t, master, topic, "hi")
			}
			o := config(t, master, Options{
				Topics: []string{"/a", "/b", "/silent"}, MinSpace: 1 << 60, Output: filepath.Join(t.TempDir(), name), // no disk has so much room
			})
			o.ROS.Name = "recorder"
			r, ended := start(t, o)
			peer.Await(t, "two drops", func() bool { return r.Figures().Lost == 2 })
			r.Stop()
			if err := <-ended; !errors.Is(err, program.ErrIncomplete) {
				t.Fatal(err)
			}
			bag, err := recording.Open(o.Output, bagstore.OpenOptions{})
			need.Must(t, err)
			defer bag.Close() //nolint:errcheck // only read
			list := info.Losses(t.Context(), bag)
			if len(list) != 2 || list[0] != (info.Loss{Topic: "/a", Recorder: "/recorder", Dropped: 1}) || list[1].Topic != "/b" {
				t.Errorf("the recording tells of %v", list)
			}
		})
	}
}
