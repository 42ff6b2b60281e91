package place

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// TestInUse checks that asking for the lock doesn't take it: whoever creates the file gets it, and one of two does.
func TestInUse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	asked, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(asked)
		for {
			select {
			case <-stop:
				return
			default:
				InUse(path)
			}
		}
	}()
	for name, create := range map[string]func() (io.Closer, error){
		"New":  func() (io.Closer, error) { return New(path, false) },
		"Lock": func() (io.Closer, error) { return Lock(path) },
	} {
		for i := range 2000 {
			need.Must(t, os.RemoveAll(path))
			type result struct {
				f   io.Closer
				err error
			}
			results := make(chan result, 2)
			for range cap(results) {
				go func() {
					f, err := create()
					results <- result{f, err}
				}()
			}
			a, b := <-results, <-results
			if a.err != nil {
				a, b = b, a
			}
			lost := errors.Is(b.err, fs.ErrExist) || errors.Is(b.err, ErrLocked)
			if a.err != nil || !lost || !InUse(path) {
				t.Fatalf("%s, round %d: %v, %v; in use: %v", name, i, a.err, b.err, InUse(path))
			}
			need.Must(t, a.f.Close())
		}
	}
	close(stop)
	<-asked
}
