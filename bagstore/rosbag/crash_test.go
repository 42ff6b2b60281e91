package rosbag

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// trial is a recording on a memDisk with occasional checkpoints.
type trial struct {
	disk  *memDisk
	want  []seen
	marks []mark // checkpoints that returned
	final []byte
	err   error
}

// mark records how many messages were safe after how many disk operations.
type mark struct{ ops, messages int }

// Sinks that Options can't choose on a memDisk.
const (
	// wide is a direct sink on a file system whose blocks are larger than a bag's file header.
	wide = bagstore.Direct + 1 + iota
	// growing switches to direct writes in the middle of the recording; growingWide does so with large
	// blocks.
	growing
	growingWide
)

const (
	wideGrain   = 16 << 10
	growingFrom = 30_000
)

func newSink(d disk.Disk, kind bagstore.SinkKind) *disk.Sink {
	mode := func(bool) error { return nil }
	switch kind {
	case wide:
		return disk.NewDirect(d, wideGrain, nil)
	case growing:
		return disk.NewGrowing(d, growingFrom, disk.Grain, nil, mode)
	case growingWide:
		return disk.NewGrowing(d, growingFrom, wideGrain, nil, mode)
	case bagstore.Direct:
		return disk.NewDirect(d, disk.Grain, nil)
	}
	return disk.NewBuffered(d)
}

