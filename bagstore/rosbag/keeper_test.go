package rosbag

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/place"
	"rsros/program/buffers"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/stockbag"
)

// TestTailIsRemoved checks that a closed bag has no tail file and names none.
func TestTailIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := createBag(t, path, bagstore.Options{Checkpoint: time.Hour})
	small.feed(t, w)
	for len(tails(t, path)) == 0 {
		time.Sleep(time.Millisecond) // the keeper uses the system clock
	}
	need.Must(t, w.Close())
	if left := tails(t, path); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	b := openBag(t, path, bagstore.OpenOptions{})
	if FileOf(b).tailToken != 0 || len(b.Notes()) > 0 {
		t.Errorf("token %#x, notes %v", FileOf(b).tailToken, b.Notes())
	}
}

// keeperOf returns a keeper for w, with tail token 7, that checks only on request. A file at path stands for the bag.
func keeperOf(t *testing.T, w *Writer, path string) *keeper {
	t.Helper()
	f, err := place.New(path, false)
	need.Must(t, err)
	if err := f.Truncate(1 << 20); err != nil { // long enough for the keeper
		t.Fatal(err)
	}
	w.file = f
	w.keeper = &keeper{w: w, stop: make(chan struct{}), tail: newTailFile(tailPath(path, 7), 7)}
	return w.keeper
}

// TestTailOnFullDisk checks that, after the disk was full, the tail file stays only if it has messages
// that the bag lacks.
func TestTailOnFullDisk(t *testing.T) {
	for name, messages := range map[string]int{"needed": 2, "not needed": 1} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.bag")
			d := &memDisk{}
			w, err := newWriter(disk.NewBuffered(d), settings{Options: bagstore.Options{Compression: bagstore.None, ChunkSize: 1000, Checkpoint: -1, NoSync: true, Now: time.Now}, tail: 7})
			need.Must(t, err)
			k := keeperOf(t, w, path)
			if _, err := w.AddConnection(stockbag.StringType("/kill")); err != nil {
				t.Fatal(err)
			}
			for i := range messages {
				need.Must(t, w.Write(0, bagstore.Time(i+1), stockbag.Text(i, 10)))
				k.tick()
				k.tick()
				if i < messages-1 || messages == 1 {
					need.Must(t, w.Checkpoint())
				}
			}
			d.full = int64(len(d.data))
			if messages == 1 {
				err = w.Write(0, bagstore.Time(9), stockbag.Text(9, 2000))
				if !errors.Is(err, syscall.ENOSPC) && !errors.Is(w.c.failed(), syscall.ENOSPC) {
					t.Errorf("on a full disk Write returned %v", err)
				}
			}
			left := tails(t, path)
			if len(left) != 1 {
				t.Fatalf("tail files before Close: %v", left)
			}
			err = w.Close()
			if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), left[0]) != (name == "needed") {
				t.Errorf("Close: %v", err)
			}
			if stays := len(tails(t, path)) > 0; stays != (name == "needed") {
				t.Errorf("the tail file stays: %v", stays)
			}
		})
	}
}

func tails(t *testing.T, path string) []string {
	t.Helper()
	list, err := filepath.Glob(path + ".tail-*")
	need.Must(t, err)
	return list
}

