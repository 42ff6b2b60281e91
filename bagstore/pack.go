package bagstore

import (
	"bytes"

	"github.com/dsnet/compress/bzip2"

	"rsros/bagstore/internal/lz4"
)

// packer compresses chunks. It is for one goroutine.
type packer interface {
	// pack appends src compressed to dst.
	pack(dst, src []byte) ([]byte, error)
}

func newPacker(kind Compression) packer {
	if kind == BZ2 {
		return bz2Packer{}
	}
	return &lz4Packer{}
}

type lz4Packer struct{ e lz4.Encoder }

func (p *lz4Packer) pack(dst, src []byte) ([]byte, error) { return p.e.Append(dst, src), nil }

type bz2Packer struct{}

func (bz2Packer) pack(dst, src []byte) ([]byte, error) {
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
