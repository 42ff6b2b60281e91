package place

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"rsros/test/need"
)

// TestRereadFails checks that a full disk only ends the use of the temporary file, and that the last user gives it back.
func TestRereadFails(t *testing.T) {
	of := Info{Name: "s3://walks/again.bag", Size: 3 * blockSize}
	r := rereadOf(of, true)
	if again := rereadOf(of, false); r == nil || again != r {
		t.Fatal("two users have two files")
	}
	want := bytes.Repeat([]byte("a"), blockSize)
	r.save(2, want)
	r.close()
	if got := r.load(2, blockSize); !bytes.Equal(got, want) || r.load(1, blockSize) != nil {
		t.Errorf("%d bytes of a block that was kept, %d of another one", len(got), len(r.load(1, blockSize)))
	}
	if err := r.file.Close(); err != nil { // as a full disk does, it fails from now on
		t.Fatal(err)
	}
	r.save(1, want)
	if r.load(1, blockSize) != nil || r.load(2, blockSize) != nil || r.file != nil {
		t.Error("the file is used after an error")
	}
	r.close()
	if rereadOf(of, false) != nil {
		t.Error("the file is still known")
	}
}

// TestRereadLeavesRoom checks that nothing is kept if the disk has less room than the object has bytes.
func TestRereadLeavesRoom(t *testing.T) {
	r := rereadOf(Info{Name: "s3://walks/huge.bag", Size: 1 << 62}, true)
	defer r.close()
	r.save(1, make([]byte, blockSize))
	if r.file != nil || r.load(1, blockSize) != nil {
		t.Error("a block was kept")
	}
}

// counted is a store with objects of zeros, which counts the bytes that are asked for.
type counted struct {
	Store
	size, asked int64
}

func (c *counted) Open(context.Context, string) (Object, error) { return c, nil }

func (c *counted) Info() Info { return Info{Name: "counted://x", Size: c.size, Version: "1"} }

func (c *counted) Range(_ context.Context, _, n int64) (io.ReadCloser, error) {
	atomic.AddInt64(&c.asked, n)
	return io.NopCloser(bytes.NewReader(make([]byte, n))), nil
}

// TestFetch checks that an object is fetched once for files that are open at the same time and one after another, until
// another object needs a temporary file, and that one without room isn't fetched.
func TestFetch(t *testing.T) {
	c := &counted{size: 3*cacheBytes/2 + 1}
	Register("counted", c)
	fetch := func() (last [2]uint64, err error) {
		t.Helper()
		f, err := Open(t.Context(), "counted://x")
		need.Must(t, err)
		defer f.Close() //nolint:errcheck // only read
		if err := Fetch(t.Context(), f, func(done, total uint64) { last = [2]uint64{done, total} }); err != nil {
			return last, err
		}
		if n, err := io.Copy(io.Discard, io.NewSectionReader(f, 0, f.Size())); n != c.size || err != nil {
			t.Errorf("%d bytes of %d: %v", n, c.size, err)
		}
		f.Want(0, c.size)
		return last, nil
	}
	if last, err := fetch(); err != nil || last != [2]uint64{uint64(c.size), uint64(c.size)} {
		t.Error("the last report:", last, err)
	}
	if last, err := fetch(); err != nil || last != [2]uint64{} || c.asked != c.size {
		t.Errorf("%d bytes of %d were fetched; the last report of the second file: %d, %v", c.asked, c.size, last, err)
	}
	rereadOf(Info{Name: "counted://y"}, true).close()
	if rereads.idle != nil {
		t.Error("the file of an object that nobody uses is kept beside another one")
	}
	c.size = maxReread + 1
	asked := c.asked
	if last, err := fetch(); !errors.Is(err, errRoom) || last != [2]uint64{} || c.asked != asked {
		t.Errorf("%d bytes were fetched of an object without room: %v", c.asked-asked, err)
	}
}
