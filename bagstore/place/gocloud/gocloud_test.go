//go:build gocloud

package gocloud

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"

	"rsros/bagstore/place"
	"rsros/test/bucket"
	"rsros/test/need"
)

func content(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b) // never fails
	return b
}

// TestGoogle uses fake-gcs-server, TestAzure uses Microsoft's Azurite.
func TestGoogle(t *testing.T) { testStore(t, bucket.GCS(t), google{}.sums()) }

func TestAzure(t *testing.T) {
	address := bucket.Azure(t, need.Variable(t, "RS_AZURITE"))
	b, err := blob.OpenBucket(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var c *container.Client
	if !b.As(&c) {
		t.Fatal("no client")
	}
	if _, err := c.Create(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	testStore(t, address, azure{}.sums())
}

// testStore writes, finds, reads, lists and removes objects, with and without conditions.
func testStore(t *testing.T, address string, sums bool) {
	for scheme, s := range Stores() {
		place.Register(scheme, s)
	}
	ctx := t.Context()
	for _, n := range []int{0, 10, 64<<10 + 1, 20 << 20} {
		want := content(n)
		name := place.Join(address, "a folder", fmt.Sprint(n, ".bag"))
		first, err := place.Put(ctx, name, bytes.NewReader(want), int64(n), place.PutOptions{New: true})
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if _, err := place.Put(ctx, name, strings.NewReader("x"), 1, place.PutOptions{New: true}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%d bytes: an object was replaced: %v", n, err)
		}
		if _, err := place.Put(ctx, name, strings.NewReader("x"), 1, place.PutOptions{Replaces: "1234"}); !errors.Is(err, place.ErrChanged) {
			t.Errorf("%d bytes: another version was replaced: %v", n, err)
		}
		f, err := place.Open(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()+1))
		if err != nil || !bytes.Equal(got, want) || f.Info().Version != first.Version || first.Version == "" {
			t.Errorf("%d bytes: read %d of version %q, %q was written: %v", n, len(got), f.Info().Version, first.Version, err)
		}
		f.Close()
	}
	var names []string
	for i, err := range place.List(ctx, place.Join(address, "a folder/6")) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprint(i.Name, " ", i.Size, " ", i.Version != ""))
	}
	if want := []string{address + "/a folder/65537.bag 65537 true"}; !slices.Equal(names, want) {
		t.Errorf("listed %q", names)
	}
	changed(t, place.Join(address, "changed.bag"))
	whole(t, place.Join(address, "torn.bag"), sums)
	race(t, place.Join(address, "race.bag"))
	name := place.Join(address, "a folder/10.bag")
	for range 2 {
		if err := place.Remove(ctx, name); err != nil {
			t.Error(err)
		}
	}
	if _, err := place.Stat(ctx, name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed object: %v", err)
	}
}

// changed replaces an object while it is read.
func changed(t *testing.T, name string) {
	b := content(1 << 20)
	first, err := place.Put(t.Context(), name, bytes.NewReader(b), 1<<20, place.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := place.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b[0]++
	second, err := place.Put(t.Context(), name, bytes.NewReader(b), 1<<20, place.PutOptions{Replaces: first.Version})
	if err != nil || second.Version == first.Version {
		t.Fatalf("%+v after %+v: %v", second, first, err)
	}
	if _, err := f.ReadAt(make([]byte, 10), 900_000); !errors.Is(err, place.ErrChanged) {
		t.Errorf("a replaced object: %v", err)
	}
}

// whole writes objects whose content can't be read to the end.
func whole(t *testing.T, name string, sums bool) {
	for _, size := range []int64{1000, 40 << 20} {
		torn := &ending{ReaderAt: bytes.NewReader(content(int(size))), at: size - size/4}
		if sums {
			torn.at += size
		}
		if _, err := place.Put(t.Context(), name, torn, size, place.PutOptions{}); !errors.Is(err, errEnding) {
			t.Errorf("%d bytes: %v", size, err)
		}
		if _, err := place.Stat(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d bytes: a part is there: %v", size, err)
		}
	}
}

var errEnding = errors.New("the body ends")

// ending fails after n bytes, including those read for the checksum.
type ending struct {
	io.ReaderAt
	n, at int64
}

func (e *ending) ReadAt(p []byte, off int64) (int, error) {
	n, err := e.ReaderAt.ReadAt(p, off)
	if e.n += int64(n); e.n > e.at {
		return 0, errEnding
	}
	return n, err
}

// race has several writers of a new object, of which one succeeds.
func race(t *testing.T, name string) {
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			_, err := place.Put(t.Context(), name, strings.NewReader(fmt.Sprint(i)), 1, place.PutOptions{New: true})
			if err == nil {
				won.Add(1)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d writers succeeded", won.Load())
	}
}
