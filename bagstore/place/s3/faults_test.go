package s3_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"rsros/bagstore/place"
	"rsros/bagstore/place/internal/server"
	"rsros/test/bucket"
	"rsros/test/need"
)

// faults are what a server may do to a request. If it happens once, reading and writing end as given,
// nil for success; if it persists, they fail after at most the given number of requests.
var faults = map[string]struct {
	fault                 bucket.Fault
	onceRead, onceWrite   error
	always                string // part of the error
	mostReads, mostWrites int    // 0: it isn't one of these requests
}{
	"reset":           {fault: bucket.Reset, always: "Connection closed", mostReads: 16, mostWrites: 12},
	"503":             {fault: bucket.Busy, always: "503", mostReads: 8, mostWrites: 6},
	"silent":          {fault: bucket.Stall, always: "", mostReads: 8, mostWrites: 6},
	"stalls inside":   {fault: bucket.StallInside, always: "sends nothing", mostReads: 8},
	"cut":             {fault: bucket.Cut, always: "unexpected EOF", mostReads: 8},
	"other range":     {fault: bucket.WrongRange, always: "asked for", mostReads: 8},
	"no range":        {fault: bucket.NoRange, always: "range requests", mostReads: 8},
	"expired":         {fault: bucket.Expired, onceRead: fs.ErrPermission, onceWrite: fs.ErrPermission, always: "ExpiredToken", mostReads: 1, mostWrites: 1},
	"sent to another": {fault: bucket.Elsewhere, onceRead: place.ErrUnusable, onceWrite: place.ErrUnusable, always: "redirect", mostReads: 1, mostWrites: 1},
}

// TestFaultTable checks that transient faults are survived with the right bytes, and that persistent
// ones are errors after a bounded number of requests, without credentials in them.
func TestFaultTable(t *testing.T) {
	t.Cleanup(server.ScaleForTest(100))
	b, want := bucket.Start(t), content(200_000)
	const last = 150_000
	for name, c := range faults {
		t.Run(name, func(t *testing.T) {
			address := b.Address(name + ".bag") // of which the cache has nothing
			if _, err := place.Put(t.Context(), address, bytes.NewReader(want), int64(len(want)), place.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			f, err := place.Open(t.Context(), address)
			need.Must(t, err)
			read := func() error {
				f, err := place.Open(t.Context(), address)
				if err != nil {
					return err
				}
				defer f.Close()
				p := make([]byte, 1000)
				if _, err := f.ReadAt(p, last); err != nil {
					return err
				}
				if !bytes.Equal(p, want[last:last+1000]) {
					t.Error("other bytes")
				}
				return nil
			}
			write := func() error {
				_, err := place.Put(t.Context(), b.Address("b.bag"), bytes.NewReader(want), int64(len(want)), place.PutOptions{New: true})
				if err != nil {
					return err
				}
				wantObject(t, b.Address("b.bag"), want)
				return place.Remove(t.Context(), b.Address("b.bag"))
			}
			f.Close()
			for what, do := range map[string]func() error{"read": read, "write": write} {
				once, most := c.onceRead, c.mostReads
				if what == "write" {
					once, most = c.onceWrite, c.mostWrites
				}
				if most == 0 {
					continue // the answers have no body
				}
				var n atomic.Int32
				inject := func(after, times int32) {
					n.Store(0)
					b.Inject(func(*http.Request, int) bucket.Fault {
						if k := n.Add(1); k > after && k <= after+times {
							return c.fault
						}
						return bucket.None
					})
				}
				inject(0, 1)
				if err := do(); !errors.Is(err, once) {
					t.Errorf("%s, once: %v", what, err)
				}
				b.Inject(nil)
				_ = place.Remove(t.Context(), b.Address("b.bag"))
				inject(0, 1000)
				err := do()
				if err == nil || !strings.Contains(err.Error(), c.always) || strings.Contains(err.Error(), bucket.Secret) || strings.Contains(err.Error(), "Signature") || int(n.Load()) > most {
					t.Errorf("%s, always: %d requests: %v", what, n.Load(), err)
				}
				b.Inject(nil)
				wantNothing(t, b.Address("b.bag"))
			}
		})
	}
}

// TestFaultsOnTheWay checks that a fault after an object was opened is reported with its range, and
// that a replaced object is noticed.
func TestFaultsOnTheWay(t *testing.T) {
	t.Cleanup(server.ScaleForTest(100))
	b := bucket.Start(t)
	want := content(3 << 20)
	address := b.Address("a.bag")
	put := func() {
		if _, err := place.Put(t.Context(), address, bytes.NewReader(want), int64(len(want)), place.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put()
	for name, c := range faults {
		if c.mostReads == 0 {
			continue
		}
		want[0]++ // a version that isn't in the cache
		put()
		f, err := place.Open(t.Context(), address)
		need.Must(t, err)
		b.Inject(func(_ *http.Request, n int) bucket.Fault {
			if n == 1 {
				return c.fault
			}
			return bucket.None
		})
		p := make([]byte, 2<<20)
		if _, err := f.ReadAt(p, 1<<19); !errors.Is(err, c.onceRead) || err == nil && !bytes.Equal(p, want[1<<19:1<<19+2<<20]) {
			t.Errorf("%s: %v", name, err)
		}
		b.Inject(nil)
		f.Close()
	}
	f, err := place.Open(t.Context(), address)
	need.Must(t, err)
	defer f.Close()
	want[0]++
	put()
	if _, err := f.ReadAt(make([]byte, 10), 3<<20-10); !errors.Is(err, place.ErrChanged) {
		t.Errorf("a replaced object: %v", err)
	}
}

// TestProbe checks that an object that may not be written is refused before its content is made, and that nothing is left
// of one that may.
func TestProbe(t *testing.T) {
	b := bucket.Start(t)
	name := b.Address("a.bag")
	target, err := place.Create(t.Context(), name, false)
	need.Must(t, err)
	failed := errors.New("failed")
	if err := target.Finish(failed); !errors.Is(err, failed) {
		t.Error(err)
	}
	wantUploads(t, b, 0)
	wantNothing(t, name)
	b.Inject(func(r *http.Request, _ int) bucket.Fault {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return bucket.None
		}
		return bucket.Expired
	})
	if _, err := place.Create(t.Context(), name, true); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

// TestNotKept checks that the answer 200 isn't taken for the object.
func TestNotKept(t *testing.T) {
	t.Cleanup(server.ScaleForTest(100))
	for name, head := range map[string]http.HandlerFunc{
		"nothing": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"less": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			w.Header().Set("Last-Modified", "Wed, 21 Oct 2026 07:28:00 GMT")
		},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				head(w, r)
			}
		}))
		use(t, s)
		if _, err := place.Put(t.Context(), "s3://walks/a.bag", bytes.NewReader(content(10)), 10, place.PutOptions{New: true}); err == nil {
			t.Errorf("%s was kept", name)
		}
		s.Close()
	}
}

