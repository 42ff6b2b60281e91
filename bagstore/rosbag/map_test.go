package rosbag

import (
	"bytes"
	"errors"
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

// Mapped messages equal the written ones, small ones and other connections are still read, and a held
// message outlives the iterator and the bag.
func TestMapped(t *testing.T) {
	forcedAlike(t)
	path := filepath.Join(t.TempDir(), "images.bag")
	w := createBag(t, path, bagstore.Options{})
	for _, topic := range []string{"/mapped", "/read"} {
		if _, err := w.AddConnection(stockbag.StringType(topic)); err != nil {
			t.Fatal(err)
		}
	}
	var want [][]byte
	for i, size := range []int{3 * mapLeast, 3 * mapLeast, 100, mapLeast, 2*mapLeast + 1} {
		data := bytes.Repeat([]byte{byte('a' + i)}, size)
		need.Must(t, w.Write(uint32(i%2), bagstore.Time(1000+i), data))
		want = append(want, data)
	}
	need.Must(t, w.Close())
	bag, err := Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	v := bagstore.NewView([]*bagstore.Recording{bag}, bagstore.Query{Mapped: func(c *bagstore.Connection) bool { return c.Topic == "/mapped" }})
	maps := strings.HasPrefix(disk.MapCall(), "yes") // Linux, but not under emulation
	it := v.Iterator()
	var blocks []*bagstore.Buffer
	for i := 0; it.Next(); i++ {
		m := it.Message()
		if !bytes.Equal(m.Data, want[i]) {
			t.Errorf("message %d of %d bytes is another one, of %d", i, len(want[i]), len(m.Data))
		}
		mapped := i%2 == 0 && len(want[i]) >= mapLeast && maps
		if got := m.At == 0; got != mapped {
			t.Errorf("message %d: mapped %v, want %v", i, got, mapped)
		}
		blocks = append(blocks, m.Retain())
		if i == len(want)-1 {
			it.Close()
			bag.Close()
			if !bytes.Equal(m.Data, want[i]) {
				t.Error("a held message changed when its bag was closed")
			}
			break
		}
	}
	if it.Err() != nil || len(blocks) != len(want) {
		t.Errorf("%d messages, %v", len(blocks), it.Err())
	}
	for _, b := range blocks {
		b.Release()
	}
}

// A file truncated after it was opened returns an error, as without mapping.
func TestMappedCutShort(t *testing.T) {
	forcedAlike(t)
	path := filepath.Join(t.TempDir(), "cut.bag")
	w := createBag(t, path, bagstore.Options{}, "/t")
	need.Must(t, w.Write(0, 1000, make([]byte, 4*mapLeast)))
	need.Must(t, w.Close())
	bag := openBag(t, path, bagstore.OpenOptions{})
	v := bagstore.NewView([]*bagstore.Recording{bag}, bagstore.Query{Mapped: func(*bagstore.Connection) bool { return true }})
	it := v.Iterator()
	defer it.Close()
	if !it.SkipNext() { // reads the index while the file is whole
		t.Fatal(it.Err())
	}
	need.Must(t, os.Truncate(path, 2*mapLeast))
	it.Seek(0)
	if it.Next() || !errors.Is(it.Err(), io.ErrUnexpectedEOF) {
		t.Errorf("gave %v", it.Err())
	}
}
