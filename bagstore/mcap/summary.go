package mcap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	format "github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
)

// readSummary reads the file by its index. After an error nothing is known of it.
func (f *File) readSummary() (err error) {
	f.reset()
	defer func() {
		if err != nil {
			f.reset()
		}
	}()
	at := f.src.size - magicSize - footerSize - recordHead
	r, err := f.src.record(at, f.src.size)
	if err != nil || r.op != format.OpFooter || r.size != footerSize {
		return errors.New("the file has no footer, so it was not closed")
	}
	in, err := f.src.content(r)
	if err != nil {
		return err
	}
	start := in.u64()
	if start == 0 {
		return errors.New("the file has no summary")
	}
	if start < magicSize || start > uint64(at) {
		return fmt.Errorf("the footer puts the summary at byte %d of %d", start, f.src.size)
	}
	in.take(8) // where the summary's own index is
	if _, err := f.summarySum(int64(start), in.u32()); err != nil {
		return err
	}
	counted, err := f.summaryRecords(int64(start), at)
	if err != nil {
		return err
	}
	found := uint64(0)
	for i := range f.blocks {
		found += f.blocks[i].info.Messages()
	}
	if counted >= 0 && found != uint64(counted) {
		return fmt.Errorf("the statistics count %d messages, the chunks' indexes %d", counted, found)
	}
	if counted < 0 && len(f.blocks) == 0 {
		return errors.New("the summary has neither chunks nor statistics")
	}
	return nil
}

// summarySum compares the summary with its checksum. ok: it has one.
func (f *File) summarySum(from int64, want uint32) (ok bool, err error) {
	if want == 0 {
		return false, nil
	}
	// The checksum is the last field of the footer, and is over all before it.
	to := f.src.size - magicSize - 4
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(f.src.r, from, to-from)); err != nil {
		return false, fmt.Errorf("read the summary: %w", err)
	}
	if sum.Sum32() != want {
		return false, errors.New("the summary doesn't have its checksum")
	}
	return true, nil
}

// summaryRecords reads the records of the summary. counted is what the statistics count;
// -1: there are none.
func (f *File) summaryRecords(from, to int64) (counted int64, err error) {
	counted = -1
	for pos := from; pos < to; {
		r, err := f.src.record(pos, to)
		if err != nil {
			return 0, err
		}
		pos = r.end()
		switch r.op {
		case format.OpSchema, format.OpChannel, format.OpStatistics, format.OpChunkIndex, format.OpAttachmentIndex, format.OpMetadataIndex:
		default:
			continue
		}
		in, err := f.src.content(r)
		if err != nil {
			return 0, err
		}
		switch r.op {
		case format.OpSchema:
			err = f.addSchema(in)
		case format.OpChannel:
			err = f.addChannel(in)
		case format.OpStatistics:
			if counted = int64(in.u64()); counted < 0 {
				return 0, errors.New("the statistics count more messages than there can be")
			}
			in.take(2 + 4) // how many schemas and channels
			f.besides, err = uint64(in.u32())+uint64(in.u32()), in.err
		case format.OpAttachmentIndex, format.OpMetadataIndex:
			err = f.addAsideIndex(in)
		case format.OpChunkIndex:
			err = f.addChunkIndex(in)
		}
		if err != nil {
			return 0, err
		}
	}
	return counted, nil
}

// addChunkIndex adds a chunk with the counts of its message indexes.
func (f *File) addChunkIndex(in *fields) error {
	in.take(16) // its times; the message indexes have them
	at, length := in.u64(), in.u64()
	in.bytes() // where the index of each channel is; they follow the chunk
	indexes := in.u64()
	if in.err != nil {
		return in.err
	}
	if at > uint64(f.src.size) || length > uint64(f.src.size)-at || indexes > uint64(f.src.size)-at-length {
		return fmt.Errorf("the summary puts a chunk of %d bytes at byte %d of %d", length, at, f.src.size)
	}
	r, err := f.src.record(int64(at), f.src.size)
	if err != nil {
		return err
	}
	if r.op != format.OpChunk || r.end() != int64(at+length) {
		return fmt.Errorf("the summary puts a chunk of %d bytes at byte %d, where there is none", length, at)
	}
	b, err := f.chunkAt(r, false)
	if err != nil {
		return err
	}
	if indexes > 0 {
		b.index, b.indexTo = r.end(), r.end()+int64(indexes)
	}
	return f.addBlock(b)
}

// addBlock adds a block with what its messages say of it.
func (f *File) addBlock(b block) error {
	entries, err := f.entries(&b)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	counts := make(map[uint32]uint32)
	b.info.Start, b.info.End = entries[0].Time, entries[0].Time
	for _, e := range entries {
		counts[e.Conn]++
		b.info.Start, b.info.End = min(b.info.Start, e.Time), max(b.info.End, e.Time)
	}
	for topic := range uint32(len(f.topics)) {
		if n := counts[topic]; n > 0 {
			b.info.Counts = append(b.info.Counts, bagstore.ConnCount{ID: topic, Count: n})
		}
	}
	f.blocks = append(f.blocks, b)
	return nil
}

// Entries lists the messages of a block.
func (f *File) Entries(n int) ([]bagstore.Entry, error) { return f.entries(&f.blocks[n]) }

func (f *File) entries(b *block) ([]bagstore.Entry, error) {
	if b.index > 0 {
		if list, err := f.indexed(b); err == nil {
			return list, nil
		}
	}
	return f.walk(b)
}

// indexed reads the message indexes after a chunk.
func (f *File) indexed(b *block) (list []bagstore.Entry, err error) {
	for pos := b.index; pos < b.indexTo; {
		r, err := f.src.record(pos, b.indexTo)
		if err != nil {
			return nil, err
		}
		pos = r.end()
		if r.op != format.OpMessageIndex {
			return nil, fmt.Errorf("byte %d: found record %#x where a message index was expected", r.pos, byte(r.op))
		}
		in, err := f.src.content(r)
		if err != nil {
			return nil, err
		}
		topic, known := f.byID[in.u16()]
		raw := in.bytes()
		if in.err != nil {
			return nil, in.err
		}
		if !known {
			return nil, fmt.Errorf("message index at byte %d: nothing describes its channel", r.pos)
		}
		for ; len(raw) >= 16; raw = raw[16:] {
			ref := binary.LittleEndian.Uint64(raw[8:])
			if ref >= uint64(b.info.Size) {
				return nil, fmt.Errorf("message index at byte %d: offset %d in a chunk of %d bytes", r.pos, ref, b.info.Size)
			}
			list = append(list, bagstore.Entry{Time: timeOf(binary.LittleEndian.Uint64(raw)), Conn: topic, Ref: uint32(ref)})
		}
	}
	refs := make([]uint32, len(list))
	for i, e := range list {
		refs[i] = e.Ref
	}
	slices.Sort(refs)
	if len(slices.Compact(refs)) < len(list) {
		return nil, fmt.Errorf("message indexes at byte %d: they name one message twice", b.index)
	}
	return list, nil
}
