package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program"
	"rsros/test/rig"
)

func TestRecordingSplits(t *testing.T) {
	for name, c := range map[string]struct {
		opts     Options
		requests bool
		first    string
		least    int
	}{
		"by time":    {Options{MaxTime: 10 * spacing}, false, "walk_0.bag", 6},
		"by size":    {Options{MaxSize: 100 << 10, Bag: bagstore.Options{ChunkSize: 4 << 10}}, false, "walk_0.bag", 3},
		"by request": {Options{}, true, "walk.bag", 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStudio(t, c.opts)
			s.begin()
			s.raise(30)
			s.Hub.OptionChanged(0, camdriver.OptionExposure, 5)
			if c.requests {
				s.running().Split()
				s.running().Split() // twice before a frame is once
			}
			s.raise(20)
			s.running().Pause(true)
			if c.requests {
				s.running().Split() // takes effect with the first frame that is written
			}
			s.raise(1)
			s.running().Pause(false)
			s.count = [2]uint64{50, 50} // so that numbers stay gapless
			s.raise(20)
			summary, err := s.Stop()
			s.must(err)
			if filepath.Base(summary.Paths[0]) != c.first || filepath.Base(summary.Paths[1]) != "walk_1.bag" || len(summary.Paths) < c.least {
				t.Errorf("files %q", summary.Paths)
			}
			if summary.Frames != 140 || summary.Skipped != 2 || summary.Row(depth0.Stream.String()).Messages != 70 {
				t.Errorf("summary %+v", summary)
			}
			var numbers []uint64
			for _, path := range summary.Paths {
				take := rig.ReadTake(t, path)
				numbers = append(numbers, take.Depth...)
				if len(take.Depth) == 0 || take.Times[0] > spacing+time.Millisecond || len(take.Snap.Streams) != 2 || len(take.Snap.Sensors[1].Filters) != 1 {
					t.Errorf("%s has frames at %v and describes %+v", path, take.Times, take.Snap)
				}
				want := float32(1) // the exposure as of the part's beginning
				if take.Depth[0] >= 30 {
					want = 5
				}
				if got := take.Snap.Sensors[0].Options[0].Value; got != want {
					t.Errorf("%s begins with exposure %v, want %v", path, got, want)
				}
			}
			checkGapless(t, numbers, 70)
		})
	}
}

// TestCameraFormats checks that a path decides the format, which has its own compressions, and that later recordings have it.
func TestCameraFormats(t *testing.T) {
	for _, c := range []struct {
		ext         string
		compression bagstore.Compression
		refused     bool
	}{
		{extBag, bagstore.LZ4, false}, {extBag, bagstore.Zstd, true},
		{extDB3, bagstore.None, false}, {extDB3, bagstore.Zstd, false}, {extDB3, bagstore.LZ4, true},
		{extMCAP, bagstore.None, false}, {extMCAP, bagstore.LZ4, false}, {extMCAP, bagstore.Zstd, false}, {extMCAP, bagstore.BZ2, true},
	} {
		t.Run(fmt.Sprint(c.ext, c.compression), func(t *testing.T) {
			dir := t.TempDir()
			o := Options{Bag: bagstore.Options{Compression: c.compression, NoSync: true}}
			if !c.refused { // a path is, whatever the others have
				o.Output = "x" + c.ext
			}
			s := newStudio(t, o)
			s.prefix = dir
			path, err := s.Start(filepath.Join(dir, "x"+c.ext))
			if c.refused {
				if !errors.Is(err, program.ErrUsage) {
					t.Errorf("recorded into %s: %v", path, err)
				}
				return
			}
			s.must(err)
			s.raise(3)
			sum, err := s.Stop()
			s.must(err)
			if take := rig.ReadTake(t, path); len(take.Depth) != 3 || sum.Frames != 6 {
				t.Errorf("%d depth frames, %+v", len(take.Depth), sum)
			}
			content, err := os.ReadFile(path)
			s.must(err)
			zstd := bytes.Contains(content, []byte{0x28, 0xb5, 0x2f, 0xfd})
			if zstd != (c.compression == bagstore.Zstd) {
				t.Errorf("zstd in the file: %v", zstd)
			}
			if path, err = s.Start(""); filepath.Ext(path) != c.ext {
				t.Errorf("later: %s", path)
			}
			s.must(err)
			s.must(s.Close())
		})
	}
}

