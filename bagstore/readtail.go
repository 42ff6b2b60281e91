package bagstore

import (
	"cmp"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rsros/bagstore/internal/record"
)

// takeTail makes the chunks of the tail file, which a killed Writer left, part of the
// bag: as if they were at the end of it. The file was read before.
func (b *Bag) takeTail() {
	if b.tailToken == 0 || b.file == nil {
		return
	}
	path := findTail(b.path, b.tailToken)
	f, err := os.Open(path)
	if err != nil {
		return // the Writer had nothing open when it was killed, or the file was lost
	}
	defer f.Close()
	whole := uint64(0)
	for i := range b.chunks {
		if !b.chunks[i].torn {
			whole++
		}
	}
	var torn *chunk
	if n := len(b.chunks); n > 0 && b.chunks[n-1].torn {
		torn = &b.chunks[n-1]
	}
	cut, content := b.size, []byte(nil)
	if b.tornAt > 0 {
		cut = b.tornAt
	}
	for _, slot := range readTail(f, b.tailToken) {
		if slot.chunk <= whole {
			continue // its chunk is in the bag
		}
		// The last record may be cut off where the content was longer than a slot.
		entries, end, _ := walker{bag: b}.walk(record.Memory(slot.content), int64(len(slot.content)), nil)
		if slot.chunk == whole+1 && torn != nil && torn.Messages() >= uint64(len(entries)) {
			cut = b.size // the torn chunk in the bag has as much
			continue
		}
		if len(entries) > 0 {
			content = appendChunkHeader(content, None, int(end), int(end))
			content = append(content, slot.content[:end]...)
		}
	}
	if len(content) == 0 {
		return
	}
	if torn != nil && torn.Pos >= cut {
		b.chunks = b.chunks[:len(b.chunks)-1]
	}
	b.notes = slices.DeleteFunc(b.notes, func(n Note) bool { return n.Offset >= cut && n.Severity == Loss })
	b.r, b.size = &joined{b.r, cut, content}, cut+int64(len(content))
	before := b.MessageCount()
	s := scanner{bag: b, l: newChunkReader(b)}
	s.run(cut)
	s.forget()
	b.sortChunks()
	b.notes.Addf(Repairable, cut, "chunk", "%d messages are from %s: the recorder was killed before it had written them to the bag",
		b.MessageCount()-before, filepath.Base(path))
}

// findTail returns the path of a bag's tail file: beside the bag, perhaps still under
// the bag's earlier name.
func findTail(bag string, token uint64) string {
	path := tailPath(bag, token)
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	entries, err := os.ReadDir(filepath.Dir(bag))
	if err != nil {
		return path
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), tailEnding(token)) {
			return filepath.Join(filepath.Dir(bag), e.Name())
		}
	}
	return path
}

// tailContent is what a slot holds of a chunk.
type tailContent struct {
	chunk   uint64
	content []byte
}

// readTail returns the intact slots of a tail file in the order of their chunks. A
// recorder may be writing to it.
func readTail(f *os.File, token uint64) []tailContent {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	var list []tailContent
	for base := int64(0); base < tailSlots*tailSlot && base+tailHeader <= st.Size(); base += tailSlot {
		if s, ok := readTailSlot(f, token, base); ok {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(x, y tailContent) int { return cmp.Compare(x.chunk, y.chunk) })
	return list
}

// readTailSlot reads the slot at base. It allocates at most the file's size.
func readTailSlot(f *os.File, token uint64, base int64) (slot tailContent, ok bool) {
	head := make([]byte, tailHeader)
	if record.ReadFull(f, head, base) != nil {
		return slot, false
	}
	s, ok := parseTailEntry(head, token)
	if !ok {
		return slot, false
	}
	// The size as it is after the header was written: content comes before its header.
	if st, err := f.Stat(); err != nil || base+tailHeader+int64(s.n) > st.Size() {
		return slot, false
	}
	slot = tailContent{s.chunk, make([]byte, s.n)}
	ok = record.ReadFull(f, slot.content, base+tailHeader) == nil && crc32.ChecksumIEEE(slot.content) == s.crc
	return slot, ok
}

// joined is a file up to a position, followed by bytes in memory.
type joined struct {
	r    io.ReaderAt
	at   int64
	more []byte
}

// ReadAt implements io.ReaderAt.
func (j *joined) ReadAt(p []byte, off int64) (n int, err error) {
	if off < j.at {
		n, err = j.r.ReadAt(p[:min(int64(len(p)), j.at-off)], off)
		if n == len(p) || err != nil && !errors.Is(err, io.EOF) || off+int64(n) < j.at {
			return n, err
		}
	}
	k := copy(p[n:], j.more[min(off+int64(n)-j.at, int64(len(j.more))):])
	if n += k; n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
