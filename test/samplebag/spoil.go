package samplebag

import (
	"bytes"
	"os"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
)

// Spoil makes the last messages of some of a bag's chunks unreadable. Chunks may end with filler.
func Spoil(t testing.TB, path string, chunks ...int) {
	t.Helper()
	b, err := rosbag.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	layouts, _, err := b.Layouts()
	need.Must(t, err)
	b.Close()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	need.Must(t, err)
	for _, i := range chunks {
		data := make([]byte, layouts[i].Size)
		_, err := f.ReadAt(data, layouts[i].DataPos)
		need.Must(t, err)
		at := layouts[i].DataPos + int64(bytes.LastIndex(data, []byte("\x04\x00\x00\x00op=\x02")))
		_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, 8), at) // in its header
		need.Must(t, err)
	}
	need.Must(t, f.Close())
}