// Pauses, one of them before the first frame, are cut from the file's time.
func TestRecordingPauses(t *testing.T) {
	s := newStudio(t, Options{})
	path := s.begin()
	s.running().Pause(true)
	s.raise(5)
	s.running().Pause(false)
	s.raise(5)
	s.running().Pause(true)
	s.raise(40)
	s.running().Pause(false)
	s.raise(5)
	_, err := s.Stop()
	s.must(err)
	take := rig.ReadTake(t, path)
	if want := []uint64{5, 6, 7, 8, 9, 50, 51, 52, 53, 54}; !slices.Equal(take.Depth, want) {
		t.Fatalf("frames %v", take.Depth)
	}
	for i, at := range take.Times {
		if want := time.Duration(i) * spacing; (at - want).Abs() > time.Millisecond {
			t.Errorf("frame %d is at %v, want %v", i, at, want)
		}
	}
}

// Recordings follow each other while the device streams.
func TestRecordingStartsAndStopsAnyTime(t *testing.T) {
	s := newStudio(t, Options{})
	s.prefix = t.TempDir()
	if _, err := s.Stop(); !errors.Is(err, errNotRecording) {
		t.Errorf("stop without start: %v", err)
	}
	if _, err := s.Running(); !errors.Is(err, errNotRecording) {
		t.Errorf("without start: %v", err)
	}
	for n := range 3 {
		s.raise(7)
		path := s.begin()
		if _, err := s.Start(""); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("a second start: %v", err)
		}
		s.raise(n)
		s.Hub.Notification(1, camdriver.Notification{Category: camdriver.NotifyHardwareEvent, Description: "hot"})
		s.WriteLog(&msgs.Log{Msg: "a line"})
		summary, err := s.Stop()
		s.must(err)
		take := rig.ReadTake(t, path)
		if len(take.Depth) != n || summary.Frames != 2*uint64(n) || len(take.Others) != 1 {
			t.Errorf("%d frames and %q, summary %v", len(take.Depth), take.Others, summary)
		}
	}
	var paths []string
	for range 3 { // within one second
		path, err := s.Start("")
		s.must(err)
		s.raise(1)
		_, err = s.Stop()
		s.must(err)
		if take := rig.ReadTake(t, path); slices.Contains(paths, path) || len(take.Depth) != 1 {
			t.Errorf("%s after %q holds %v", path, paths, take.Depth)
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		if take := rig.ReadTake(t, path); len(take.Depth) != 1 {
			t.Errorf("%s was written over", path)
		}
	}
	if _, err := s.Start(filepath.Join(s.prefix, "no", "folder.bag")); err == nil {
		t.Error("a recording into nowhere began")
	}
	s.raise(1) // nobody listens any more
	s.must(s.Close())
}

// blockedWriter is a disk that blocks until it is told to continue.
type blockedWriter struct {
	deviceWriter
	arrived chan struct{} // takes one when a frame is there
	release chan struct{} // closed: the disk works again

	mu   sync.Mutex
	seen []string
}

func (w *blockedWriter) Frame(sensor int, f *camdriver.Frame) error {
	select {
	case w.arrived <- struct{}{}:
	default:
	}
	<-w.release
	w.note("frame")
	return w.deviceWriter.Frame(sensor, f)
}

func (w *blockedWriter) Option(sensor int, id camdriver.OptionID, value float32, at time.Time) error {
	w.note(fmt.Sprint("option ", value))
	return w.deviceWriter.Option(sensor, id, value, at)
}

func (w *blockedWriter) Pause() { w.note("pause"); w.deviceWriter.Pause() }

func (w *blockedWriter) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, what)
}

// wrap puts what with returns between the next recordings and their files.
func (s *studio) wrap(with func(deviceWriter) deviceWriter) {
	create := s.create
	s.create = func(path string, number int, snap camdriver.DeviceSnapshot, bag bagstore.Options) (deviceWriter, error) {
		w, err := create(path, number, snap, bag)
		return with(w), err
	}
}

// stall makes the disk of the next recording stall.
func (s *studio) stall() *blockedWriter {
	disk := &blockedWriter{arrived: make(chan struct{}, 1), release: make(chan struct{})}
	s.wrap(func(w deviceWriter) deviceWriter {
		disk.deviceWriter = w
		return disk
	})
	return disk
}

// TestNoLimit checks that a buffer of size 0 is one without a limit.
func TestNoLimit(t *testing.T) {
	if r := newRecording(Options{}, nil, zerolog.Nop()); r.budget.Limit() < 1<<40 || !r.budget.RoomForSpare(1<<40) {
		t.Errorf("messages of up to %d bytes", r.budget.Limit())
	}
}

