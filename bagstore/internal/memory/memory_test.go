package memory

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"rsros/test/need"
)

// Contents stay in memory while there is room, and have the same bytes in a file.
func TestContent(t *testing.T) {
	const size = chunkBytes / 2
	data := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	var list []*Content
	files := 0
	for range 4 {
		c, err := NewContent(size, 100)
		need.Must(t, err)
		need.Must(t, c.Fill(bytes.NewReader(data)))
		if _, ok := c.Bytes(); !ok {
			files++
		}
		list = append(list, c)
	}
	if files == 0 || files == len(list) {
		t.Errorf("%d of %d contents are in files", files, len(list))
	}
	for _, c := range list {
		got := make([]byte, 20)
		if n, err := c.Reader().ReadAt(got, 35); n != 20 || err != nil || !bytes.Equal(got, data[35:55]) {
			t.Errorf("read %q, %v", got[:n], err)
		}
		if b, err := c.Source().At(size-7, 7); err != nil || !bytes.Equal(b, data[size-7:]) {
			t.Errorf("the end is %q, %v", b, err)
		}
		if _, err := c.Reader().ReadAt(got, size-3); err == nil {
			t.Error("read past the end")
		}
		c.Release()
	}
	if n := held.Load(); n != 0 {
		t.Errorf("%d bytes are held after all", n)
	}
}

// Data that end early are kept up to there, and sparse content takes little memory.
func TestFillShort(t *testing.T) {
	for name, make := range map[string]func(size, stored int64) (*Content, error){"memory": NewContent, "file": NewFile} {
		c, err := make(8<<20, 10)
		need.Must(t, err)
		if err := c.Fill(iotest.HalfReader(bytes.NewReader([]byte("whole")))); !errors.Is(err, io.ErrUnexpectedEOF) || c.Size() != 5 || c.Held() > 1<<20 {
			t.Errorf("%s: %v, %d bytes in %d", name, err, c.Size(), c.Held())
		}
		c.Release()
		if c, err = make(8, 10); err != nil {
			t.Fatal(err)
		}
		bad := errors.New("bad")
		if err := c.Fill(io.MultiReader(bytes.NewReader([]byte("abc")), iotest.ErrReader(bad))); !errors.Is(err, bad) || c.Size() != 3 {
			t.Errorf("%s: %v, %d bytes", name, err, c.Size())
		}
		c.Release()
	}
}

// Memory for a claimed size is bounded.
func TestLimits(t *testing.T) {
	if _, err := NewContent(MaxChunk+1, 1); err == nil {
		t.Error("a chunk of any size is unpacked")
	}
	for _, c := range []struct {
		n, stored int64
		ok        bool
	}{{DefaultLimit, 1, true}, {DefaultLimit + 1, 1, false}, {100 << 20, 25 << 20, true}, {100 << 20, 24 << 20, false}} {
		if err := Fits(c.n, c.stored); (err == nil) != c.ok {
			t.Errorf("%d bytes of %d: %v", c.n, c.stored, err)
		}
	}
	c, err := NewFile(MaxChunk, 1)
	need.Must(t, err)
	defer c.Release()
	if _, err := c.Source().At(0, DefaultLimit+1); err == nil {
		t.Error("a message of any size is read")
	}
}

// Free buffers are bounded, and reused.
func TestPool(t *testing.T) {
	for range 40 {
		Put(make([]byte, 3<<20))
	}
	if len(pool.free) > freeBuffers || pool.bytes > freeBytes || pool.bytes < freeBytes/2 {
		t.Errorf("%d buffers of %d bytes are free", len(pool.free), pool.bytes)
	}
	before := pool.bytes
	if b := Get(2 << 20); pool.bytes != before-3<<20 || len(b) != 2<<20 {
		t.Errorf("%d bytes, %d are free of %d", len(b), pool.bytes, before)
	}
	Put(make([]byte, freeBytes+1))
	if pool.garbage < freeBytes && pool.garbage != 0 {
		t.Errorf("%d bytes of garbage", pool.garbage)
	}
}
