package disk

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"rsros/test/need"
)

func testDisk(t *testing.T) *File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	need.Must(t, err)
	d := NewFile(f)
	t.Cleanup(func() { d.Close() }) //nolint:errcheck // closed by some tests
	return d
}

// TestMapCall checks that MapCall describes what happens to a file.
func TestMapCall(t *testing.T) {
	f, err := os.Open(os.Args[0])
	need.Must(t, err)
	defer f.Close() //nolint:errcheck // it was only read
	data, pages := Map(f, 100, 5000)
	defer Unmap(pages)
	if said := MapCall(); strings.HasPrefix(said, "yes") != (len(data) == 5000) {
		t.Errorf("%q, and %d bytes were mapped", said, len(data))
	}
}

// TestStart writes pieces of a file concurrently, in either way.
func TestStart(t *testing.T) {
	for _, refused := range []bool{false, true} {
		d := testDisk(t)
		d.asked = refused
		const n = 50
		over := make(chan error, n)
		var want []byte
		limit := make(chan struct{}, MaxUnderWay)
		for i := range n {
			a, b := bytes.Repeat([]byte{byte(i)}, 1000+i), bytes.Repeat([]byte{byte(i + 100)}, 5000)
			off := int64(len(want))
			want = append(append(want, a...), b...)
			limit <- struct{}{}
			d.Start([][]byte{a, nil, b}, off, func(err error) {
				over <- err
				<-limit
			})
		}
		for range n {
			need.Must(t, <-over)
		}
		if (d.queue == nil) != refused {
			need.System(t, "the system refuses a queue")
		}
		got, err := os.ReadFile(d.f.Name())
		need.Must(t, err)
		if !bytes.Equal(got, want) {
			t.Error("the file differs from what was written")
		}
	}
}

// TestStartFails checks that the error is that of an ordinary write.
func TestStartFails(t *testing.T) {
	d := testDisk(t)
	f, err := os.Open(d.f.Name())
	need.Must(t, err)
	readOnly := NewFile(f)
	defer readOnly.Close() //nolint:errcheck // nothing was written
	over := make(chan error, 1)
	readOnly.Start([][]byte{{1}}, 0, func(err error) { over <- err })
	if err := <-over; !errors.Is(err, unix.EBADF) {
		t.Errorf("got %v", err)
	}
}

// TestAIOResults checks that done receives the kernel's result.
func TestAIOResults(t *testing.T) {
	q, err := newAIO(1)
	if err != nil {
		need.System(t, "the system refuses a queue: %v", err)
	}
	defer q.close() //nolint:errcheck // its end is not what is tested
	d := testDisk(t)
	type result struct {
		n   int
		err error
	}
	over := make(chan result, 1)
	done := func(n int, err error) { over <- result{n, err} }
	// A direct file rejects a length that isn't a multiple of the block size.
	direct, err := os.Create(filepath.Join(t.TempDir(), "direct"))
	need.Must(t, err)
	defer direct.Close()
	if _, err := SetDirect(direct); err != nil {
		need.System(t, "%v", err)
	}
	for _, c := range []struct {
		fd   int
		off  int64
		want result
	}{
		{d.fd, 10, result{n: 3}},
		{int(direct.Fd()), 1, result{err: unix.EINVAL}},
	} {
		need.Must(t, q.start(iocbPwritev, c.fd, [][]byte{{1, 2}, {}, {3}}, c.off, done))
		if got := <-over; got.n != c.want.n || !errors.Is(got.err, c.want.err) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
	q.slots[0].done = done // as if a write were in progress
	if err := q.start(iocbPwritev, d.fd, [][]byte{{1}}, 0, done); !errors.Is(err, errQueueFull) {
		t.Errorf("a full queue: %v", err)
	}
}

// TestPagesGiveBack checks that the space reserved ahead is given back after an error, too.
func TestPagesGiveBack(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	need.Must(t, err)
	defer f.Close()
	p := NewPages(f, 1)
	for i := range 2 { // the first is written through the page cache
		need.Must(t, p.Write(p.Buffer()[:Grain], int64(1+i)*Grain))
	}
	if !p.direct {
		need.System(t, "the folder for temporary files isn't directly on a disk")
	}
	need.Must(t, p.Wait())
	p.err = unix.ENOSPC
	if err := p.Finish(); !errors.Is(err, unix.ENOSPC) {
		t.Error(err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || st.Size != 3*Grain || st.Blocks > 1<<20>>9 {
		t.Errorf("%d bytes in %d blocks, %v", st.Size, st.Blocks, err)
	}
}