// TestGone checks that the writer notices when the file it records is deleted, replaced or truncated,
// and that a replacement is left alone.
func TestGone(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"deleted": os.Remove,
		"replaced": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.WriteFile(path, []byte("theirs"), 0o600)
		},
		"truncated": func(path string) error { return os.Truncate(path, 100) },
	} {
		t.Run(name, func(t *testing.T) {
			eachSink(t, func(t *testing.T, o bagstore.Options) {
				path := filepath.Join(t.TempDir(), "x.bag")
				w := createBag(t, path, o)
				small.feed(t, w)
				need.Must(t, w.Checkpoint())
				switch err := harm(path); {
				case err != nil && runtime.GOOS == "windows": // Windows doesn't remove open files
					if err := w.Close(); err != nil {
						t.Error(err)
					}
					return
				case err != nil:
					t.Fatal(err)
				}
				var err error
				for err == nil {
					time.Sleep(time.Millisecond) // the keeper uses the system clock
					err = w.CheckpointIfDue()
				}
				if !errors.Is(err, bagstore.ErrGone) {
					t.Errorf("got %v", err)
				}
				if err := w.Close(); !errors.Is(err, bagstore.ErrGone) {
					t.Errorf("Close: %v", err)
				}
				if name == "replaced" {
					if got, err := os.ReadFile(path); err != nil || string(got) != "theirs" {
						t.Errorf("their file holds %q, %v", got, err)
					}
				}
			})
		})
	}
}

// TestGoneAtTheEnd checks that Close finds a file gone that the keeper hasn't looked at since.
func TestGoneAtTheEnd(t *testing.T) {
	eachSink(t, func(t *testing.T, o bagstore.Options) {
		path := filepath.Join(t.TempDir(), "x.bag")
		w := createBag(t, path, o)
		small.feed(t, w)
		if err := os.Remove(path); err != nil {
			_ = w.Close()
			need.NotOnWindows(t, err)
		}
		if err := w.Close(); !errors.Is(err, bagstore.ErrGone) {
			t.Errorf("Close: %v", err)
		}
	})
}

// TestGrowingFileIsThere checks that a file that grows while the keeper checks it isn't reported as
// truncated.
func TestGrowingFileIsThere(t *testing.T) {
	w := createBag(t, filepath.Join(t.TempDir(), "x.bag"), bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 1, NoSync: true})
	stop, looked := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				looked <- nil
				return
			default:
				if err := w.file.Gone(w.c.inFile.Load()); err != nil {
					looked <- err
					return
				}
			}
		}
	}()
	for range 20 {
		small.feed(t, w)
	}
	close(stop)
	if err := errors.Join(<-looked, w.Close()); err != nil {
		t.Error(err)
	}
}

