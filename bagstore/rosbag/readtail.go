package rosbag

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/place"
)

// takeTail appends a killed Writer's tail file to the bag, whose file must have been scanned.
func (b *File) takeTail(ctx context.Context) error {
	if b.tailToken == 0 {
		return nil
	}
	path := tailPath(b.path, b.tailToken)
	if b.file != nil {
		path = findTail(b.path, b.tailToken)
	}
	f, err := place.Open(ctx, path)
	if b.file == nil && !errors.Is(err, fs.ErrNotExist) && err != nil {
		return err
	}
	if err != nil {
		return nil // the Writer had no open chunk when it was killed, or the file was lost
	}
	defer f.Close()
	b.joinTail(f)
	return place.Failed(f)
}

// maxTail bounds the content of a tail file, which is kept in memory, in bytes: that of the chunks that wait in a
// Writer, and of those beside them, see maxWaiting.
const maxTail = maxWaiting + 4*maxTailContent

// joinTail appends the chunks of a tail file that the bag doesn't have.
func (b *File) joinTail(f place.File) {
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
	tooMuch := 0
	for number, slot := range readTailSlots(f, f.Size, b.tailToken, whole) {
		// The last record may be cut off if the chunk was larger than a slot.
		entries, end, _ := walker{bag: b}.walk(bagrecord.Memory(slot), int64(len(slot)))
		if number == whole+1 && torn != nil && torn.Messages() >= uint64(len(entries)) {
			cut = b.size // the torn chunk in the bag has as many messages
			continue
		}
		if len(content)+int(end) > maxTail {
			tooMuch++
			continue
		}
		if len(entries) > 0 {
			content = appendChunkHeader(content, bagstore.None, 0, int(end), int(end))
			content = append(content, slot[:end]...)
		}
	}
	if tooMuch > 0 {
		defer b.notes.Addf(bagstore.Loss, -1, "chunk", "%d chunks of %s are left out: all of them have more than %d bytes",
			tooMuch, place.Base(f.Info().Name), maxTail)
	}
	if len(content) == 0 {
		return
	}
	if torn != nil && torn.Pos >= cut {
		b.chunks = b.chunks[:len(b.chunks)-1]
	}
	b.notes = slices.DeleteFunc(b.notes,
		func(n bagstore.Note) bool { return n.Offset >= cut && n.Severity == bagstore.Loss })
	b.r, b.size = &joined{b.r, cut, content}, cut+int64(len(content))
	before := b.messages()
	b.scan(bagrecord.NewWindow(b.r, b.size), cut)
	b.notes.Addf(bagstore.Repairable, cut, "chunk",
		"%d messages are from %s: the recorder was killed before it had written them to the bag",
		b.messages()-before, place.Base(f.Info().Name))
}

type joined struct {
	r    io.ReaderAt
	at   int64
	more []byte
}

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

func (b *File) messages() (n uint64) {
	for i := range b.chunks {
		n += b.chunks[i].Messages()
	}
	return n
}
