package bagstore

import (
	"bytes"

	"github.com/dsnet/compress/bzip2"

	"rsros/bagstore/internal/lz4"
)

// compressor compresses chunks. It is for one goroutine.
type compressor interface {
	// compress appends src compressed to dst.
	compress(dst, src []byte) ([]byte, error)
}

func newCompressor(kind Compression) compressor {
	if kind == BZ2 {
		return bz2Compressor{}
	}
	return &lz4Compressor{}
}

type lz4Compressor struct{ e lz4.Encoder }

func (p *lz4Compressor) compress(dst, src []byte) ([]byte, error) { return p.e.Append(dst, src), nil }

type bz2Compressor struct{}

func (bz2Compressor) compress(dst, src []byte) ([]byte, error) {
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