// TestTailFollowsBag checks that a chunk enters the tail file only after the chunks before it are in
// the bag, so that a kill leaves no gap.
func TestTailFollowsBag(t *testing.T) {
	for _, c := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		t.Run(string(c), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.bag")
			d, looked, may := &memDisk{}, false, make(chan struct{})
			w, err := newWriter(disk.NewDirect(d, disk.Grain, nil), settings{Options: bagstore.Options{Sink: bagstore.Direct, Compression: c, ChunkSize: 1000, Checkpoint: -1, Workers: 8, NoSync: true, Now: time.Now}, tail: 7})
			need.Must(t, err)
			k := keeperOf(t, w, path)
			if _, err := w.AddConnection(stockbag.StringType("/kill")); err != nil {
				t.Fatal(err)
			}
			d.hook = func() {
				if list := tails(t, path); len(list) > 0 && !looked {
					t.Error("the second chunk is in the tail file before the first one is in the bag")
				}
				if c != bagstore.None {
					<-may
				}
				looked = true
			}
			for i, size := range []int{2000, 10} { // one chunk, and the beginning of another
				need.Must(t, w.Write(0, bagstore.Time(i+1), stockbag.Text(i, size)))
			}
			for c != bagstore.None && w.c.committed.Load() == 0 {
				time.Sleep(time.Millisecond) // the workers use the system clock
			}
			k.tick()
			k.tick()
			k.tick()
			if c != bagstore.None && len(tails(t, path)) > 0 {
				t.Error("the second chunk is in the tail file while the first one is being written")
			}
			close(may)
			for len(tails(t, path)) == 0 {
				k.tick()
				time.Sleep(time.Millisecond)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// stuckDisk holds up a write until it is told to continue.
type stuckDisk struct {
	*os.File
	stuck chan []byte
	until chan struct{}
}

func (d stuckDisk) WriteAt(b []byte, at int64) (int, error) {
	if len(b) != tailHeader {
		d.stuck <- b
		<-d.until
	}
	return d.File.WriteAt(b, at)
}

// TestTailDoesNotHoldUpWrite checks that messages are written while the tail file waits for the disk, and that those that it
// waits with stay what they were.
func TestTailDoesNotHoldUpWrite(t *testing.T) {
	for _, c := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		t.Run(string(c), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.bag")
			w, err := newWriter(disk.NewBuffered(&memDisk{}), settings{Options: bagstore.Options{Compression: c, ChunkSize: 1000, Checkpoint: -1, Workers: 1, NoSync: true, Now: time.Now}, tail: 7})
			need.Must(t, err)
			k := keeperOf(t, w, path)
			f, err := os.Create(tailPath(path, 7))
			need.Must(t, err)
			tail := stuckDisk{f, make(chan []byte), make(chan struct{})}
			k.tail.f = tail
			_, err = w.AddConnection(stockbag.StringType("/kill"))
			need.Must(t, errors.Join(err, w.Write(0, 1, stockbag.Text(1, 100))))
			k.tick()
			ticked := make(chan struct{})
			go func() { k.tick(); close(ticked) }()
			content := <-tail.stuck
			want := slices.Clone(content)
			for i := range 20 { // chunks, whose memory is used in turns
				need.Must(t, w.Write(0, bagstore.Time(i+2), stockbag.Text(i+2, 2000)))
				need.Must(t, w.Checkpoint())
			}
			if !slices.Equal(content, want) {
				t.Error("the message that waits was overwritten")
			}
			close(tail.until)
			<-ticked
			need.Must(t, w.Close())
		})
	}
}

// TestWritesUnderWay checks that the file isn't expected to contain writes in progress.
func TestWritesUnderWay(t *testing.T) {
	d := &memDisk{}
	w, err := newWriter(disk.NewDirect(d, disk.Grain, nil), settings{Options: bagstore.Options{Sink: bagstore.Direct, Compression: bagstore.None, ChunkSize: 1000, Checkpoint: -1, NoSync: true, Now: time.Now}})
	need.Must(t, err)
	d.gate = make(chan struct{})
	if _, err := w.AddConnection(stockbag.StringType("/kill")); err != nil {
		t.Fatal(err)
	}
	need.Must(t, w.Lend(0, 1, func() {}, buffers.Aligned(2*disk.LendLeast, disk.Grain)))
	if n, has := w.c.inFile.Load(), firstChunk; n > int64(has) {
		t.Errorf("the file is expected to have %d bytes; it surely has %d", n, has)
	}
	close(d.gate)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestKeeperWhileWriteWaits checks that messages reach the tail file while the disk blocks Write.
func TestKeeperWhileWriteWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	d, stuck := &memDisk{}, make(chan struct{})
	w, err := newWriter(disk.NewBuffered(d), settings{Options: bagstore.Options{Compression: bagstore.LZ4, ChunkSize: 1000, Checkpoint: -1, Workers: 1, NoSync: true, Now: time.Now}, tail: 7})
	need.Must(t, err)
	k := keeperOf(t, w, path)
	if _, err := w.AddConnection(stockbag.StringType("/kill")); err != nil {
		t.Fatal(err)
	}
	d.hook = func() { <-stuck }
	const messages = 20 // each is a chunk; more than may be in flight
	written := make(chan error)
	var returned atomic.Int64
	go func() {
		for i := range messages {
			if err := w.Write(0, bagstore.Time(i+1), stockbag.Text(i, 2000)); err != nil {
				written <- err
				return
			}
			returned.Add(1)
		}
		written <- nil
	}()
	peer.Await(t, "the chunks in the tail file", func() bool {
		k.tick() // blocked along with Write
		f, err := place.Open(t.Context(), tailPath(path, 7))
		if err != nil {
			return false // nothing in it yet
		}
		defer f.Close()
		n := 0
		for range readTailSlots(f, f.Size, 7, 0) {
			n++
		}
		return n > cap(w.c.queue) && int64(n) >= returned.Load()
	})
	close(stuck)
	if err := errors.Join(<-written, w.Close()); err != nil {
		t.Error(err)
	}
}

// TestLiveDoesNotWait checks that a live recording writes uncompressed what it has no time to compress,
// and reports how much. Stock readers accept the mixture.
func TestLiveDoesNotWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := createBag(t, path, bagstore.Options{Compression: bagstore.BZ2, ChunkSize: 1000, Checkpoint: time.Hour, Workers: 1, Live: true, NoSync: true}, "/kill")
	var want []seen
	for i := range 300 { // faster than any compressor
		data := stockbag.Text(i, 5000)
		need.Must(t, w.Write(0, bagstore.Time(i+1), data))
		want = append(want, stockbag.NewMessage("/kill", bagstore.Time(i+1), data))
	}
	need.Must(t, w.Close())
	if got := readAll(t, path, bagstore.OpenOptions{}); !slices.Equal(got, want) {
		t.Errorf("%d messages are in the bag, %d were written, or they differ", len(got), len(want))
	}
	if raw := w.c.raw.Load(); raw == 0 || !strings.Contains(w.WriteMethod(), fmt.Sprintf("%d of 300 chunks uncompressed", raw)) {
		t.Errorf("%d chunks are uncompressed: %s", raw, w.WriteMethod())
	}
	if stockbag.Available(t) {
		for name, got := range stockbag.Read(t, path) {
			if got := stockbag.ByTime(got); !slices.Equal(got, want) {
				t.Errorf("%s reads %d messages", name, len(got))
			}
		}
	}
}

