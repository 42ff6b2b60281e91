package recording

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/mcap"
	"rsros/bagstore/place"
	"rsros/bagstore/rosbag"
)

// sniffBytes is enough to recognize each format.
const sniffBytes = 100

// Open opens a file or a folder of rosbag2, at a path or an address.
func Open(name string, o bagstore.OpenOptions) (*bagstore.Recording, error) {
	b, c, err := openAny(name, o)
	if err != nil || b != nil {
		return b, err
	}
	return convert(c)
}

// OpenRaw is Open with messages as they were recorded, in any encoding. It also returns the
// format's own description of connections, by ID. Only a bag's connections have an md5.
func OpenRaw(name string, o bagstore.OpenOptions) (*bagstore.Recording, map[uint32]bagstore.Topic, error) {
	topics := make(map[uint32]bagstore.Topic)
	b, c, err := openAny(name, o)
	switch {
	case err != nil:
		return nil, nil, err
	case c != nil:
		for i, t := range c.Topics() {
			topics[uint32(i)] = t
		}
		return bagstore.NewRecording(c), topics, nil
	}
	for _, conn := range b.Connections() {
		topics[conn.ID] = bagstore.ROS1Topic(conn)
	}
	return b, topics, nil
}

// openAny opens a bag, or a container if it isn't one.
func openAny(name string, o bagstore.OpenOptions) (*bagstore.Recording, container, error) {
	o.Context = cmp.Or(o.Context, context.Background())
	f, format, err := openFile(o.Context, name)
	if err != nil {
		return nil, nil, err
	}
	if format == Bag {
		b, err := rosbag.OpenFile(f, o)
		return b, nil, err
	}
	c, err := openContainer(f, name, format, o)
	return nil, c, err
}

// openContainer opens what is no bag. f, nil for a folder, is closed with it, or after an error.
func openContainer(f place.File, name string, format Format, o bagstore.OpenOptions) (container, error) {
	if f != nil && o.Verify && format == MCAP {
		place.Reread(f) // indexes and content are compared in several passes
	}
	switch format {
	case Folder:
		return openFolder(name, o)
	case SQLite:
		return db3.OpenFile(o.Context, f, o.Progress)
	case MCAP:
		return mcap.OpenFile(f, mcap.Options{Context: o.Context, Scan: o.Scan, Trust: place.OnDisk(f) == nil && !o.Verify})
	}
	return openCompressed(o.Context, f)
}

// errNotContainer is the error for a file that is neither a .db3 nor MCAP.
var errNotContainer = errors.New("neither a .db3 file of rosbag2 nor an MCAP file")

// openFile opens a file and recognizes its format; nil for a folder.
func openFile(ctx context.Context, name string) (place.File, Format, error) {
	if strings.HasSuffix(name, "/") && place.IsAddress(name) {
		return nil, Folder, nil
	}
	f, err := place.Open(ctx, name)
	if err != nil {
		if isFolder(ctx, name) {
			return nil, Folder, nil
		}
		return nil, Bag, err
	}
	head := make([]byte, sniffBytes)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		f.Close() //nolint:errcheck // the first error counts
		return nil, Bag, fmt.Errorf("%s: %w", name, err)
	}
	format := sniff(head[:n])
	// A .db3 with a damaged header is known by its name.
	if format == Bag && path.Ext(place.Base(name)) == ".db3" && !bytes.HasPrefix(head, bagMagic) {
		format = SQLite
	}
	return f, format, nil
}

// isFolder reports whether name, which isn't a file's, is a folder's or that of objects below it.
func isFolder(ctx context.Context, name string) bool {
	if !place.IsAddress(name) {
		st, err := os.Stat(name)
		return err == nil && st.IsDir()
	}
	for _, err := range place.List(ctx, name+"/") {
		return err == nil
	}
	return false
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
func FormatOf(ctx context.Context, name string) (Format, error) {
	f, format, err := openFile(ctx, name)
	if f != nil {
		err = errors.Join(err, f.Close())
	}
	return format, err
}

// bagMagic is how bags of any version begin.
var bagMagic = []byte("#ROSBAG")

// sniff returns the format of a file that begins with head.
func sniff(head []byte) Format {
	switch {
	case db3.Is(head):
		return SQLite
	case mcap.Is(head):
		return MCAP
	case db3.IsZstd(head):
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
