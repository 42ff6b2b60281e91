package record

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore/place"
	"rsros/record/upload"
	"rsros/test/need"
)

// away is a store that can't be reached.
type away struct{ place.Store }

func (away) Put(context.Context, string, io.ReaderAt, int64, place.PutOptions) (place.Info, error) {
	return place.Info{}, errors.New("no route to host")
}

// waitingQueue returns a queue of dir whose files wait forever.
func waitingQueue(t *testing.T, o upload.Options, dir string) *upload.Queue {
	t.Helper()
	place.Register("away", away{})
	o.To = "away://bucket"
	q, err := upload.Start(o, zerolog.New(zerolog.NewTestWriter(t)), dir)
	need.Must(t, err)
	t.Cleanup(q.Close)
	return q
}

// TestSplitsThatWait checks that the limit of kept files removes none that waits for upload.
func TestSplitsThatWait(t *testing.T) {
	dir := t.TempDir()
	o := Options{Uploads: waitingQueue(t, upload.Options{}, dir), Output: filepath.Join(dir, "x.bag"), Split: true, MaxTime: time.Second, MaxSplits: 1}
	f, clock := files(t, o)
	for range 3 {
		clock.advance(time.Second)
		pass(t, f, clock.now)
	}
	finish(t, f)
	for n := range 4 {
		path := filepath.Join(dir, partPath("x", n, extBag))
		if _, err := os.Lstat(path); err != nil || o.Uploads.Safe(path) {
			t.Errorf("%s is safe, or gone: %v", path, err)
		}
	}
	if st := o.Uploads.Status(); st.Waiting != 4 {
		t.Errorf("%+v", st)
	}
	o.Bag.Overwrite = true
	again, _ := files(t, o)
	if again.cur.path == filepath.Join(dir, "x_0.bag") {
		t.Errorf("replaced a file that waits: %s", again.cur.path)
	}
	finish(t, again)
}

// TestTooMuchWaits checks that a camera's recording drops and counts frames while the limit of waiting
// files is reached.
func TestTooMuchWaits(t *testing.T) {
	dir := t.TempDir()
	s := newStudio(t, Options{Uploads: waitingQueue(t, upload.Options{Limit: 1}, dir)})
	for i := range 2 {
		if _, err := s.Start(filepath.Join(dir, []string{"a.bag", "b.bag"}[i])); err != nil {
			t.Fatal(err)
		}
		s.raise(5)
		status := s.Current().Status()
		sum, err := s.Stop()
		if err != nil || (sum.Frames == 0) != (i == 1) || (sum.Dropped > 0) != (i == 1) {
			t.Errorf("recording %d: %v, %v", i, sum, err)
		}
		found := ""
		for _, kv := range status.Values {
			if kv.Key == "Files waiting for upload" {
				found = kv.Value
			}
		}
		if want := []string{"0", "1"}[i]; found != want {
			t.Errorf("recording %d: %q files wait, want %s", i, found, want)
		}
	}
	if s.Uploads() == "" {
		t.Error("nothing is said about uploads")
	}
	if err := s.Close(); err == nil {
		t.Error("no loss is reported")
	}
}
