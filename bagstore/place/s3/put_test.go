package s3_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"rsros/bagstore/place"
	"rsros/test/bucket"
	"rsros/test/need"
)

// large is the size of an object of three parts.
const large = 33 << 20

// wantUploads checks the number of incomplete uploads in parts.
func wantUploads(t *testing.T, b *bucket.Bucket, want int) {
	t.Helper()
	b.Inject(nil)
	c, err := minio.NewCore(strings.TrimPrefix(b.URL, "http://"), &minio.Options{Creds: credentials.NewStaticV4("tester", bucket.Secret, ""), Region: "us-east-1"})
	need.Must(t, err)
	list, err := c.ListMultipartUploads(t.Context(), "walks", "", "", "", "", 10)
	if err != nil || len(list.Uploads) != want {
		t.Errorf("%d unfinished objects, want %d: %v", len(list.Uploads), want, err)
	}
}

func wantObject(t *testing.T, name string, want []byte) {
	t.Helper()
	f, err := place.Open(t.Context(), name)
	need.Must(t, err)
	defer f.Close()
	got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Info().Size))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: read %d bytes, %d were written: %v", name, len(got), len(want), err)
	}
}

func wantNothing(t *testing.T, name string) {
	t.Helper()
	if _, err := place.Stat(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there: %v", name, err)
	}
}

// parts counts the requests that send parts, and fails those of some numbers.
func parts(b *bucket.Bucket, number string, fault bucket.Fault) *atomic.Int64 {
	n := new(atomic.Int64)
	b.Inject(func(r *http.Request, _ int) bucket.Fault {
		if r.Method != http.MethodPut || !r.URL.Query().Has("partNumber") {
			return bucket.None
		}
		n.Add(1)
		if r.URL.Query().Get("partNumber") == number {
			return fault
		}
		return bucket.None
	})
	return n
}

