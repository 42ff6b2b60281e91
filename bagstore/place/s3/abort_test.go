package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"rsros/bagstore/place"
	"rsros/bagstore/place/s3"
	"rsros/test/bucket"
	"rsros/test/need"
)

// TestLateParts checks that nothing stays on a server that learns of parts, or answers the request that begins them,
// after the writer was interrupted.
func TestLateParts(t *testing.T) {
	for _, when := range []string{"a part comes late", "interrupted at the beginning"} {
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		var there atomic.Bool // parts of the object
		aborts := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			switch {
			case r.URL.Query().Has("uploads"):
				if when == "interrupted at the beginning" {
					interrupt()
				}
				there.Store(true)
				fmt.Fprint(w, `<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>`)
			case r.URL.Query().Has("partNumber"):
				interrupt()
			case r.Method == http.MethodDelete:
				aborts++
				if !there.Swap(false) {
					w.WriteHeader(http.StatusNotFound)
				}
				if aborts == 2 && when == "a part comes late" {
					there.Store(true)
				}
			default:
				w.WriteHeader(http.StatusNotFound)
			}
		}))
		use(t, s)
		_, err := place.Put(ctx, "s3://walks/a.bag", bytes.NewReader(content(large)), large, place.PutOptions{})
		s.Close()
		if !errors.Is(err, context.Canceled) || there.Load() {
			t.Errorf("%s: parts stay: %v, after %d requests to remove them: %v", when, there.Load(), aborts, err)
		}
	}
}

const uploadOfChild = "RS_TEST_UPLOAD"

// TestKilledChild is the program that TestKilled kills.
func TestKilledChild(t *testing.T) {
	if path := os.Getenv(uploadOfChild); path != "" {
		place.Register(s3.Scheme, &s3.Store{})
		place.SetTemp(filepath.Dir(path))
		t.Error(place.Upload(t.Context(), path, "s3://walks/killed.bag", true))
	}
}

// TestKilled checks that the next program continues an upload whose program was killed, or removes its parts if
// the object has become another one, and that a program beside it leaves them alone.
func TestKilled(t *testing.T) {
	b := bucket.Start(t)
	name := b.Address("killed.bag")
	for _, size := range []int{large, large + 1, 100} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.bag")
		write := func(n int) {
			need.Must(t, os.WriteFile(path, content(n), 0o600))
		}
		write(large)
		stalled := make(chan struct{})
		b.Inject(func(r *http.Request, _ int) bucket.Fault {
			if r.URL.Query().Get("partNumber") != "3" {
				return bucket.None
			}
			close(stalled)
			return bucket.Stall
		})
		child := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
		child.Env = append(b.Env, uploadOfChild+"="+path)
		need.Must(t, child.Start())
		<-stalled
		b.Inject(nil)
		place.SetTemp(dir)
		t.Cleanup(func() { place.SetTemp(os.TempDir()) })
		other := filepath.Join(dir, "other.bag")
		need.Must(t, os.WriteFile(other, content(large), 0o600))
		if err := place.Upload(t.Context(), other, name, true); err != nil {
			t.Error(err)
		}
		wantUploads(t, b, 1)
		need.Must(t, errors.Join(place.Remove(t.Context(), name), child.Process.Kill()))
		_ = child.Wait() // it was killed
		wantUploads(t, b, 1)
		write(size)
		if err := place.Upload(t.Context(), path, name, true); err != nil {
			t.Error(err)
		}
		wantUploads(t, b, 0)
		wantObject(t, name, content(size))
		if left, err := filepath.Glob(filepath.Join(dir, "rs-ros-node-*", "*")); err != nil || len(left) != 0 {
			t.Errorf("left: %v, %v", left, err)
		}
		if err := place.Remove(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
}

// TestUploadFails checks that nothing is left of an upload that fails, neither in the store nor locally.
func TestUploadFails(t *testing.T) {
	b := bucket.Start(t)
	dir := t.TempDir()
	place.SetTemp(dir)
	t.Cleanup(func() { place.SetTemp(os.TempDir()) })
	path := filepath.Join(dir, "a.bag")
	need.Must(t, os.WriteFile(path, content(large), 0o600))
	parts(b, "2", bucket.Expired)
	if err := place.Upload(t.Context(), path, b.Address("a.bag"), true); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	wantUploads(t, b, 0)
	if left, err := filepath.Glob(filepath.Join(dir, "rs-ros-node-*", "*")); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