// TestLongBody checks that no more than a range is read of an answer, also of one that the client refuses.
func TestLongBody(t *testing.T) {
	t.Cleanup(server.ScaleForTest(100))
	const long = 128 << 20 // more than the system's buffers hold
	read := make(chan bool, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Range", "bytes 0-65535/100000000") // without the time that the client wants
		w.WriteHeader(http.StatusPartialContent)
		_, err := w.Write(make([]byte, long))
		read <- err == nil
	}))
	use(t, s)
	if _, err := place.Open(t.Context(), "s3://walks/a.bag"); err == nil {
		t.Error("it is accepted")
	}
	s.Close()
	if close(read); <-read {
		t.Errorf("read %d bytes", long)
	}
}

// TestDeafServer checks that an upload to a server that stops reading is ended and tried again.
func TestDeafServer(t *testing.T) {
	t.Cleanup(server.ScaleForTest(100))
	b := bucket.Start(t)
	want := content(12 << 20) // more than the system's buffers hold
	for times, text := range map[int]string{1: "", 1000: "takes nothing"} {
		b.Inject(func(r *http.Request, n int) bucket.Fault {
			if r.Method == http.MethodPut && n <= times {
				return bucket.Deaf
			}
			return bucket.None
		})
		_, err := place.Put(t.Context(), b.Address("a.bag"), bytes.NewReader(want), int64(len(want)), place.PutOptions{})
		if (err == nil) != (text == "") || err != nil && !strings.Contains(err.Error(), text) {
			t.Errorf("%d times: %v", times, err)
		}
		if err == nil {
			wantObject(t, b.Address("a.bag"), want)
		}
	}
}
