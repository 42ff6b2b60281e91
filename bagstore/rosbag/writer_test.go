package rosbag

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/program/buffers"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// TestDeterministic checks that the same input produces the same bytes, also with workers.
func TestDeterministic(t *testing.T) {
	for _, o := range ways() {
		o.ChunkSize, o.Checkpoint = 5000, -1
		var first []byte
		for i := range 4 {
			path := filepath.Join(t.TempDir(), "x.bag")
			small.write(t, path, o)
			b, err := os.ReadFile(path)
			need.Must(t, err)
			if i == 0 {
				first = b
			} else if !bytes.Equal(b, first) {
				t.Fatalf("%+v: run %d differs", o, i)
			}
		}
	}
}

// TestReaches checks that the chunk with which a file reaches a length doesn't depend on how fast chunks are compressed.
func TestReaches(t *testing.T) {
	const size = 300_000
	for _, kind := range []bagstore.Compression{bagstore.None, bagstore.LZ4, bagstore.BZ2} {
		path := filepath.Join(t.TempDir(), "x.bag")
		w := createBag(t, path, bagstore.Options{Compression: kind, ChunkSize: 20_000, Workers: 4, Checkpoint: -1, NoSync: true}, "/t")
		random := rand.New(rand.NewPCG(1, 2))
		put := func() {
			data := make([]byte, 1000)
			for i := range data {
				data[i] = byte(random.IntN(8))
			}
			need.Must(t, w.Write(0, 1, data))
		}
		for !w.Reaches(size) {
			put()
		}
		full := w.Stats().Chunks
		for w.Stats().Chunks == full {
			put()
		}
		need.Must(t, w.Close())
		blocks := openBag(t, path, bagstore.OpenOptions{}).Blocks()
		if blocks[full-1].Pos >= size || blocks[full].Pos < size {
			t.Errorf("%s: %d is reached with chunk %d, which is from %d to %d", kind, size, full, blocks[full-1].Pos, blocks[full].Pos)
		}
	}
}

// TestNoParts checks an empty message whose connection alone fills the chunk.
func TestNoParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := createBag(t, path, bagstore.Options{ChunkSize: 1})
	id, err := w.AddConnection(stockbag.StringType("/nothing"))
	need.Must(t, err)
	need.Must(t, errors.Join(w.Write(id, 1), w.Lend(id, 2, func() {}), w.Close()))
	stockbag.Compare(t, "nothing", readAll(t, path, bagstore.OpenOptions{}), []seen{stockbag.NewMessage("/nothing", 1, nil), stockbag.NewMessage("/nothing", 2, nil)})
}

// TestDirectAlignment checks that page-aligned pixels start at a block of the file, and that the file
// ends with its last record.
func TestDirectAlignment(t *testing.T) {
	if !slices.Contains(sinks(), bagstore.Direct) {
		need.System(t, "no direct writing on this system")
	}
	path := filepath.Join(t.TempDir(), "x.bag")
	w := createBag(t, path, bagstore.Options{Sink: bagstore.Direct, Checkpoint: -1})
	if why := w.c.sink.Fallback(); why != nil {
		need.Missing(t, "no direct writing here: %v", why)
	}
	id, err := w.AddConnection(stockbag.StringType("/pixels"))
	need.Must(t, err)
	pixels := buffers.Aligned(900_001, disk.Grain)
	marker := []byte("here the pixels begin")
	copy(pixels, marker)
	var want []seen
	for i := range 5 {
		head := binary.LittleEndian.AppendUint32(nil, uint32(len(pixels)+1))
		tail := []byte{byte(i)}
		need.Must(t, w.Write(id, bagstore.Time(i+1), head, pixels, tail))
		want = append(want, stockbag.NewMessage("/pixels", bagstore.Time(i+1), bytes.Join([][]byte{head, pixels, tail}, nil)))
	}
	need.Must(t, w.Close())
	raw, err := os.ReadFile(path)
	need.Must(t, err)
	found := 0
	for at := 0; ; found++ {
		i := bytes.Index(raw[at:], marker)
		if i < 0 {
			break
		}
		if (at+i)%disk.Grain != 0 {
			t.Errorf("pixels at byte %d", at+i)
		}
		at += i + 1
	}
	if found != 5 {
		t.Errorf("found pixels %d times", found)
	}
	everywhere(t, path, want)
	if b, err := Open(path, bagstore.OpenOptions{}); err != nil || len(b.Notes()) > 0 {
		t.Errorf("%v %v", b.Notes(), err)
	} else {
		b.Close()
	}
}

