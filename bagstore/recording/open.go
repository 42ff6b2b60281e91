package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"rsros/bagstore"
	"rsros/bagstore/container"
	"rsros/bagstore/mcap"
	"rsros/bagstore/rosbag2"
)

// sniffBytes are enough to know each format.
const sniffBytes = 100

// Open opens a file or a folder of rosbag2. Errors of bags are those of bagstore.Open.
func Open(path string, o bagstore.OpenOptions) (*bagstore.Bag, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		c, err := openFolder(path)
		if err != nil {
			return nil, err
		}
		return openContent(path, c)
	}
	head, err := headOf(path)
	if err != nil {
		return nil, err
	}
	c, err := openFile(path, head)
	switch {
	case errors.Is(err, errNotContainer):
		return bagstore.Open(path, o)
	case err != nil:
		return nil, err
	}
	return openContent(path, c)
}

// errNotContainer: a file has none of the other formats.
var errNotContainer = errors.New("neither a .db3 file of rosbag2 nor an MCAP file")

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// openFile opens a file of another format, of which head is the beginning.
func openFile(path string, head []byte) (container.Container, error) {
	switch {
	case rosbag2.Is(head):
		return rosbag2.Open(path)
	case mcap.Is(head):
		return mcap.Open(path)
	case bytes.HasPrefix(head, zstdMagic):
		return openCompressed(path)
	}
	return nil, errNotContainer
}

// headOf reads the beginning of a file.
func headOf(path string) ([]byte, error) {
	f, err := os.Open(path)
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