// TestPutResumes checks that after a failure, unchanged parts that the server has aren't sent again,
// and that none are left behind.
func TestPutResumes(t *testing.T) {
	b := bucket.Start(t)
	want := content(large)
	for _, change := range []bool{false, true} {
		name := b.Address("resumed.bag")
		var state []byte
		o := place.PutOptions{New: true, Save: func(b []byte) error { state = bytes.Clone(b); return nil }}
		parts(b, "3", bucket.Expired)
		if _, err := place.Put(t.Context(), name, bytes.NewReader(want), large, o); !errors.Is(err, fs.ErrPermission) {
			t.Fatal(err)
		}
		wantNothing(t, name)
		sent, expect := parts(b, "", bucket.None), int64(1)
		if change {
			want[20<<20]++
			expect++
		}
		o.Resume = state
		if _, err := place.Put(t.Context(), name, bytes.NewReader(want), large, o); err != nil || sent.Load() != expect {
			t.Errorf("%d parts were sent again, want %d: %v", sent.Load(), expect, err)
		}
		wantUploads(t, b, 0)
		wantObject(t, name, want)
		// The state is that of a completed object, or of none.
		for _, state := range [][]byte{state, []byte("{"), []byte(`{"id":"1","size":34603008,"part":16777216,"parts":{"1":null,"-7":null}}`)} {
			o.Resume, o.New = state, false
			if _, err := place.Put(t.Context(), name, bytes.NewReader(want), large, o); err != nil {
				t.Error(err)
			}
		}
		wantUploads(t, b, 0)
		wantObject(t, name, want)
		want[20<<20]++ // the state completed an object of this size with another content
		o.Resume, o.New = state, false
		if _, err := place.Put(t.Context(), name, bytes.NewReader(want), large, o); err != nil {
			t.Error(err)
		}
		wantObject(t, name, want)
		if err := place.Remove(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
}

// TestPutSum checks that an object of one part or several has the SHA-256 that it was written with, also if an
// interrupted upload began with another one.
func TestPutSum(t *testing.T) {
	b := bucket.Start(t)
	for _, size := range []int64{10, large} {
		body, name := content(int(size)), b.Address("sum.bag")
		earlier, sum := strings.Repeat("0e", 32), fmt.Sprintf("%x", sha256.Sum256(body))
		var state []byte
		o := place.PutOptions{SHA256: earlier, Save: func(b []byte) error { state = bytes.Clone(b); return nil }}
		parts(b, "3", bucket.Expired)
		if _, err := place.Put(t.Context(), name, bytes.NewReader(body), size, o); (err == nil) != (size == 10) {
			t.Fatal(err)
		}
		b.Inject(nil)
		o.SHA256, o.Resume = sum, state
		info, err := place.Put(t.Context(), name, bytes.NewReader(body), size, o)
		need.Must(t, err)
		if got, err := place.Checksum(t.Context(), name, info.Version); got != "sha256:"+sum || err != nil {
			t.Errorf("%d bytes: %s, %v, want %s", size, got, err, sum)
		}
		wantUploads(t, b, 0)
	}
}

// TestPutFails checks that without a state, nothing is left of an incomplete object.
func TestPutFails(t *testing.T) {
	b := bucket.Start(t)
	name := b.Address("failed.bag")
	parts(b, "2", bucket.Expired)
	if _, err := place.Put(t.Context(), name, bytes.NewReader(content(large)), large, place.PutOptions{}); !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), bucket.Secret) {
		t.Error(err)
	}
	wantUploads(t, b, 0)
	ctx, cancel := context.WithCancel(t.Context())
	b.Inject(func(r *http.Request, _ int) bucket.Fault {
		if r.URL.Query().Get("partNumber") == "2" {
			cancel()
		}
		return bucket.None
	})
	if _, err := place.Put(ctx, name, bytes.NewReader(content(large)), large, place.PutOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	wantUploads(t, b, 0)
	torn := &unstable{ReaderAt: bytes.NewReader(content(1 << 20))}
	if _, err := place.Put(t.Context(), name, torn, 1<<20, place.PutOptions{}); err == nil {
		t.Error("a body that isn't what its checksum says was written")
	}
	wantNothing(t, name)
}

// unstable is a body that differs at each reading.
type unstable struct {
	io.ReaderAt
	n atomic.Int32
}

func (u *unstable) ReadAt(p []byte, off int64) (int, error) {
	n, err := u.ReaderAt.ReadAt(p, off)
	p[0] = byte(u.n.Add(1))
	return n, err
}

// TestPutInTrouble checks that a server that is busy, closes connections or loses its answer only
// delays an object.
func TestPutInTrouble(t *testing.T) {
	b := bucket.Start(t)
	want := content(large)
	for fault, what := range map[bucket.Fault]string{bucket.Busy: "busy", bucket.Reset: "reset", bucket.Cut: "cut"} {
		seen, mu := map[string]bool{}, sync.Mutex{}
		b.Inject(func(r *http.Request, _ int) bucket.Fault {
			mu.Lock()
			defer mu.Unlock()
			if what := r.Method + r.URL.String(); !seen[what] && (fault != bucket.Cut || r.URL.Query().Has("uploadId") && r.Method == http.MethodPost) {
				seen[what] = true
				return fault
			}
			return bucket.None
		})
		name := b.Address(what)
		info, err := place.Put(t.Context(), name, bytes.NewReader(want), large, place.PutOptions{New: true})
		if err != nil || info.Size != large || len(seen) == 0 {
			t.Errorf("%s: %+v, %v", what, info, err)
		}
		wantUploads(t, b, 0)
		wantObject(t, name, want)
	}
}

// TestPutRace checks that one of several writers of a new object succeeds, whatever its size.
func TestPutRace(t *testing.T) {
	b := bucket.Start(t)
	for _, size := range []int{10, 17 << 20} {
		name := b.Address("race.bag")
		var won atomic.Int64
		var wg sync.WaitGroup
		body := content(size + 4)
		for i := range 4 {
			wg.Go(func() {
				_, err := place.Put(t.Context(), name, bytes.NewReader(body[i:]), int64(size), place.PutOptions{New: true})
				switch {
				case err == nil:
					if won.Swap(int64(i)+1) != 0 {
						t.Errorf("%d bytes: two writers succeeded", size)
					}
				case !errors.Is(err, fs.ErrExist):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		winner := int(won.Load())
		if winner == 0 {
			t.Fatalf("%d bytes: no writer succeeded", size)
		}
		wantObject(t, name, body[winner-1:winner-1+size])
		wantUploads(t, b, 0)
		if err := place.Remove(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
}
