package bagstore

import (
	"bytes"

	"github.com/dsnet/compress/bzip2"

	"rsros/bagstore/internal/lz4"
)

// newCompressor returns a function that appends src compressed to dst, for one goroutine.
func newCompressor(kind Compression) func(dst, src []byte) ([]byte, error) {
	if kind == BZ2 {
		return compressBZ2
	}
	var e lz4.Encoder
	return func(dst, src []byte) ([]byte, error) { return e.Append(dst, src), nil }
}

func compressBZ2(dst, src []byte) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	w, err := bzip2.NewWriter(out, &bzip2.WriterConfig{Level: bzip2.BestCompression})
	if err != nil {
		return dst, err
	}
	if _, err := w.Write(src); err != nil {
		return dst, err
	}
	err = w.Close()
	return out.Bytes(), err
}