// TestDropsWhilePaused checks that frames which are dropped while recording is paused aren't taken from those that are recorded.
func TestDropsWhilePaused(t *testing.T) {
	s := newStudio(t, Options{QueueBytes: 10 * int64(depth0.FrameSize()+color0.FrameSize())})
	disk := s.stall()
	s.begin()
	s.raise(1)
	<-disk.arrived
	s.running().Pause(true)
	s.raise(100)
	f := s.Current().Figures()
	sizes := map[string]uint64{depth0.Stream.String(): uint64(depth0.FrameSize()), color0.Stream.String(): uint64(color0.FrameSize())}
	recorded := uint64(0)
	for _, row := range f.Rows {
		if recorded += row.Messages; row.Drops < 80 || row.Messages > 1 || row.Bytes != row.Messages*sizes[row.Name] {
			t.Errorf("%+v", row)
		}
	}
	if len(f.Rows) != 2 || recorded == 0 {
		t.Errorf("%d frames are recorded or wait, in %d rows", recorded, len(f.Rows))
	}
	close(disk.release)
	if _, err := s.Stop(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); !errors.Is(err, program.ErrIncomplete) {
		t.Errorf("Close: %v", err)
	}
}

// A disk that stalls costs counted frames of the recording and nothing else: no memory beyond the
// bound, no frame of a topic, no event and no answer.
func TestRecordingOnAStalledDisk(t *testing.T) {
	size := int64(depth0.FrameSize()+color0.FrameSize()) + 2*eventSize
	s := newStudio(t, Options{QueueBytes: 10 * size})
	disk := s.stall()
	topic := &frameCount{}
	s.Hub.Attach(topic)
	path := s.begin()
	s.raise(1)
	<-disk.arrived // one frame is at the disk, one waits
	s.Hub.OptionChanged(0, camdriver.OptionExposure, 5)
	s.raise(100)
	s.running().Pause(true)
	s.raise(1)
	if held := s.Current().queue.Size(); held > 10*size {
		t.Errorf("%d bytes wait, the bound is %d", held, 10*size)
	}
	status := s.Current().Status()
	if status.Level != msgs.DiagnosticWarn || !slices.Contains(status.Values, msgs.KeyValue{Key: "Frames", Value: "0"}) {
		t.Errorf("while the disk stands still: %+v", status)
	}
	if topic.n != 204 {
		t.Errorf("the topics got %d frames of 204", topic.n)
	}
	close(disk.release)
	summary, err := s.Stop()
	s.must(err)
	if summary.Frames+summary.Skipped+summary.Dropped != 204 || summary.Skipped != 2 {
		t.Errorf("of 204 frames: %+v", summary)
	}
	// Each stream has half of the memory, and colour has the larger frames.
	for _, id := range []camdriver.StreamID{depth0.Stream, color0.Stream} {
		if c := summary.Row(id.String()); c.Messages+c.Drops != 101 || c.Drops < 85 || c.Drops > 97 {
			t.Errorf("%v: %+v", id, c)
		}
	}
	if !slices.Contains(disk.seen, "option 5") || !slices.Contains(disk.seen, "pause") {
		t.Errorf("the disk saw %q", disk.seen)
	}
	if take := rig.ReadTake(t, path); uint64(len(take.Depth)) != summary.Row(depth0.Stream.String()).Messages {
		t.Errorf("%d depth frames are in the file", len(take.Depth))
	}
	if err := s.Close(); !errors.Is(err, program.ErrIncomplete) {
		t.Errorf("Close: %v", err)
	}
}

var errDisk = errors.New("no space left on device")

// failingWriter fails at its nth frame.
type failingWriter struct {
	deviceWriter
	n int
}

func (w *failingWriter) Frame(sensor int, f *camdriver.Frame) error {
	if w.n--; w.n < 0 {
		return errDisk
	}
	return w.deviceWriter.Frame(sensor, f)
}

