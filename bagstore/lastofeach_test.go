package bagstore_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestLastOfEach: a message that can't be read is reported, and the one before it is its topic's last.
func TestLastOfEach(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := samplebag.Create(t, path, bagstore.Options{ChunkSize: 1})
	for i := range 6 { // a0 b1 a2 b3 a4 b5
		w.Put(samplebag.Topic("/"+"ab"[i%2:][:1], "std_msgs/String"), bagstore.Time(i+1), []byte{0, 0, 0, 0})
	}
	w.Done()
	samplebag.Spoil(t, path, 2, 4)
	var got []string
	err := bagstore.LastOfEach(t.Context(), samplebag.Open(t, path).View(bagstore.Query{}), 6, func(error) error {
		got = append(got, "damage")
		return nil
	}, func(m bagstore.Message) error {
		got = append(got, fmt.Sprint(m.Conn.Topic, m.Time-1))
		return nil
	})
	need.Must(t, err)
	if want := []string{"damage", "damage", "/a0", "/b3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
