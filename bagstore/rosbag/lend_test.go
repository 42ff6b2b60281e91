package rosbag

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/program/buffers"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// lender lends messages of one page-aligned buffer each and counts those not returned.
type lender struct {
	w         *Writer
	conn      uint32
	want      []seen
	out, back atomic.Int64
}

func newLender(t *testing.T, w *Writer) *lender {
	t.Helper()
	id, err := w.AddConnection(stockbag.StringType("/lent"))
	need.Must(t, err)
	return &lender{w: w, conn: id}
}

// lend writes message i, which is large, among small ones. Its memory is overwritten as soon as it is
// released.
func (l *lender) lend(i int) error {
	data := stockbag.Text(i, 200_000+i)
	body := append(buffers.Aligned(len(data), disk.Grain)[:0], data[4:]...)
	l.want = append(l.want, stockbag.NewMessage("/lent", bagstore.Time(i+1), data))
	l.out.Add(1)
	return l.w.Lend(l.conn, bagstore.Time(i+1), func() {
		clear(body)
		l.back.Add(1)
	}, data[:4], body)
}

func lendOptions(t *testing.T, o bagstore.Options) settings {
	t.Helper()
	o.Checkpoint, o.ChunkSize = -1, 3000
	s, err := settings{Options: o}.withDefaults()
	need.Must(t, err)
	return s
}

// TestLend checks that every way of writing releases lent memory once, after its bytes are in the file.
func TestLend(t *testing.T) {
	everySink(t, func(t *testing.T, kind bagstore.SinkKind, o bagstore.Options) {
		if !slices.Contains(sinks(), kind) {
			return // on a memDisk only, or not on this system
		}
		o.Sink = kind
		path := filepath.Join(t.TempDir(), "x.bag")
		w, err := create(path, lendOptions(t, o))
		need.Must(t, err)
		l := newLender(t, w)
		for i := range 20 {
			need.Must(t, l.lend(i))
			if i%8 == 7 {
				need.Must(t, w.Checkpoint())
			}
		}
		need.Must(t, w.Close())
		if l.out.Load() != l.back.Load() {
			t.Errorf("%d lent, %d came back", l.out.Load(), l.back.Load())
		}
		stockbag.Compare(t, "lent", readAll(t, path, bagstore.OpenOptions{}), l.want)
	})
}

// TestLendToStalledDisk checks that a writer to a stalled disk holds only a few messages.
func TestLendToStalledDisk(t *testing.T) {
	d := &memDisk{}
	o := lendOptions(t, bagstore.Options{NoSync: true})
	w, err := newWriter(disk.NewDirect(d, disk.Grain, nil), o)
	need.Must(t, err)
	l := newLender(t, w)
	d.gate = make(chan struct{}) // blocks writes until it is closed
	for i := range disk.MaxUnderWay - 1 {
		need.Must(t, l.lend(i))
	}
	returned := make(chan error)
	go func() { returned <- l.lend(disk.MaxUnderWay - 1) }()
	if l.back.Load() != 0 {
		t.Error("memory came back before it was written")
	}
	select {
	case <-returned:
		t.Error("Lend doesn't wait for a disk that stalls")
	default:
	}
	close(d.gate)
	need.Must(t, <-returned)
	need.Must(t, w.Close())
	if l.back.Load() != disk.MaxUnderWay {
		t.Errorf("%d lent, %d came back", disk.MaxUnderWay, l.back.Load())
	}
	stockbag.Compare(t, "stalled", contentOf(t, d.data), l.want)
}

// contentOf returns the messages of a bag, all of which must be whole.
func contentOf(t *testing.T, bag []byte) []seen {
	t.Helper()
	b, err := openBytes(bag)
	need.Must(t, err)
	got, err := stockbag.Of(b)
	need.Must(t, err)
	return got
}

// TestLendError checks that lent memory is released on any failure, and that what was written before
// stays.
func TestLendError(t *testing.T) {
	everySink(t, func(t *testing.T, kind bagstore.SinkKind, o bagstore.Options) {
		for fail := 3; fail < 12; fail += 2 {
			d := &memDisk{fail: fail}
			w, err := newWriter(newSink(d, kind), lendOptions(t, o))
			need.Must(t, err)
			l := newLender(t, w)
			var errs []error
			for i := range 8 {
				errs = append(errs, l.lend(i))
			}
			errs = append(errs, w.Close(), l.lend(8))
			if d.calls >= fail && !errors.Is(errors.Join(errs...), errDisk) || !errors.Is(errs[len(errs)-1], bagstore.ErrClosed) {
				t.Fatalf("failing at write %d: %v", fail, errs)
			}
			if l.out.Load() != l.back.Load() {
				t.Errorf("failing at write %d: %d lent, %d came back", fail, l.out.Load(), l.back.Load())
			}
			b, err := openBytes(d.data)
			need.Must(t, err)
			got, err := stockbag.Of(b)
			if err != nil {
				t.Fatalf("failing at write %d: %v", fail, err)
			}
			stockbag.Compare(t, fmt.Sprint("failing at write ", fail), got, l.want[:len(got)])
		}
	})
}

// TestLendBytes checks that lending doesn't change the bytes of the file.
func TestLendBytes(t *testing.T) {
	var files [2]memDisk
	for i := range files {
		w, err := newWriter(disk.NewDirect(&files[i], disk.Grain, nil), lendOptions(t, bagstore.Options{}))
		need.Must(t, err)
		l := newLender(t, w)
		for n := range 9 {
			data := append(buffers.Aligned(100_000, disk.Grain)[:0], stockbag.Text(n, 90_000)...)
			if i == 0 {
				err = w.Write(l.conn, bagstore.Time(n+1), data)
			} else {
				err = w.Lend(l.conn, bagstore.Time(n+1), func() {}, data)
			}
			need.Must(t, err)
		}
		need.Must(t, w.Close())
	}
	if !bytes.Equal(files[0].data, files[1].data) {
		t.Error("a lent message makes another file")
	}
}
