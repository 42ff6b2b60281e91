package export

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"rsros/msgs"
)

func TestFolderPlace(t *testing.T) {
	f := &folder{names: map[string]string{}}
	for _, c := range []struct{ topic, want string }{
		{"/camera/depth/image_raw", "camera/depth/image_raw"},
		{"relative", "relative"},
		{"/a b/ü", "a_b/_"},
		{"../../etc/passwd", "__/__/etc/passwd"},
		{"/.", "__"},
		{"/aux/Nul.png/auxiliary/x..", "_aux/_Nul_png/auxiliary/x_"}, // Windows has none of these
		{"//x//y/", "x/_/y"},
		{"", "_"},
		{"/case", "case"},
		{"/Case", "Case~2"}, // some file systems don't tell them apart
		{"/a?b", "a_b~2"},
		{"/a!b", "a_b~3"},
		{"/case", "case"},
	} {
		if c.topic == "/a?b" {
			f.names["first"] = "a_b"
		}
		if got := f.place(c.topic); got != c.want || !filepath.IsLocal(got) {
			t.Errorf("%q: %q, want %q", c.topic, got, c.want)
		}
	}
}

func TestWriteWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	broken := errors.New("the disk is full")
	write := func(text string, err error) func(*os.File) error {
		return func(f *os.File) error {
			_, writeErr := f.WriteString(text)
			return errors.Join(writeErr, err)
		}
	}
	if err := writeWhole(path, false, write("half", broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 0 {
		t.Error("left", entries, err)
	}
	if err := writeWhole(path, false, write("whole", nil)); err != nil {
		t.Error(err)
	}
	if err := writeWhole(path, false, write("other", nil)); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
	if err := writeWhole(path, true, write("half", broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); string(text) != "whole" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// TestWorkers checks the number of concurrent jobs, and that the first error is returned.
func TestWorkers(t *testing.T) {
	w := newWorkers(3)
	var running, most, ran atomic.Int32
	broken := errors.New("broken")
	for i := range 100 {
		_ = w.do(func() error {
			now := running.Add(1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			ran.Add(1)
			running.Add(-1)
			if i == 50 {
				return broken
			}
			return nil
		})
	}
	if err := w.wait(); !errors.Is(err, broken) || most.Load() > 3 || ran.Load() != 100 {
		t.Errorf("%v, %d at once, %d ran", err, most.Load(), ran.Load())
	}
}

// FuzzPicture checks that what check accepts can be encoded.
func FuzzPicture(f *testing.F) {
	for encoding := range pictureKinds {
		f.Add(encoding, 3, 2, 12, true, make([]byte, 24))
		f.Add(encoding, 2, 2, 8, false, make([]byte, 16))
	}
	f.Add("else", 1, 1, 1, false, []byte{1})
	f.Add("rgb8", math.MaxInt32, math.MaxInt32, math.MaxInt32, false, []byte{1})
	f.Add("mono16", -1, -1, -1, false, []byte{})
	f.Fuzz(func(t *testing.T, encoding string, width, height, stride int, big bool, data []byte) {
		p := pixels{encoding: encoding, width: width, height: height, stride: stride, bigEndian: big, data: data}
		if p.check() != nil {
			return
		}
		if err := p.encode(io.Discard); err != nil {
			t.Error(err)
		}
	})
}

// FuzzCloud checks that what cloudFields accepts can be written, and is bounded by the data.
func FuzzCloud(f *testing.F) {
	head := msgs.PointCloudHead{Height: 1, Width: 2, PointStep: 8, RowStep: 16, DataLen: 16, Fields: []msgs.PointField{
		{Name: "x", Datatype: msgs.PointFloat32, Count: 1}, {Name: "rgb", Offset: 4, Datatype: msgs.PointFloat32, Count: 1}}}
	f.Add(append(msgs.Marshal(&head), make([]byte, 17)...))
	head.Height, head.Width, head.RowStep = math.MaxUint32, 0, 0
	f.Add(append(msgs.Marshal(&head), make([]byte, 17)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h msgs.PointCloudHead
		d := msgs.NewDecoder(data)
		h.Decode(d)
		points := d.Raw(int(h.DataLen))
		if d.Err() != nil {
			return
		}
		fields, err := cloudFields(&h)
		if err != nil {
			return
		}
		if err := writeCloud(io.Discard, &h, fields, points); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkPicture encodes a D435i's pictures; MB/s are of pixels.
func BenchmarkPicture(b *testing.B) {
	for name, p := range map[string]pixels{
		"Z16":  {encoding: "mono16", width: 848, height: 480, stride: 2 * 848},
		"Y8":   {encoding: "mono8", width: 848, height: 480, stride: 848},
		"RGB8": {encoding: "rgb8", width: 640, height: 480, stride: 3 * 640},
	} {
		p.data = make([]byte, p.stride*p.height)
		for i := range p.data {
			p.data[i] = byte(i/64 + i*i%7)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(p.data)))
			for b.Loop() {
				if err := p.encode(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