// A write error ends the recording with an error; what was written plays, the streams go on, and
// another recording can be started.
func TestRecordingEndsByItselfOnAnError(t *testing.T) {
	s := newStudio(t, Options{})
	s.wrap(func(w deviceWriter) deviceWriter { return &failingWriter{w, 21} })
	topic := &frameCount{}
	s.Hub.Attach(topic)
	path := s.begin()
	s.raise(10)
	s.raise(2)
	<-s.Current().done
	s.raise(10)
	if topic.n != 44 {
		t.Errorf("the topics got %d frames", topic.n)
	}
	if _, err := s.Running(); !errors.Is(err, errDisk) {
		t.Errorf("running: %v", err)
	}
	if status := s.Current().Status(); status.Level != msgs.DiagnosticError || !strings.Contains(status.Message, errDisk.Error()) {
		t.Errorf("status %+v", status)
	}
	checkGapless(t, rig.ReadTake(t, path).Depth, 11)
	s.begin()
	if s.Last.Frames != 21 || s.Last.Dropped == 0 {
		t.Errorf("the recording that failed: %+v", s.Last)
	}
	if err := s.Close(); !errors.Is(err, errDisk) || !errors.Is(err, program.ErrIncomplete) {
		t.Errorf("Close: %v", err)
	}
}

// A part that can't be created ends the recording, too.
func TestRecordingWithoutRoomForTheNextPart(t *testing.T) {
	s := newStudio(t, Options{})
	create, parts := s.create, 0
	s.create = func(path string, number int, snap camdriver.DeviceSnapshot, bag bagstore.Options) (deviceWriter, error) {
		if parts++; parts == 2 {
			return nil, errDisk
		}
		return create(path, number, snap, bag)
	}
	path := s.begin()
	s.raise(3)
	s.running().Split()
	s.raise(1)
	if _, err := s.Stop(); !errors.Is(err, errDisk) {
		t.Errorf("stop: %v", err)
	}
	checkGapless(t, rig.ReadTake(t, path).Depth, 3)
}

// checkpoints counts checkpoints.
type checkpoints struct {
	deviceWriter
	n int
}

func (w *checkpoints) CheckpointIfDue() error  { w.n++; return nil }
func (w *checkpoints) Close() error            { return nil }
func (w *checkpoints) Size() int64             { return 0 }
func (w *checkpoints) Duration() time.Duration { return 0 }
func (w *checkpoints) Stats() (s rsbag.RecorderStats) {
	return s
}

// While no frames arrive, the last ones are still made safe.
func TestRecordingChecksWhileFramesAreSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, Options{})
		w := &checkpoints{}
		s.create = func(string, int, camdriver.DeviceSnapshot, bagstore.Options) (deviceWriter, error) { return w, nil }
		_, err := s.Start("x.bag")
		s.must(err)
		time.Sleep(3*tickEvery + tickEvery/2) // of the bubble's clock
		_, err = s.Stop()
		s.must(err)
		if w.n != 3 {
			t.Errorf("asked %d times in %v", w.n, 3*tickEvery)
		}
	})
}

func TestStampedPath(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 8, 7, 0, time.Local)
	dir := t.TempDir()
	for prefix, want := range map[string]string{
		dir:                         filepath.Join(dir, "2026-11-21-09-08-07.bag"),
		"/nowhere/":                 filepath.FromSlash("/nowhere/2026-11-21-09-08-07.bag"),
		filepath.Join(dir, "walk"):  filepath.Join(dir, "walk_2026-11-21-09-08-07.bag"),
		filepath.Join(dir, "a.bag"): filepath.Join(dir, "a_2026-11-21-09-08-07.bag"),
	} {
		if got := stampedPath(prefix, now, extBag); got != want {
			t.Errorf("stampedPath(%q) = %q, want %q", prefix, got, want)
		}
	}
}

// TestLargeParts checks that a file after a large one is written as a large one from its start, with the memory of the
// files before it.
func TestLargeParts(t *testing.T) {
	s := newStudio(t, Options{})
	create := s.create
	var have []bagstore.Options
	s.create = func(path string, number int, snap camdriver.DeviceSnapshot, bag bagstore.Options) (deviceWriter, error) {
		have = append(have, bag)
		w, err := create(path, number, snap, bag)
		return sizedWriter{w, int64(len(have)) * large / 2}, err
	}
	s.begin()
	for range 3 {
		s.raise(1)
		s.running().Split()
	}
	s.raise(1)
	s.must(s.Close())
	for i, o := range have {
		if want := i >= 2; o.Large != want || o.Staging == nil || o.Staging != have[0].Staging {
			t.Errorf("file %d: large is %v, want %v; memory %p", i, o.Large, want, o.Staging)
		}
	}
	if len(have) != 4 {
		t.Errorf("%d files", len(have))
	}
}

// sizedWriter claims a size.
type sizedWriter struct {
	deviceWriter
	size int64
}

func (w sizedWriter) Size() int64 { return w.size }