// recording writes messages with a checkpoint after every 20.
func recording(t *testing.T, d *memDisk, kind bagstore.SinkKind, o bagstore.Options) *trial {
	t.Helper()
	o.ChunkSize, o.Checkpoint = 3000, -1
	s, err := settings{Options: o}.withDefaults()
	need.Must(t, err)
	r := &trial{disk: d}
	w, err := newWriter(newSink(d, kind), s)
	if err != nil {
		r.err = err
		return r
	}
	for i := range 4 {
		if _, err := w.AddConnection(stockbag.StringType(fmt.Sprintf("/topic_%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 150 {
		// Large messages are written from the caller's memory.
		data := stockbag.Text(i, i*37%800+i%10/9*9000)
		conn := uint32(i / 7 % 4)
		if r.err = w.Write(conn, bagstore.Time(1000+i), data[:4], data[4:]); r.err != nil {
			break
		}
		r.want = append(r.want, stockbag.NewMessage(fmt.Sprintf("/topic_%d", conn), bagstore.Time(1000+i), data))
		if i%20 == 19 {
			if r.err = w.Checkpoint(); r.err != nil {
				break
			}
			r.marks = append(r.marks, mark{d.count(), i + 1})
		}
	}
	r.err = errors.Join(r.err, w.Close())
	r.final = bytes.Clone(d.data)
	return r
}

func everySink(t *testing.T, f func(t *testing.T, kind bagstore.SinkKind, o bagstore.Options)) {
	forcedAlike(t)
	for kind, name := range map[bagstore.SinkKind]string{bagstore.Buffered: "buffered", bagstore.Direct: "direct", wide: "wide", growing: "growing", growingWide: "growing-wide"} {
		for _, c := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
			if kind == growingWide && c != bagstore.None {
				continue // growing has it
			}
			t.Run(fmt.Sprintf("%s-%s", name, c), func(t *testing.T) { f(t, kind, bagstore.Options{Compression: c}) })
		}
	}
}

// openBytes opens an image through a reader that reads it ahead in small blocks, as it would a large
// file.
func openBytes(image []byte) (*bagstore.Recording, error) {
	return openReader(aheadOf(image), int64(len(image)), "image", bagstore.OpenOptions{})
}

func aheadOf(image []byte) *disk.Ahead {
	return disk.NewAhead(coldBytes{bytes.NewReader(image)}, int64(len(image)), 512, true)
}

// coldBytes is a file with nothing in the page cache.
type coldBytes struct{ *bytes.Reader }

func (coldBytes) Cached(int64, int) bool { return false }
func (coldBytes) Close() error           { return nil }

func (c coldBytes) Start(p []byte, off int64, done func(int, error)) error {
	go func() {
		n, err := c.ReadAt(p, off)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		done(n, err)
	}()
	return nil
}

// TestCrash cuts the power at random points of a recording; any subset of the blocks written since the
// last sync has reached the disk. Nothing before the last checkpoint is lost, nor any later chunk that
// reached the disk.
func TestCrash(t *testing.T) {
	everySink(t, func(t *testing.T, kind bagstore.SinkKind, o bagstore.Options) {
		r := recording(t, &memDisk{}, kind, o)
		if r.err != nil {
			t.Fatal(r.err)
		}
		whole, err := openBytes(r.final)
		need.Must(t, err)
		rnd := rand.New(rand.NewPCG(7, 7))
		first := slices.IndexFunc(r.disk.ops, func(op diskOp) bool { return op.sync }) + 1 // Create has returned
		dir := t.TempDir()
		for i := range rounds(12) {
			n := first + rnd.IntN(len(r.disk.ops)-first)
			image, lost := r.disk.crash(n, rnd)
			least := r.judge(t, whole, image, n, lost)
			path := filepath.Join(dir, fmt.Sprint(i))
			need.Must(t, os.WriteFile(path, image, 0o600))
			stockFinds(t, path, r.want[:least])
		}
	})
}

// stockFinds checks that the stock libraries open what is left of a recording and find all messages
// that were safe.
func stockFinds(t *testing.T, path string, safe []seen) {
	t.Helper()
	if !stockbag.Available(t) {
		return
	}
	for name, got := range stockbag.Read(t, path) {
		have := make(map[seen]bool)
		for _, s := range got {
			have[s] = true
		}
		for i, s := range safe {
			if !have[s] {
				t.Errorf("%s: %s gives %d messages, but not message %d of %d that were safe", path, name, len(got), i, len(safe))
				break
			}
		}
	}
}

// judge reads the file that a crash left and returns how many messages a checkpoint had made safe.
func (r *trial) judge(t *testing.T, whole *bagstore.Recording, image []byte, n int, lost [][2]int64) int {
	t.Helper()
	least := 0
	for _, m := range r.marks {
		if m.ops <= n {
			least = m.messages
		}
	}
	b, err := openBytes(image)
	if err != nil {
		t.Fatalf("after %d operations: %v", n, err)
	}
	got, err := stockbag.Of(b)
	if err != nil {
		t.Fatalf("after %d operations: %v", n, err)
	}
	have := make(map[seen]bool)
	for _, s := range got {
		have[s] = true
	}
	for i, s := range r.want[:least] {
		if !have[s] {
			t.Fatalf("after %d operations message %d is lost, %d were safe", n, i, least)
		}
	}
	first := 0 // index in the chunk: messages were written in time order
	known := make(map[uint32]bool)
	for _, c := range b.Connections() {
		known[c.ID] = true
	}
	for i := range FileOf(whole).chunks {
		c := &FileOf(whole).chunks[i]
		count := int(c.Messages())
		if r.survived(whole, c, int64(len(image)), lost) {
			for j, s := range r.want[first : first+count] {
				if !have[s] && slices.ContainsFunc(c.Counts, func(k bagstore.ConnCount) bool { return known[k.ID] && FileOf(whole).byID[k.ID].Topic == s.Topic }) {
					t.Fatalf("after %d operations message %d is lost though its chunk at %d is whole; size %d lost %v notes %v", n, first+j, c.Pos, len(image), lost, b.Notes())
				}
			}
		}
		first += count
	}
	return least
}

// survived reports whether all bytes of a chunk are in the image.
func (r *trial) survived(whole *bagstore.Recording, c *chunk, size int64, lost [][2]int64) bool {
	head, err := newChunkReader(FileOf(whole)).header(c)
	if err != nil || dataEnd(head) > size {
		return false
	}
	return !slices.ContainsFunc(lost, func(l [2]int64) bool { return l[0] < dataEnd(head) && l[1] > c.Pos })
}

// TestFullDisk fills the disk at many bytes and checks that the bag is whole up to the last chunk that
// fits.
func TestFullDisk(t *testing.T) {
	everySink(t, func(t *testing.T, kind bagstore.SinkKind, o bagstore.Options) {
		size := int64(len(recording(t, &memDisk{}, kind, o).final))
		first := int64(8192) // with less, Create fails
		if kind == wide {
			first = 2 * wideGrain
		}
		for full := first; full < size; full += 14_033 {
			r := recording(t, &memDisk{full: full}, kind, o)
			if !errors.Is(r.err, syscall.ENOSPC) {
				t.Fatalf("full at %d: %v", full, r.err)
			}
			b, err := openBytes(r.final)
			need.Must(t, err)
			got, err := stockbag.Of(b)
			if err != nil {
				t.Fatalf("full at %d: %v", full, err)
			}
			safe := 0
			if len(r.marks) > 0 {
				safe = r.marks[len(r.marks)-1].messages
			}
			if len(got) < safe || len(got) > len(r.want) {
				t.Fatalf("full at %d: %d messages, %d of %d were safe", full, len(got), safe, len(r.want))
			}
			stockbag.Compare(t, "full", got, r.want[:len(got)])
		}
	})
}

// TestWriteError fails every write from the nth on, half way through.
func TestWriteError(t *testing.T) {
	everySink(t, func(t *testing.T, kind bagstore.SinkKind, o bagstore.Options) {
		calls := recording(t, &memDisk{}, kind, o).disk.calls
		for fail := 2; fail <= calls; fail++ {
			r := recording(t, &memDisk{fail: fail}, kind, o)
			if !errors.Is(r.err, errDisk) {
				t.Fatalf("failing at write %d: %v", fail, r.err)
			}
			if r.final == nil {
				continue // Create failed: there is no recording
			}
			b, err := openBytes(r.final)
			need.Must(t, err)
			got, err := stockbag.Of(b)
			if err != nil {
				t.Fatalf("failing at write %d: %v", fail, err)
			}
			if len(r.marks) > 0 && len(got) < r.marks[len(r.marks)-1].messages {
				t.Fatalf("failing at write %d: %d messages, %v were safe", fail, len(got), r.marks)
			}
			stockbag.Compare(t, "failed", got[:min(len(got), len(r.want))], r.want[:min(len(got), len(r.want))])
		}
	})
}
