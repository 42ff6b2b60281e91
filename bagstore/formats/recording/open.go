package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/mcap"
	"rsros/bagstore/formats/rosbag2"
	"rsros/program/regular"
)

// sniffBytes is enough to recognize each format.
const sniffBytes = 100

// Open opens a file or a folder of rosbag2. Only bags and MCAP files have options.
func Open(path string, o bagstore.OpenOptions) (*bagstore.Bag, error) {
	c, err := openContainer(path, o)
	switch {
	case errors.Is(err, errNotContainer):
		return bagstore.Open(path, o)
	case err != nil:
		return nil, err
	}
	return openContent(path, c)
}

// OpenRaw is Open with messages as they were recorded, in any encoding. It also returns the
// format's own description of connections, by ID. Only a bag's connections have an md5.
func OpenRaw(path string, o bagstore.OpenOptions) (*bagstore.Bag, map[uint32]container.Topic, error) {
	topics := make(map[uint32]container.Topic)
	c, err := openContainer(path, o)
	if err == nil {
		for i, t := range c.Topics() {
			topics[uint32(i)] = t
		}
		return openRawContent(path, c), topics, nil
	}
	if !errors.Is(err, errNotContainer) {
		return nil, nil, err
	}
	b, err := bagstore.Open(path, o)
	if err != nil {
		return nil, nil, err
	}
	for _, conn := range b.Connections() {
		topics[conn.ID] = container.ROS1Topic(conn)
	}
	return b, topics, nil
}

// openContainer opens a folder or file. The error for a bag is errNotContainer.
func openContainer(path string, o bagstore.OpenOptions) (container.Container, error) {
	format, err := FormatOf(path)
	switch {
	case err != nil:
		return nil, err
	case format == Folder:
		return openFolder(path)
	}
	return openFile(path, format, o)
}

// errNotContainer is the error for a file that is neither a .db3 nor MCAP.
var errNotContainer = errors.New("neither a .db3 file of rosbag2 nor an MCAP file")

func openFile(path string, format Format, o bagstore.OpenOptions) (container.Container, error) {
	switch format {
	case SQLite:
		return openDB3(path)
	case MCAP:
		return mcap.Open(path, mcap.Options{Scan: o.Scan})
	case Compressed:
		return openCompressed(path)
	}
	return nil, errNotContainer
}

func headOf(path string) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	head := make([]byte, sniffBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return head[:n], nil
}

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