// TestInProgress reads a bag while it is written.
func TestInProgress(t *testing.T) {
	for _, kind := range sinks() {
		path := filepath.Join(t.TempDir(), "x.bag")
		w := createBag(t, path, bagstore.Options{ChunkSize: 4000, Sink: kind, Checkpoint: -1})
		if got := readAll(t, path, bagstore.OpenOptions{}); len(got) != 0 {
			t.Errorf("an empty bag has %d messages", len(got))
		}
		want := small.feed(t, w)
		need.Must(t, w.Checkpoint())
		small.feedMore(t, w)
		got := readAll(t, path, bagstore.OpenOptions{})
		if len(got) < len(want) {
			t.Errorf("%d messages, want at least %d", len(got), len(want))
		}
		stockFinds(t, path, want)
		need.Must(t, w.Close())
		everywhere(t, path, readAll(t, path, bagstore.OpenOptions{}))
	}
}

func (s sample) feedMore(t testing.TB, w *Writer) {
	t.Helper()
	for i := range s.Messages {
		need.Must(t, w.Write(0, stockbag.Strings(s).Time(s.Messages)+bagstore.Time(i), stockbag.Text(i, 50)))
	}
}

// TestCheckpointOverhead records for an hour of an injected clock: replaced index sections take less
// than 1 % of the bag plus the allowance for a topic this slow.
func TestCheckpointOverhead(t *testing.T) {
	forcedAlike(t)
	now := time.Unix(0, 0)
	d := &memDisk{}
	o, err := settings{Options: bagstore.Options{ChunkSize: 2000, Now: func() time.Time { return now }}}.withDefaults()
	need.Must(t, err)
	w, err := newWriter(disk.NewBuffered(d), o)
	need.Must(t, err)
	for i := range 20 {
		if _, err := w.AddConnection(stockbag.StringType(fmt.Sprintf("/%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 7200 {
		now = now.Add(500 * time.Millisecond)
		need.Must(t, w.Write(uint32(i%20), bagstore.Time(i+1), stockbag.Text(i, 1500)))
		if i%100 == 0 { // let a checkpoint in progress end
			w.c.sync.Wait()
		}
	}
	need.Must(t, w.Close())
	stale, checkpoints := w.c.stale.Load(), w.c.checkpoints.Load()
	if stale > w.Size()/100+64<<10+3600*stalePerSecond || checkpoints < 3 {
		t.Errorf("%d bytes of %d are replaced index sections of %d checkpoints", stale, w.Size(), checkpoints)
	}
}

func TestWriterRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, o := range []bagstore.Options{{Compression: "zip"}, {ChunkSize: -1}, {ChunkSize: 1<<30 + 1}} {
		if _, err := Create(filepath.Join(dir, "x.bag"), o); err == nil {
			t.Errorf("Create takes %+v", o)
		}
	}
	if _, err := Create(filepath.Join(dir, "no", "x.bag"), bagstore.Options{}); err == nil {
		t.Error("Create makes a bag in a folder that isn't there")
	}
	w := createBag(t, filepath.Join(dir, "x.bag"), bagstore.Options{})
	if err := w.Write(0, 1, nil); err == nil {
		t.Error("Write takes an unknown connection")
	}
	need.Must(t, w.Close())
	if err := w.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if err := w.Write(0, 1, nil); err == nil {
		t.Error("Write takes messages after Close")
	}
}
