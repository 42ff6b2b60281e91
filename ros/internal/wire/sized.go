package wire

import (
	"encoding/binary"
	"fmt"
	"io"
)

// firstGrowth is the memory allocated before the first byte has arrived.
const firstGrowth = 1 << 20

// ReadGrowing reads n bytes into buf[:0], which grows as they arrive: it doubles, and
// gets its full size when a quarter has arrived. So a claimed length alone costs no
// memory, and a large message little more than its own size. The result uses buf's
// memory if that is large enough.
func ReadGrowing(r io.Reader, buf []byte, n int) ([]byte, error) {
	fill := func(p []byte) error { _, err := io.ReadFull(r, p); return err }
	return readGrowing(fill, buf, n, firstGrowth, func(n int) []byte { return make([]byte, n) })
}

// readGrowing is ReadGrowing with functions that fill and allocate memory, and the size
// of the first allocation.
func readGrowing(fill func([]byte) error, buf []byte, n, first int, grow func(n int) []byte) ([]byte, error) {
	for have := 0; ; {
		size := min(n, max(cap(buf), first, 2*have))
		if have >= n/4 && have > 0 {
			size = max(n, cap(buf))
		}
		if size > cap(buf) {
			buf = append(grow(size)[:0], buf[:have]...)
		}
		buf = buf[:min(n, cap(buf))]
		if err := fill(buf[have:]); err != nil {
			return buf, noEOF(err)
		}
		if have = len(buf); have == n {
			return buf, nil
		}
	}
}

// noEOF turns io.EOF within a message into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// ReadSized reads a u32 length, at most limit, and that many bytes.
func ReadSized(r io.Reader, limit int64) ([]byte, error) {
	prefix, err := ReadGrowing(r, nil, 4)
	if err != nil {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint32(prefix))
	if size > limit {
		return nil, fmt.Errorf("message of %d bytes, the limit is %d", size, limit)
	}
	return ReadGrowing(r, nil, int(size))
}

// AppendSized appends data after its u32 length.
func AppendSized(b, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(data))), data...)
}
