package bagstore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
)

// The tail file holds what a Writer has taken and not yet written to the bag: the
// content of the open chunk, and of chunks that are being compressed. It lies beside
// the bag, exists only while something is in it that a kill could cost, and is removed
// by Close (docs/decisions/0009).
//
// It is a row of slots of tailSlot bytes. A chunk's content is in the slot with its
// number modulo tailSlots; the reader takes the slots of chunks that the bag doesn't
// have. Constants are part of the format.
const (
	tailMagic  = "RSTAIL1\n"
	tailSlot   = 64 << 20
	tailSlots  = 64 // more than there are chunks on their way to the disk
	tailHeader = 40 // magic, token, chunk number, length, CRC-32 of the content, 4 bytes free
)

// tailPath is the name of a bag's tail file. The token is also in the bag's file header
// while the bag is being written, so that the two find each other under new names.
func tailPath(bag string, token uint64) string { return bag + tailEnding(token) }

func tailEnding(token uint64) string { return fmt.Sprintf(".tail-%016x", token) }

// tailFile writes a tail file. Errors are kept: then the bag is written without one, as
// safe as its checkpoints make it. It belongs to one goroutine.
type tailFile struct {
	path  string
	token uint64
	f     *os.File // nil before the first content
	slots [tailSlots]tailEntry
	err   error
}

// tailEntry is what a slot holds.
type tailEntry struct {
	chunk uint64 // number, from 1
	n     int    // bytes of content
	crc   uint32
}

// put writes what is new of a chunk's content. It returns whether all of it is in the
// file.
func (t *tailFile) put(chunk uint64, content []byte) bool {
	size := len(content)
	content = content[:min(size, tailSlot-tailHeader)]
	s := t.slots[chunk%tailSlots]
	if s.chunk != chunk {
		s = tailEntry{chunk: chunk}
	}
	if t.err != nil || len(content) <= s.n {
		return t.err == nil && s.n == size
	}
	if t.f == nil {
		if t.f, t.err = os.OpenFile(t.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); t.err != nil {
			return false
		}
	}
	base := int64(chunk%tailSlots) * tailSlot
	more := content[s.n:]
	if _, t.err = t.f.WriteAt(more, base+tailHeader+int64(s.n)); t.err != nil {
		return false
	}
	s.n, s.crc = len(content), crc32.Update(s.crc, crc32.IEEETable, more)
	// A kill before this line leaves the shorter content, which is still intact.
	_, t.err = t.f.WriteAt(s.header(t.token), base)
	t.slots[chunk%tailSlots] = s
	return t.err == nil && s.n == size
}

func (s tailEntry) header(token uint64) []byte {
	b := append(make([]byte, 0, tailHeader), tailMagic...)
	b = binary.LittleEndian.AppendUint64(b, token)
	b = binary.LittleEndian.AppendUint64(b, s.chunk)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.n))
	b = binary.LittleEndian.AppendUint32(b, s.crc)
	return b[:tailHeader]
}

// parseTailEntry reads a slot's header; ok tells whether it is one of this tail file.
func parseTailEntry(b []byte, token uint64) (s tailEntry, ok bool) {
	if len(b) < tailHeader || string(b[:8]) != tailMagic || binary.LittleEndian.Uint64(b[8:]) != token {
		return s, false
	}
	n := binary.LittleEndian.Uint64(b[24:])
	s = tailEntry{chunk: binary.LittleEndian.Uint64(b[16:]), n: int(n), crc: binary.LittleEndian.Uint32(b[32:])}
	return s, n > 0 && n <= tailSlot-tailHeader && s.chunk > 0
}

// close closes the file and removes it, unless a failed bag needs it.
func (t *tailFile) close(keep bool) {
	if t.f == nil {
		return
	}
	t.f.Close() //nolint:errcheck // a kill would not have closed it either
	if !keep {
		_ = os.Remove(t.path) // a tail file whose bag doesn't name it is ignored
	}
}
