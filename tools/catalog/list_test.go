package catalog

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"runtime"
	"testing"

	"rsros/bagstore/place"
)

// manyKeys is a store that says how much memory its listing has made the reader hold.
type manyKeys struct{ held int64 }

const keys = 100_000

func (m *manyKeys) List(context.Context, string) iter.Seq2[place.Info, error] {
	return func(yield func(place.Info, error) bool) {
		heap := func() int64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		m.held = -heap()
		for i := range keys {
			if !yield(place.Info{Name: fmt.Sprintf("many://bucket/%09d.bag", i), Version: fmt.Sprintf("%032x", i)}, nil) {
				return
			}
		}
		m.held += heap()
	}
}

func (*manyKeys) Open(context.Context, string) (place.Object, error) { return nil, fs.ErrNotExist }

func (*manyKeys) Put(context.Context, string, io.ReaderAt, int64, place.PutOptions) (place.Info, error) {
	return place.Info{}, fs.ErrPermission
}

func (*manyKeys) Remove(context.Context, string) error { return nil }

// TestMemoryOfListing checks that of a listing only the addresses are held, here of 27 bytes.
func TestMemoryOfListing(t *testing.T) {
	store := new(manyKeys)
	place.Register("many", store)
	names, err := Recordings(t.Context(), []string{"many://bucket/"})
	if err != nil || len(names) != keys || names[0] != "many://bucket/000000000.bag" {
		t.Fatal(len(names), err)
	}
	if store.held > 80*keys {
		t.Errorf("%d bytes are held for each recording", store.held/keys)
	}
}
