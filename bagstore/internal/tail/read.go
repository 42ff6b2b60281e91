package tail

import (
	"cmp"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rsros/bagstore/internal/record"
)

// Find returns the path of a bag's tail file, whose name may contain an earlier name of the bag.
func Find(bag string, token uint64) string {
	path := Path(bag, token)
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	entries, err := os.ReadDir(filepath.Dir(bag))
	if err != nil {
		return path
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ending(token)) {
			return filepath.Join(filepath.Dir(bag), e.Name())
		}
	}
	return path
}

// Slot has a chunk's content.
type Slot struct {
	Chunk   uint64 // number, from 1
	Content []byte
}

// Read returns the intact slots of a tail file in the order of their chunks. A recorder may be
// writing it.
func Read(f *os.File, token uint64) []Slot {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	var list []Slot
	for base := int64(0); base < Slots*slotSize && base+headerSize <= st.Size(); base += slotSize {
		if s, ok := readSlot(f, token, base); ok {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(x, y Slot) int { return cmp.Compare(x.Chunk, y.Chunk) })
	return list
}

// readSlot reads the slot at base. It allocates at most the file's size.
func readSlot(f *os.File, token uint64, base int64) (slot Slot, ok bool) {
	head := make([]byte, headerSize)
	if record.ReadFull(f, head, base) != nil {
		return slot, false
	}
	s, ok := parseEntry(head, token)
	if !ok {
		return slot, false
	}
	// Content is written before its header, so the size must include it now.
	if st, err := f.Stat(); err != nil || base+headerSize+int64(s.n) > st.Size() {
		return slot, false
	}
	slot = Slot{s.chunk, make([]byte, s.n)}
	ok = record.ReadFull(f, slot.Content, base+headerSize) == nil && crc32.ChecksumIEEE(slot.Content) == s.crc
	return slot, ok
}
