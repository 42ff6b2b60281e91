package rosbag

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"rsros/bagstore/internal/bagrecord"
	"rsros/program/localfile"
)

const (
	// tailSlots is the number of slots, more than the number of chunks not yet written.
	tailSlots    = 64
	tailMagic    = "RSTAIL1\n"
	tailSlotSize = 64 << 20
	// maxTailContent bounds a chunk's content in a tail file.
	maxTailContent = tailSlotSize - tailHeader
	tailHeader     = 40 // magic, token, chunk number, length, CRC-32 of the content, 4 bytes free
)

// tailPath returns the path of a bag's tail file. A renamed bag's is found by the token, which is in
// the file header while the bag is being written.
func tailPath(bag string, token uint64) string { return bag + tailEnding(token) }

func tailEnding(token uint64) string { return fmt.Sprintf(".tail-%016x", token) }

// tailFile writes a tail file, which has the data that a Writer has not yet written to the bag: the open chunk, and
// chunks that are being compressed. It is in the bag's folder until Close (docs/internals/decisions/0009).
//
// It is an array of slots. A chunk is in the slot with its number modulo the number of slots;
// readers use the slots of chunks that the bag doesn't have. A file may be read while it is
// written. Its content is hostile: one slot at a time is in memory, and no more than the file's size.
//
// The first Put creates the file. After an error, Put does nothing, and only
// checkpoints protect the bag. A File is for one goroutine.
type tailFile struct {
	path  string
	token uint64
	f     tailDisk // nil before the first content
	slots [tailSlots]tailEntry
	err   error
}

// tailDisk is an *os.File; tests have one that blocks.
type tailDisk interface {
	io.WriterAt
	io.Closer
}

type tailEntry struct {
	chunk uint64 // number, from 1
	n     int    // bytes of content
	crc   uint32
	at    int64 // of the slot; set by Read
}

// newTailFile returns a tailFile for path, of the bag with the token.
func newTailFile(path string, token uint64) *tailFile { return &tailFile{path: path, token: token} }

// Put writes the new part of a chunk's content. It reports whether the whole content is in the file.
func (t *tailFile) Put(chunk uint64, content []byte) bool {
	size := len(content)
	content = content[:min(size, maxTailContent)]
	s := t.slots[chunk%tailSlots]
	if s.chunk != chunk {
		s = tailEntry{chunk: chunk}
	}
	if t.err != nil || len(content) <= s.n {
		return t.err == nil && s.n == size
	}
	if t.f == nil {
		f, err := os.OpenFile(t.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if t.err = err; err != nil {
			return false
		}
		t.f = f
	}
	base := int64(chunk%tailSlots) * tailSlotSize
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

// parseTailEntry parses a slot's header. ok is false if it isn't one of this tail file.
func parseTailEntry(b []byte, token uint64) (s tailEntry, ok bool) {
	if len(b) < tailHeader || string(b[:8]) != tailMagic || binary.LittleEndian.Uint64(b[8:]) != token {
		return s, false
	}
	n := binary.LittleEndian.Uint64(b[24:])
	s = tailEntry{chunk: binary.LittleEndian.Uint64(b[16:]), n: int(n), crc: binary.LittleEndian.Uint32(b[32:])}
	return s, n > 0 && n <= maxTailContent && s.chunk > 0
}

// Close closes the file and removes it, unless it has a chunk that isn't among the first n,
// which the bag has. Then Close returns the path.
func (t *tailFile) Close(n uint64) (kept string) {
	if t.f == nil {
		return ""
	}
	t.f.Close() //nolint:errcheck // a kill would not have closed it either
	if slices.ContainsFunc(t.slots[:], func(s tailEntry) bool { return s.chunk > n }) {
		return t.path
	}
	_ = os.Remove(t.path) // a tail file whose chunks the bag has is ignored
	return ""
}

// findTail returns the path of a bag's tail file, whose name may contain an earlier name of the bag.
func findTail(bag string, token uint64) string {
	path := tailPath(bag, token)
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	folder, _ := filepath.Split(bag)
	list, _ := localfile.List(folder, tailEnding(token)) // without it, the file isn't found
	return append(list, path)[0]
}

// readTailSlots returns the numbers of the chunks after one that are intact, in their order, and their content, which
// is valid until the next one is read. A recorder may be writing the file: size returns its present size.
func readTailSlots(f io.ReaderAt, size func() int64, token, after uint64) iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		var list []tailEntry
		head := make([]byte, tailHeader)
		for i := range int64(tailSlots) {
			if bagrecord.ReadFull(f, head, i*tailSlotSize) != nil {
				break
			}
			s, ok := parseTailEntry(head, token)
			// Content is written before its header, so the size must include it now.
			if s.at = i * tailSlotSize; ok && s.chunk > after && s.at+tailHeader+int64(s.n) <= size() {
				list = append(list, s)
			}
		}
		slices.SortFunc(list, func(x, y tailEntry) int { return cmp.Compare(x.chunk, y.chunk) })
		var content []byte
		for _, s := range list {
			content = slices.Grow(content[:0], s.n)[:s.n]
			if bagrecord.ReadFull(f, content, s.at+tailHeader) == nil &&
				crc32.ChecksumIEEE(content) == s.crc && !yield(s.chunk, content) {
				return
			}
		}
	}
}
