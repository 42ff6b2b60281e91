package rosbag

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/stockbag"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("BAGSTORE_RECORDER"); path != "" {
		if pace := os.Getenv("BAGSTORE_PACE"); pace != "" {
			recordAtPace(path, pace)
		}
		recordUntilKilled(path)
		return
	}
	goleak.VerifyTestMain(m)
}

type (
	seen   = stockbag.Message
	sample stockbag.Strings
)

var small = sample(stockbag.Small)

// write writes the sample, checks it with every reader, and returns what was written, in file order.
func (s sample) write(t testing.TB, path string, o bagstore.Options) []seen {
	t.Helper()
	o.NoSync = true // slow, and readers don't see it
	w := createBag(t, path, o)
	out := s.feed(t, w)
	need.Must(t, w.Close())
	if _, ok := t.(*testing.T); ok {
		everywhere(t, path, out)
	}
	return out
}

func (s sample) feed(t testing.TB, w *Writer) []seen { return stockbag.Strings(s).Feed(t, w) }

// createBag creates a bag with topics of strings.
func createBag(t testing.TB, path string, o bagstore.Options, topics ...string) *Writer {
	t.Helper()
	w, err := Create(path, o)
	need.Must(t, err)
	for _, topic := range topics {
		_, err := w.AddConnection(stockbag.StringType(topic))
		need.Must(t, err)
	}
	return w
}

// openBag opens a bag until the test ends.
func openBag(t testing.TB, path string, o bagstore.OpenOptions) *bagstore.Recording {
	t.Helper()
	b, err := Open(path, o)
	need.Must(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// newFile returns a bag that is read from r.
func newFile(r io.ReaderAt, size int64, name string) *File {
	return &File{path: name, from: stockbag.NewFile(r, size, name), r: r, size: size, onDisk: size,
		byID: make(map[uint32]*connection)}
}

// openReader opens a bag that is read from r.
func openReader(r io.ReaderAt, size int64, name string, o bagstore.OpenOptions) (*bagstore.Recording, error) {
	b := newFile(r, size, name)
	if err := b.open(o, false); err != nil {
		return nil, err
	}
	return b.recording(), nil
}

// readAll returns a bag's messages in time order.
func readAll(t testing.TB, path string, o bagstore.OpenOptions) []seen {
	t.Helper()
	b, err := Open(path, o)
	need.Must(t, err)
	defer b.Close()
	out, err := stockbag.Of(b)
	need.Must(t, err)
	return out
}

// everywhere reads a bag by its index, by a scan, and with both stock libraries, if installed; each
// must return want. The stock libraries' order of messages with equal times isn't compared.
func everywhere(t testing.TB, path string, want []seen) {
	t.Helper()
	want = stockbag.ByTime(want)
	stockbag.Compare(t, path+" by index", readAll(t, path, bagstore.OpenOptions{}), want)
	stockbag.Compare(t, path+" by scan", readAll(t, path, bagstore.OpenOptions{Scan: true}), want)
	stockbag.Agree(t, path, want)
}

func exampleBags(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, dir := range []string{"librealsense", "public"} {
		list, err := filepath.Glob(filepath.Join(need.Bag(t, dir), "*.bag"))
		if err != nil || len(list) == 0 {
			t.Fatalf("no bags in %s: %v", dir, err)
		}
		out = append(out, list...)
	}
	return out
}
