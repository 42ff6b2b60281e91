package wire

import (
	"encoding/binary"
	"fmt"
	"io"
)

// firstGrowth is how much memory is allocated before the first byte has arrived.
const firstGrowth = 1 << 20

// ReadGrowing reads n bytes into buf[:0], which grows as they arrive: it is doubled,
// and once a quarter has arrived it gets its full size. So a claimed length costs no
// memory, and a large message never much more than its own size. The result is in
// buf's memory if that is large enough.
func ReadGrowing(r io.Reader, buf []byte, n int) ([]byte, error) {
	for have := 0; ; {
		size := min(n, max(cap(buf), firstGrowth, 2*have))
		if have >= n/4 && have > 0 {
			size = max(n, cap(buf))
		}
		if size > cap(buf) {
			buf = append(make([]byte, 0, size), buf[:have]...)
		}
		buf = buf[:min(n, cap(buf))]
		if _, err := io.ReadFull(r, buf[have:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return buf, err
		}
		if have = len(buf); have == n {
			return buf, nil
		}
	}
}

// ReadSized reads a u32 length, which may be at most limit, and that many bytes.
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
