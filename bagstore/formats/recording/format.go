package recording

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

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
	if err != nil {
		return Bag, err
	}
	format := sniff(head)
	// A .db3 with a damaged header is known by its name.
	if format == Bag && filepath.Ext(path) == ".db3" && !bytes.HasPrefix(head, bagMagic) {
		if f, err := rosbag2.Open(path); err == nil {
			return SQLite, f.Close()
		}
	}
	return format, nil
}

// The first bytes of files that other packages don't recognize.
var (
	bagMagic  = []byte("#ROSBAG")
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// sniff returns the format of a file that begins with head.
func sniff(head []byte) Format {
	switch {
	case rosbag2.Is(head):
		return SQLite
	case mcap.Is(head):
		return MCAP
	case bytes.HasPrefix(head, zstdMagic):
		return Compressed
	}
	return Bag
}

// CheckLeftover returns an error if another database's journal or write-ahead log would be taken
// for part of a new database at path.
func CheckLeftover(path string) error {
	for _, ending := range []string{"-journal", "-wal"} {
		if st, err := os.Stat(path + ending); err == nil && st.Size() > 0 {
			return fmt.Errorf("%s%s would be taken for a part of the new file; write to another name", path, ending)
		}
	}
	return nil
}
