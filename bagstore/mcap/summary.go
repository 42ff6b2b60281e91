package mcap

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"rsros/bagstore"
)

func (f *File) messages() (n uint64) {
	for i := range f.blocks {
		n += f.blocks[i].info.Messages()
	}
	return n
}

// noteMissing notes messages in the file that can't be read.
func (f *File) noteMissing() {
	for _, at := range slices.Sorted(maps.Keys(f.lacking)) {
		f.notes.Addf(bagstore.Loss, -1, "channel", "the channel of %s names schema %d, which isn't there",
			f.topics[at].Name, f.lacking[at])
	}
	if f.unnamed > 0 {
		f.notes.Addf(bagstore.Loss, -1, "channel", "%d messages are left out: nothing describes their channels", f.unnamed)
		return
	}
	known := slices.ContainsFunc(f.notes, func(n bagstore.Note) bool { return n.Severity == bagstore.Loss })
	if found := f.messages(); found < f.counted && !known {
		f.notes.Addf(bagstore.Loss, -1, "statistics", "the statistics count %d messages, %d were found", f.counted, found)
	}
}

// readSummary reads the file by its index. With trust, it reads no chunk. After an error nothing is known of the file.
func (f *File) readSummary(trust bool) (err error) {
	f.reset()
	defer func() {
		if err != nil {
			f.reset()
		}
	}()
	foot, err := f.footer()
	if err != nil {
		return err
	}
	rest := f.src.size - foot.summary
	if f.from != nil {
		f.from.Want(foot.summary, rest)
	}
	src, err := f.src.ahead(foot.summary, rest, maxSummary)
	if err != nil {
		return fmt.Errorf("read the summary: %w", err)
	}
	if _, err := src.summarySum(foot); err != nil {
		return err
	}
	counted, chunks, err := f.summaryRecords(src, foot, trust)
	if err != nil {
		return err
	}
	switch found := f.messages(); {
	case chunks == 0 && counted != 0, counted < 0 && found == 0:
		return errNoChunks
	case counted >= 0 && found != uint64(counted):
		return fmt.Errorf("the statistics count %d messages, the chunks' indexes %d", counted, found)
	}
	return nil
}

// footer says where the summary is, which ends where the footer begins.
type footer struct {
	pos, summary int64
	sum          uint32 // of the summary; 0: none
}

func (f *File) footer() (foot footer, err error) {
	foot.pos = f.src.size - magicSize - footerSize - recordHead
	r, err := f.src.record(foot.pos, f.src.size)
	if err != nil || r.op != opFooter || r.size != footerSize {
		return foot, errors.New("the file has no footer, so it was not closed")
	}
	in, err := f.src.content(r)
	if err != nil {
		return foot, err
	}
	start := in.U64()
	switch {
	case start == 0:
		return foot, errNoSummary
	case start < magicSize || start > uint64(foot.pos):
		return foot, fmt.Errorf("the footer puts the summary at byte %d of %d", start, f.src.size)
	}
	in.Raw(8) // where the summary's own index is
	foot.summary, foot.sum = int64(start), in.U32()
	return foot, nil
}

// summarySum verifies the summary's checksum. ok reports whether it has one.
func (s source) summarySum(foot footer) (ok bool, err error) {
	if foot.sum == 0 {
		return false, nil
	}
	// The checksum is the last field of the footer, and is over all before it.
	to := s.size - magicSize - 4
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(s.r, foot.summary, to-foot.summary)); err != nil {
		return false, fmt.Errorf("read the summary: %w", err)
	}
	if sum.Sum32() != foot.sum {
		return false, errors.New("the summary doesn't have its checksum")
	}
	return true, nil
}

// summaryRecords reads the summary. counted is the number of messages in the statistics, or -1;
// chunks is the number of chunks in the index.
func (f *File) summaryRecords(src source, foot footer, trust bool) (counted int64, chunks int, err error) {
	counted = -1
	var list []chunkIndex
	for pos := foot.summary; pos < foot.pos; {
		r, err := src.record(pos, foot.pos)
		if err != nil {
			return 0, 0, err
		}
		pos = r.end()
		switch r.op {
		case opSchema, opChannel, opStatistics, opChunkIndex, opAttachmentIndex, opMetadataIndex:
		default:
			continue
		}
		in, err := src.content(r)
		if err != nil {
			return 0, 0, err
		}
		switch r.op {
		case opSchema:
			err = f.addSchema(in)
		case opChannel:
			err = f.addChannel(in)
		case opStatistics:
			if counted = int64(in.U64()); counted < 0 {
				return 0, 0, errors.New("the statistics count more messages than there can be")
			}
			in.Raw(2 + 4) // how many schemas and channels
			f.extraCount, err = uint64(in.U32())+uint64(in.U32()), in.err()
		case opAttachmentIndex, opMetadataIndex:
			err = f.addExtraIndex(in)
		case opChunkIndex:
			var c chunkIndex
			c, err = f.chunkIndex(in)
			list = append(list, c)
		}
		if err != nil {
			return 0, 0, err
		}
	}
	if trust {
		return counted, len(list), f.listChunks(list)
	}
	return counted, len(list), f.addChunks(list)
}

func (f *File) addBlock(b block) error {
	entries, err := f.entries(nil, &b)
	if err != nil {
		return err
	}
	f.unnamed += b.unnamed
	if len(entries) > 0 {
		b.info.Summarize(entries)
		f.blocks = append(f.blocks, b)
	}
	return nil
}

func (f *File) Entries(in *bagstore.Buffer, n int) ([]bagstore.Entry, error) {
	return f.entries(in, &f.blocks[n])
}

func (f *File) entries(in *bagstore.Buffer, b *block) ([]bagstore.Entry, error) {
	if b.index > 0 {
		if list, err := f.indexed(b); err == nil && (!b.listed || b.has(list)) {
			return list, nil
		}
	}
	list, err := f.walk(in, b)
	if err == nil && b.listed && !b.has(list) {
		return nil, fmt.Errorf("chunk at byte %d: its messages aren't those in the summary", b.info.Pos)
	}
	return list, err
}
