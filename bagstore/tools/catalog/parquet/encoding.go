package parquet

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// plain decodes plain values.
type plain struct {
	typ int64
	b   []byte
	bit int // of booleans
}

func (p *plain) next() (v Value, err error) {
	short := fmt.Errorf("%w: a page has fewer values than it says", ErrFormat)
	size := 0
	switch p.typ {
	case typeBoolean:
		if p.bit/8 >= len(p.b) {
			return v, short
		}
		v.Int = int64(p.b[p.bit/8] >> (p.bit % 8) & 1)
		p.bit++
		return v, nil
	case typeInt32:
		size = 4
	case typeInt64:
		size = 8
	case typeBytes:
		if len(p.b) < 4 {
			return v, short
		}
		n := binary.LittleEndian.Uint32(p.b)
		p.b = p.b[4:]
		if uint64(n) > uint64(len(p.b)) {
			return v, short
		}
		v.Bytes, p.b = p.b[:n], p.b[n:]
		return v, nil
	default:
		return v, fmt.Errorf("values of type %d are not supported", p.typ)
	}
	if len(p.b) < size {
		return v, short
	}
	if size == 4 {
		v.Int = int64(int32(binary.LittleEndian.Uint32(p.b)))
	} else {
		v.Int = int64(binary.LittleEndian.Uint64(p.b))
	}
	p.b = p.b[size:]
	return v, nil
}

// levels decodes levels up to highest, nil if that is 0: they aren't in the file.
func levels(b []byte, highest int) *hybrid {
	if highest == 0 {
		return nil
	}
	return &hybrid{b: b, width: uint(bits.Len(uint(highest)))}
}

// hybrid decodes small integers that are runs of one value, or packed in width bits each. It keeps no run in memory.
type hybrid struct {
	b      []byte
	width  uint
	left   uint64 // values of the run
	same   uint64
	packed bool
	data   []byte // of a packed run
	bit    uint64
}

func (h *hybrid) next() (uint64, error) {
	for h.left == 0 {
		if err := h.run(); err != nil {
			return 0, err
		}
	}
	h.left--
	if !h.packed {
		return h.same, nil
	}
	v := uint64(0)
	for i := range h.width {
		v |= uint64(h.data[h.bit/8]>>(h.bit%8)&1) << i
		h.bit++
	}
	return v, nil
}

func (h *hybrid) run() error {
	head, n := binary.Uvarint(h.b)
	if n <= 0 || h.width > 32 {
		return fmt.Errorf("%w: a run of values ends early", ErrFormat)
	}
	h.b, h.left, h.packed = h.b[n:], head>>1, head&1 != 0
	size := uint64(h.width+7) / 8
	if h.packed {
		// 8 values have width bytes.
		if size = h.left * uint64(h.width); h.left > uint64(len(h.b)) && h.width > 0 || h.left > maxValues {
			size = uint64(len(h.b)) + 1
		}
		h.left *= 8
	}
	if size > uint64(len(h.b)) {
		return fmt.Errorf("%w: a run of values ends early", ErrFormat)
	}
	data := h.b[:size]
	h.b = h.b[size:]
	if h.packed {
		h.data, h.bit = data, 0
		return nil
	}
	h.same = 0
	for i, b := range data {
		h.same |= uint64(b) << (8 * i)
	}
	return nil
}
