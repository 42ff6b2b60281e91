package recording

import (
	"bytes"
	"fmt"
	"os"

	"rsros/bagstore/formats/mcap"
	"rsros/bagstore/formats/rosbag2"
)

// Format is the format of a recording, by its content.
type Format int

const (
	Bag        Format = iota // or unknown
	SQLite                   // a .db3 file of rosbag2
	MCAP                     // an MCAP file
	Folder                   // of rosbag2
	Compressed               // a file compressed as a whole with zstd
)

// FormatOf returns a file's or folder's format.
func FormatOf(path string) (Format, error) {
	st, err := os.Stat(path)
	if err != nil {
		return Bag, err
	}
	if st.IsDir() {
		return Folder, nil
	}
	head, err := headOf(path)
	switch {
	case err != nil:
		return Bag, err
	case rosbag2.Is(head):
		return SQLite, nil
	case mcap.Is(head):
		return MCAP, nil
	case bytes.HasPrefix(head, zstdMagic):
		return Compressed, nil
	case headless(path, head):
		if f, err := rosbag2.Open(path); err == nil {
			return SQLite, f.Close()
		}
	}
	return Bag, nil
}

// CheckLeftover returns an error if a journal or write-ahead log of another database would
// be taken for a part of a new database at path.
func CheckLeftover(path string) error {
	for _, ending := range []string{"-journal", "-wal"} {
		if st, err := os.Stat(path + ending); err == nil && st.Size() > 0 {
			return fmt.Errorf("%s%s would be taken for a part of the new file; write to another name", path, ending)
		}
	}
	return nil
}
