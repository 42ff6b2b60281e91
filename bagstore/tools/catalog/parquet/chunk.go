package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

const (
	maxHeader = 64 << 10
	maxPage   = 64 << 20
)

// Numbers of the format.
const (
	typeBoolean, typeInt32, typeInt64, typeBytes                  = 0, 1, 2, 6
	encodingPlain, encodingPlainDictionary, encodingRLEDictionary = 0, 2, 8
	codecNone, codecSnappy, codecZstd                             = 0, 1, 6
	pageData, pageIndex, pageDictionary, pageData2                = 0, 1, 2, 3
)

// chunkReader reads the pages of a column in a group.
type chunkReader struct {
	file *File
	column
	meta       value
	do         func(Value) error
	dictionary []Value
	seen       int64 // values
	row, index int
}

func (r *chunkReader) read() error {
	total := r.meta.at(5).n
	if total < 0 || total > maxValues {
		return fmt.Errorf("%d values: %w", total, errLimit)
	}
	off := r.meta.at(9).n
	if d := r.meta.at(11).n; d > 0 && d < off {
		off = d
	}
	for r.seen < total {
		header, head, err := r.header(off)
		if err != nil {
			return err
		}
		off += int64(head)
		stored := header.at(3).n
		if err := r.page(header, off, stored); err != nil {
			return fmt.Errorf("page at byte %d: %w", off-int64(head), err)
		}
		off += stored
	}
	return nil
}

// header reads the header of the page at off, and returns its length.
func (r *chunkReader) header(off int64) (value, int, error) {
	for size := 256; ; size *= 4 {
		b := make([]byte, size)
		n, err := r.file.r.ReadAt(b, off)
		t := thrift{b: b[:n]}
		v := t.structure(0)
		switch {
		case t.err == nil:
			return v, n - len(t.b), nil
		case !errors.Is(t.err, errShort) || n < size || size >= maxHeader:
			if err == nil || errors.Is(err, io.EOF) {
				err = fmt.Errorf("%w: %w", ErrFormat, t.err)
			}
			return v, 0, fmt.Errorf("page header at byte %d: %w", off, err)
		}
	}
}

func (r *chunkReader) page(header value, off, stored int64) error {
	size := header.at(2).n
	if size < 0 || size > maxPage || stored < 0 || stored > maxPage {
		return fmt.Errorf("%w: %d bytes, %d uncompressed", errLimit, stored, size)
	}
	data, err := io.ReadAll(io.NewSectionReader(r.file.r, off, stored))
	if err == nil && int64(len(data)) < stored {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	switch header.at(1).n {
	case pageData:
		return r.data(header.at(5), data, size)
	case pageData2:
		return r.data2(header.at(8), data, size)
	case pageDictionary:
		if r.dictionary != nil || r.seen > 0 {
			return fmt.Errorf("%w: a second dictionary", ErrFormat)
		}
		if data, err = r.unpack(data, size); err != nil {
			return err
		}
		n := header.at(7).at(1).n
		if n < 0 || n > maxValues {
			return errLimit
		}
		p := plain{typ: r.typ, b: data}
		for range n {
			v, err := p.next()
			if err != nil {
				return err
			}
			r.dictionary = append(r.dictionary, v)
		}
	default:
		return fmt.Errorf("%w: a page of type %d", ErrFormat, header.at(1).n)
	}
	return nil
}

// data reads a page whose levels are compressed with its values.
func (r *chunkReader) data(h value, data []byte, size int64) error {
	data, err := r.unpack(data, size)
	if err != nil {
		return err
	}
	var reps, defs *hybrid
	for _, l := range []struct {
		highest int
		to      **hybrid
	}{{r.rep, &reps}, {r.def, &defs}} {
		if l.highest == 0 {
			continue
		}
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return fmt.Errorf("%w: levels are longer than their page", ErrFormat)
		}
		n := 4 + int(binary.LittleEndian.Uint32(data))
		*l.to = levels(data[4:n], l.highest)
		data = data[n:]
	}
	return r.values(h.at(1).n, h.at(2).n, reps, defs, data)
}

