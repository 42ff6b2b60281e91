package rosbag

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// badBytes is a file with nothing in the page cache and an unreadable range.
type badBytes struct {
	coldBytes
	from, to int64
}

// mostHeader is the length of a message record's header, including the spare field that aligns the data
// to a page.
const mostHeader = 100 + disk.Grain

var errSector = errors.New("bad sector")

func (b badBytes) ReadAt(p []byte, off int64) (int, error) {
	if off < b.to && off+int64(len(p)) > b.from {
		n, _ := b.coldBytes.ReadAt(p[:max(b.from-off, 0)], off)
		return n, errSector
	}
	return b.coldBytes.ReadAt(p, off)
}

func (b badBytes) Start(p []byte, off int64, done func(int, error)) error {
	go func() {
		n, err := b.ReadAt(p, off)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		done(n, err)
	}()
	return nil
}

// imageBag returns a bag of large messages, which are read one by one, and small ones, whose chunks are
// read whole, and the offset of message bad.
func imageBag(t *testing.T, count, bad int) (image []byte, want []seen, at int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "images.bag")
	w := createBag(t, path, bagstore.Options{ChunkSize: 40_000, NoSync: true}, "/image")
	var data []byte
	for i := range count {
		size := 90_000 + 1000*i
		if i%3 == 0 {
			size = 9000
		}
		d := stockbag.Text(i, size)
		if i == bad {
			data = d
		}
		need.Must(t, w.Write(0, bagstore.Time(1000+i), d))
		want = append(want, stockbag.NewMessage("/image", bagstore.Time(1000+i), d))
	}
	need.Must(t, w.Close())
	image, err := os.ReadFile(path)
	need.Must(t, err)
	return image, want, int64(bytes.Index(image, data))
}

func openAhead(t *testing.T, f badBytes) *bagstore.Recording {
	t.Helper()
	a := disk.NewAhead(f, f.Size(), 64<<10, true)
	b := newFile(a, f.Size(), "image")
	b.ahead = a
	need.Must(t, b.open(bagstore.OpenOptions{}, false))
	return b.recording()
}

// TestBorrowed checks that messages read ahead aren't copied, and that a held message doesn't change
// while others are read or when the bag is closed.
func TestBorrowed(t *testing.T) {
	image, want, _ := imageBag(t, 60, 0)
	b := openAhead(t, badBytes{coldBytes: coldBytes{bytes.NewReader(image)}})
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
	it := v.Iterator()
	type kept struct {
		i    int
		data []byte
		b    *bagstore.Buffer
	}
	var held []kept
	borrowed := 0
	for i := 0; it.Next(); i++ {
		m := it.Message()
		if got := stockbag.Sum(m.Data); got != want[i].Sum {
			t.Errorf("message %d is another one", i)
		}
		if m.Buffer.Borrowed() {
			borrowed++
		}
		if i%20 == 11 {
			held = append(held, kept{i, m.Data, m.Retain()})
		}
	}
	if it.Err() != nil || borrowed == 0 {
		t.Errorf("%d of %d messages were borrowed, %v", borrowed, len(want), it.Err())
	}
	it.Close()
	if err := FileOf(b).ahead.Close(); err != nil {
		t.Error(err)
	}
	for _, k := range held {
		if stockbag.Sum(k.data) != want[k.i].Sum {
			t.Errorf("message %d, which is kept, has changed", k.i)
		}
		k.b.Release()
	}
}

// TestBadSector checks that an unreadable range inside a block costs only the message it is in, and
// that the error says where.
func TestBadSector(t *testing.T) {
	const bad = 31
	image, want, at := imageBag(t, 60, bad)
	b := openAhead(t, badBytes{coldBytes{bytes.NewReader(image)}, at + 50_000, at + 50_512})
	defer FileOf(b).ahead.Close()
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	for i := range want {
		ok := it.Next()
		if i != bad {
			if !ok || stockbag.Sum(it.Message().Data) != want[i].Sum {
				t.Errorf("message %d: %v, %v", i, ok, it.Err())
			}
			continue
		}
		fault, is := errors.AsType[*bagstore.FormatError](it.Err())
		if ok || !is || !errors.Is(fault, errSector) || fault.Path != "image" || fault.Offset > at || fault.Offset < at-mostHeader {
			t.Errorf("message %d at %d: %v, %v", i, at, ok, it.Err())
		}
	}
}

// TestCheckBadSector checks that Check reads whole messages, not only their headers.
func TestCheckBadSector(t *testing.T) {
	image, want, at := imageBag(t, 60, 31)
	b := openAhead(t, badBytes{coldBytes{bytes.NewReader(image)}, at + 50_000, at + 50_512})
	defer FileOf(b).ahead.Close()
	rep, err := FileOf(b).Check(t.Context(), bagstore.CheckOptions{})
	if err != nil || rep.Outcome != bagstore.Damaged || rep.Messages != uint64(len(want)-1) || len(rep.Notes) != 1 {
		t.Fatalf("%v %+v", err, rep)
	}
	if n := rep.Notes[0]; n.Severity != bagstore.Loss || n.Offset > at || n.Offset < at-mostHeader || !strings.Contains(n.Text, errSector.Error()) {
		t.Errorf("the message is at %d: %+v", at, n)
	}
}

// TestMappedTail checks that messages from a killed recorder's tail file aren't mapped from the bag,
// which has other bytes at their offsets.
func TestMappedTail(t *testing.T) {
	forcedAlike(t)
	path := filepath.Join(t.TempDir(), "torn.bag")
	w := createBag(t, path, bagstore.Options{}, "/t")
	for i := range 2 {
		need.Must(t, w.Write(0, bagstore.Time(1000+i), bytes.Repeat([]byte{byte('a' + i)}, 4*mapLeast)))
	}
	need.Must(t, w.Close())
	b := openBag(t, path, bagstore.OpenOptions{})
	image, err := os.ReadFile(path)
	need.Must(t, err)
	cut := FileOf(b).chunks[1].Pos
	FileOf(b).r = &joined{FileOf(b).r, cut, bytes.ReplaceAll(image[cut:], []byte("bbbb"), []byte("tail"))}
	v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{Mapped: func(*bagstore.Connection) bool { return true }})
	it := v.Iterator()
	defer it.Close()
	for _, want := range []string{"aaaa", "tail"} {
		if !it.Next() {
			t.Fatal(it.Err())
		}
		if got := fmt.Sprintf("%.4s", it.Message().Data); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
