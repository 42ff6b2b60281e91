package recording

import (
	"errors"
	"fmt"
	"io"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/mcap"
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