// TestFirstCheckpointDoesNotWait checks that the first checkpoint of a live recording doesn't wait for
// a chunk that is slow to compress.
func TestFirstCheckpointDoesNotWait(t *testing.T) {
	d := &memDisk{}
	w, err := newWriter(disk.NewBuffered(d), settings{Options: bagstore.Options{Compression: bagstore.BZ2, ChunkSize: 1 << 30, Checkpoint: -1, Workers: 1, Live: true, NoSync: true, Now: time.Now}})
	need.Must(t, err)
	if _, err := w.AddConnection(stockbag.StringType("/kill")); err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 1<<19) // with the race detector, over a second of compression
	rnd := rand.NewChaCha8([32]byte{})
	_, _ = rnd.Read(noise)
	need.Must(t, w.Write(0, 1, noise))
	need.Must(t, w.Checkpoint())
	if raw := w.c.raw.Load(); raw != 1 {
		t.Errorf("%d chunks are uncompressed", raw)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestTailHasNoHoles checks that a chunk isn't copied to the tail file before all earlier ones are safe: after a kill, messages
// in the middle would be missing.
func TestTailHasNoHoles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w, err := newWriter(disk.NewBuffered(&memDisk{}), settings{Options: bagstore.Options{Compression: bagstore.None, Checkpoint: -1, NoSync: true, Now: time.Now}, tail: 7})
	need.Must(t, err)
	k := keeperOf(t, w, path)
	k.copying = []sealedJob{{2, nil, []byte("the second chunk")}, {3, nil, []byte("the begin of the open chunk")}}
	k.seen = 3
	for _, c := range []struct {
		safe uint64
		want int
	}{{0, 0}, {1, 1}} { // the first chunk is on its way; on the disk
		k.safe = c.safe
		if k.put(); len(tails(t, path)) != c.want {
			t.Errorf("%d chunks are safe: the tail files are %v", c.safe, tails(t, path))
		}
	}
	if k.safe != 2 {
		t.Errorf("chunks up to %d count as safe, but the third is open", k.safe)
	}
	k.copying = nil
	if err := w.Close(); err == nil {
		t.Error("the copied chunk isn't missing")
	}
}
