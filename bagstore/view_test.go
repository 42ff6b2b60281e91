package bagstore_test

import (
	"path/filepath"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

// TestEndsOfDamagedRecording checks that a view of a recording whose first or last chunk can't be read begins and
// ends when the index says, or with the next message that can be read if the index doesn't say it for this view.
func TestEndsOfDamagedRecording(t *testing.T) {
	const ms = bagstore.Time(1e6)
	write := func(t *testing.T) string {
		path := filepath.Join(t.TempDir(), "x.bag")
		w := samplebag.Create(t, path, bagstore.Options{ChunkSize: 1})
		a, b := stockbag.StringType("/a"), stockbag.StringType("/b")
		w.Put(a, bagstore.MinTime, nil)
		for i := range bagstore.Time(10) {
			w.Put(a, 1000*ms+10*i*ms, nil)
		}
		w.Put(b, 1200*ms, nil)
		w.Done()
		return path
	}
	later := bagstore.Query{Start: bagstore.MinTime + 1}
	for _, c := range []struct {
		name       string
		lost       []int // chunks, each with one message
		q          bagstore.Query
		start, end bagstore.Time // 0: there is none
	}{
		{"first", []int{1}, later, 1000 * ms, 1200 * ms},
		{"last", []int{-1}, later, 1000 * ms, 1200 * ms},
		{"before the view", []int{0}, later, 1000 * ms, 1200 * ms},
		{"all", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, later, 1000 * ms, 1200 * ms},
		{"cut", []int{3, 5}, bagstore.Query{Start: 1015 * ms, End: 1045 * ms}, 1020 * ms, 1040 * ms},
		{"another topic", []int{1, 11}, bagstore.Query{Connections: isTopic("/a"), Start: 2}, 1000 * ms, 1090 * ms},
		{"no message", []int{3}, bagstore.Query{Connections: isTopic("/b"), End: 1100 * ms}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t)
			slices.Sort(c.lost)
			for _, n := range c.lost {
				samplebag.LoseChunk(t, path, n)
			}
			v := samplebag.Open(t, path).View(c.q)
			start, begins := v.Start()
			end, ends := v.End()
			if start != c.start || end != c.end || begins != (c.start > 0) || ends != (c.end > 0) {
				t.Errorf("from %d (%v) to %d (%v), want %d to %d", start, begins, end, ends, c.start, c.end)
			}
		})
	}
}

func isTopic(name string) func(*bagstore.Connection) bool {
	return func(c *bagstore.Connection) bool { return c.Topic == name }
}
