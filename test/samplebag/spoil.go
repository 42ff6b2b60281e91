package samplebag

import (
	"os"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
)

// Spoil makes the last messages of some of a bag's chunks unreadable. All messages have size bytes.
func Spoil(t testing.TB, path string, size int64, chunks ...int) {
	t.Helper()
	b, err := rosbag.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	layouts, _, err := b.Layouts()
	need.Must(t, err)
	b.Close()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	need.Must(t, err)
	for _, i := range chunks {
		_, err := f.WriteAt([]byte("\xff\xff\xff\xff\xff\xff\xff\xff"), layouts[i].DataPos+layouts[i].Size-size-22) // in its header
		need.Must(t, err)
	}
	need.Must(t, f.Close())
}
