package ros

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Header is a TCPROS connection header: what both ends say about themselves
// before the first message (callerid, topic or service, type, md5sum, …).
//
// On the wire: u32 length of the whole, then for each field u32 length and
// "key=value", little-endian. These words are part of the wire format.
type Header map[string]string

const (
	headerCallerID   = "callerid"
	headerDefinition = "message_definition"
	headerError      = "error"
	headerLatching   = "latching"
	headerMD5        = "md5sum"
	headerNoDelay    = "tcp_nodelay"
	headerPersistent = "persistent"
	headerProbe      = "probe"
	headerService    = "service"
	headerTopic      = "topic"
	headerType       = "type"
)

// maxHeader bounds a header read from a peer. The definition text is by far the
// largest field; the longest of the common messages are some 20 KB.
const maxHeader = 4 << 20

var errHeader = errors.New("bad connection header")

// appendFields appends the fields without the outer length, keys in order so
// that the same header always gives the same bytes.
func (h Header) appendFields(b []byte) []byte {
	for _, k := range slices.Sorted(maps.Keys(h)) {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(k)+1+len(h[k])))
		b = append(b, k...)
		b = append(b, '=')
		b = append(b, h[k]...)
	}
	return b
}

// appendTo appends the header as it goes over TCP.
func (h Header) appendTo(b []byte) []byte {
	start := len(b)
	b = h.appendFields(append(b, 0, 0, 0, 0))
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	return b
}

// parseHeader reads fields (without the outer length).
func parseHeader(b []byte) (Header, error) {
	h := make(Header)
	for at := 0; at < len(b); {
		if len(b)-at < 4 {
			return nil, fmt.Errorf("%w: %d bytes left at offset %d, want a field length", errHeader, len(b)-at, at)
		}
		n := int64(binary.LittleEndian.Uint32(b[at:]))
		at += 4
		if n > int64(len(b)-at) {
			return nil, fmt.Errorf("%w: field of %d bytes at offset %d, %d left", errHeader, n, at, len(b)-at)
		}
		key, value, ok := strings.Cut(string(b[at:at+int(n)]), "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%w: field at offset %d isn't key=value", errHeader, at)
		}
		h[key] = value
		at += int(n)
	}
	return h, nil
}

// readHeader reads one header from a connection. A hostile length costs no more
// memory than the bytes that really come.
func readHeader(r io.Reader) (Header, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, fmt.Errorf("read header length: %w", err)
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxHeader {
		return nil, fmt.Errorf("%w: claims %d bytes, at most %d are taken", errHeader, n, maxHeader)
	}
	b, err := readGrowing(r, nil, int(n))
	if err != nil {
		return nil, fmt.Errorf("read header of %d bytes: %w", n, err)
	}
	return parseHeader(b)
}

// firstGrowth is how much memory a claimed length gets before a byte has come.
const firstGrowth = 1 << 20

// readGrowing reads n bytes into buf[:0], growing it by doubling as the bytes
// arrive. The result is buf's memory if that was large enough.
func readGrowing(r io.Reader, buf []byte, n int) ([]byte, error) {
	for have := 0; ; {
		if size := min(n, max(cap(buf), firstGrowth, 2*have)); size > cap(buf) {
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
