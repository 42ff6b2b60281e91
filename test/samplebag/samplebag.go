// Package samplebag writes bags for tests, each in its own temporary folder, and reads bags
// that programs under test write.
package samplebag

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// SDK copies a recording of librealsense to a file called name.
func SDK(t testing.TB, from, name string) string {
	t.Helper()
	content, err := os.ReadFile(Data(t, from))
	need.Must(t, err)
	return File(t, name, content)
}

// File writes a file in a temporary folder and returns its path.
func File(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	need.Must(t, os.WriteFile(path, content, 0o666))
	return path
}

// Torn returns a bag that is cut in the middle, as by a full disk.
func Torn(t testing.TB) string {
	t.Helper()
	path := SDK(t, "sw_small_raw.bag", "torn.bag")
	need.Must(t, os.Truncate(path, 1_500_000))
	return path
}

// LoseChunk overwrites the head of a chunk of a bag, as a bad sector does. A negative number counts from the last chunk.
func LoseChunk(t testing.TB, path string, chunk int) {
	t.Helper()
	blocks := Open(t, path).Blocks()
	if chunk < 0 {
		chunk += len(blocks)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	need.Must(t, err)
	_, err = f.WriteAt(make([]byte, 64), blocks[chunk].Pos)
	need.Must(t, errors.Join(err, f.Close()))
}

// Walk writes a bag with a latched map, followed by one second of counting.
func Walk(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	w := Create(t, path, bagstore.Options{ChunkSize: 4 << 10})
	add := func(topic string, latching bool) bagstore.Connection {
		c := stockbag.StringType(topic)
		c.CallerID, c.Latching = "/walker", latching
		w.Add(c)
		return c
	}
	write := func(c bagstore.Connection, at bagstore.Time, text string) {
		w.Put(c, at, msgs.Marshal(&msgs.String{Data: text}))
	}
	const start, step = bagstore.Time(1_700_000_000e9), bagstore.Time(1e7)
	chart, count, twice := add("/map", true), add("/count", false), add("/twice/count", false)
	write(chart, start, "here be dragons")
	for i := range bagstore.Time(100) {
		write(count, start+i*step, fmt.Sprint(i))
		write(twice, start+i*step, fmt.Sprint(2*i))
	}
	w.Done()
	return path
}

// Messages returns the number of messages of each topic, and the messages in time order. The
// stock libraries must read the same from each undamaged bag.
func Messages(t testing.TB, paths ...string) (counts map[string]int, messages []string) {
	t.Helper()
	var bags []*bagstore.Recording
	for _, path := range paths {
		bags = append(bags, Open(t, path))
	}
	counts = map[string]int{}
	found := make([][]stockbag.Message, len(bags))
	Each(t, func(m bagstore.Message) {
		counts[m.Conn.Topic]++
		found[m.Bag] = append(found[m.Bag], stockbag.NewMessage(m.Conn.Topic, m.Time, m.Data))
		messages = append(messages, fmt.Sprintf("%d %s %q", m.Time, m.Conn.Topic, m.Data))
	}, bags...)
	for i, b := range bags {
		if len(b.Notes()) == 0 {
			stockbag.Agree(t, b.Path(), found[i])
		}
	}
	return counts, messages
}

// Each calls visit for each message of open bags in time order. The message's data are valid
// until it returns.
func Each(t testing.TB, visit func(bagstore.Message), bags ...*bagstore.Recording) {
	t.Helper()
	v := bagstore.NewView(bags, bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	for it.Next() {
		visit(it.Message())
	}
	need.Must(t, it.Err())
}

// Names lists the folder of a file.
func Names(t testing.TB, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	need.Must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Data returns the path of a recording of librealsense, which is read-only.
func Data(t testing.TB, name string) string {
	t.Helper()
	const folder = "test/data/librealsense"
	dir, err := os.Getwd()
	need.Must(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, folder)); !errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(dir, folder, name)
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no " + folder + " above this package")
		}
		dir = filepath.Dir(dir)
	}
}
