// Package wire implements the wire formats of TCPROS and UDPROS: connection headers,
// length-prefixed messages and datagrams, vectored writes of messages, and the memory of received ones.
//
// Bytes from a peer are hostile: a claimed length costs no memory before the bytes arrive, and limits are checked
// before reading. Functions don't retain their arguments. A VectorWriter may be used by one goroutine at a time.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"rsros/program/buffers"
)

// Header is a TCPROS connection header, which each end sends before the first message.
//
// On the wire: u32 length of the fields, then for each field u32 length and "key=value", little-endian.
type Header map[string]string

// The fields of a Header. They are part of the wire format.
const (
	KeyCallerID   = "callerid"
	KeyDefinition = "message_definition"
	KeyError      = "error"
	KeyLatching   = "latching"
	KeyMD5        = "md5sum"
	KeyNoDelay    = "tcp_nodelay"
	KeyPersistent = "persistent"
	KeyProbe      = "probe"
	KeyService    = "service"
	KeyTopic      = "topic"
	KeyType       = "type"
)

// Limits of a peer's header. The largest field is the definition; the longest ones in common use have some 20 KB.
const (
	maxHeader = 1 << 20 // bytes
	maxFields = 256     // usual headers have ten
)

var errHeader = errors.New("bad connection header")

// AppendFields appends the fields without the total length, sorted by key.
func (h Header) AppendFields(b []byte) []byte {
	for _, k := range slices.Sorted(maps.Keys(h)) {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(k)+1+len(h[k])))
		b = append(b, k...)
		b = append(b, '=')
		b = append(b, h[k]...)
	}
	return b
}

// AppendTo appends the header in its wire format.
func (h Header) AppendTo(b []byte) []byte {
	start := len(b)
	b = h.AppendFields(append(b, 0, 0, 0, 0))
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	return b
}

// ParseHeader parses the fields of a header, without the total length.
func ParseHeader(b []byte) (Header, error) {
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
		if h[key] = value; len(h) > maxFields {
			return nil, fmt.Errorf("%w: more than %d fields", errHeader, maxFields)
		}
		at += int(n)
	}
	return h, nil
}

// ReadHeader reads a header from a connection.
func ReadHeader(r io.Reader) (Header, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, fmt.Errorf("read header length: %w", err)
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxHeader {
		return nil, fmt.Errorf("%w: it claims %d bytes, the limit is %d", errHeader, n, maxHeader)
	}
	b, err := buffers.PeerInput.Read(r, int(n), maxHeader, 2)
	if err != nil {
		return nil, fmt.Errorf("read header of %d bytes: %w", n, err)
	}
	defer b.Close()
	return ParseHeader(b.Bytes)
}