// data2 reads a page whose levels are apart from its values.
func (r *chunkReader) data2(h value, data []byte, size int64) error {
	defLen, repLen := h.at(5).n, h.at(6).n
	if n := int64(len(data)); defLen < 0 || repLen < 0 || defLen > n || repLen > n-defLen || defLen+repLen > size {
		return fmt.Errorf("%w: levels are longer than their page", ErrFormat)
	}
	reps, defs := levels(data[:repLen], r.rep), levels(data[repLen:repLen+defLen], r.def)
	data, size = data[repLen+defLen:], size-repLen-defLen
	if !h.has(7) || h.at(7).n != 0 {
		var err error
		if data, err = r.unpack(data, size); err != nil {
			return err
		}
	}
	return r.values(h.at(1).n, h.at(4).n, reps, defs, data)
}

// unpack decompresses to size bytes.
func (r *chunkReader) unpack(data []byte, size int64) ([]byte, error) {
	var err error
	switch codec := r.meta.at(4).n; codec {
	case codecNone:
	case codecSnappy:
		if n, lenErr := s2.DecodedLen(data); lenErr != nil || int64(n) != size {
			return nil, fmt.Errorf("%w: %d bytes unpack to %d, want %d", ErrFormat, len(data), n, size)
		}
		data, err = s2.Decode(nil, data)
	case codecZstd:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage), zstd.WithDecoderMaxWindow(maxPage)); err != nil {
			return nil, err
		}
		data, err = d.DecodeAll(data, nil)
		d.Close()
	default:
		return nil, fmt.Errorf("compression %d is not supported, want none, Snappy or zstd", codec)
	}
	if err == nil && int64(len(data)) != size {
		err = fmt.Errorf("%w: a page has %d bytes, want %d", ErrFormat, len(data), size)
	}
	return data, err
}

var errValues = errors.New("only plain and dictionary encodings are supported")

// values hands out the n values of a page.
func (r *chunkReader) values(n, encoding int64, reps, defs *hybrid, data []byte) error {
	if n <= 0 || n > maxValues-r.seen {
		return fmt.Errorf("%w: a page of %d values", errLimit, n)
	}
	r.seen += n
	next := (&plain{typ: r.typ, b: data}).next
	switch encoding {
	case encodingPlain:
	case encodingRLEDictionary, encodingPlainDictionary:
		if len(data) == 0 {
			data = []byte{0}
		}
		indexes := &hybrid{b: data[1:], width: uint(data[0])}
		next = func() (v Value, err error) {
			i, err := indexes.next()
			if err == nil && i >= uint64(len(r.dictionary)) {
				err = fmt.Errorf("%w: the dictionary has no value %d", ErrFormat, i)
			}
			if err != nil {
				return v, err
			}
			return r.dictionary[i], nil
		}
	default:
		return fmt.Errorf("encoding %d: %w", encoding, errValues)
	}
	for range n {
		if err := r.value(reps, defs, next); err != nil {
			return err
		}
	}
	return nil
}

// value hands out the next value.
func (r *chunkReader) value(reps, defs *hybrid, next func() (Value, error)) error {
	rep, def := uint64(0), uint64(0)
	var err error
	if reps != nil {
		rep, err = reps.next()
	}
	if defs != nil && err == nil {
		def, err = defs.next()
	}
	if err != nil {
		return err
	}
	switch {
	case rep == 0:
		if r.row++; r.row >= maxRows {
			return errLimit
		}
		r.index = 0
	case r.row < 0:
		return fmt.Errorf("%w: it begins in the middle of a row", ErrFormat)
	default:
		r.index++
	}
	var v Value
	if int(def) == r.def {
		if v, err = next(); err != nil {
			return err
		}
	} else {
		v.Null = true
	}
	v.Row, v.Index = r.row, r.index
	if r.rep > 0 && int(def) < r.element {
		v.Index = -1
	}
	if r.file.bytes += len(v.Bytes); r.file.bytes > maxBytes {
		return errLimit
	}
	return r.do(v)
}
