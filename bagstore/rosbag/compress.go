package rosbag

import (
	"bytes"

	"github.com/dsnet/compress/bzip2"

	"rsros/bagstore"
	"rsros/bagstore/internal/lz4"
)

// newCompressor returns a function that appends src compressed to dst, for one goroutine.
func newCompressor(kind bagstore.Compression) func(dst, src []byte) ([]byte, error) {
	if kind == bagstore.BZ2 {
		return newBZ2()
	}
	var e lz4.Encoder
	return func(dst, src []byte) ([]byte, error) { return e.Append(dst, src), nil }
}

// newBZ2 uses the encoder's memory, some 20 bytes for each of a block, again for the next chunk. Its library gets no
// more releases, but the standard library only reads bzip2, and recorders that stock nodes replace write it (record
// --bz2).
func newBZ2() func(dst, src []byte) ([]byte, error) {
	w, failed := bzip2.NewWriter(nil, &bzip2.WriterConfig{Level: bzip2.BestCompression})
	return func(dst, src []byte) ([]byte, error) {
		if failed != nil {
			return dst, failed
		}
		out := bytes.NewBuffer(dst)
		if err := w.Reset(out); err != nil {
			return dst, err
		}
		if _, err := w.Write(src); err != nil {
			return dst, err
		}
		err := w.Close()
		return out.Bytes(), err
	}
}
