package mcap

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// Attachment is a file inside an MCAP file. Its times are in ns since 1970.
type Attachment struct {
	LogTime, CreateTime uint64
	Name, MediaType     string
	Size                int64

	data int64 // position of its bytes
}

type Metadata struct {
	Name   string
	Values map[string]string
}

// Extras are a file's attachments and metadata.
type Extras struct {
	Attachments []Attachment
	Metadata    []Metadata
	Damaged     uint64 // of both, not listed
	Why         error  // about the last damaged one
}

const (
	maxExtras   = 100_000
	maxMetadata = 64 << 20 // bytes of all metadata records
)

func isExtra(r record) bool { return r.op == opAttachment || r.op == opMetadata }

func (f *File) addExtra(r record) {
	if isExtra(r) && len(f.extras) < maxExtras {
		f.extras = append(f.extras, r)
	}
}

// addExtraIndex adds the attachment or metadata record that the summary's index names.
func (f *File) addExtraIndex(in *fields) error {
	at, length := in.U64(), in.U64()
	if in.err() != nil || at > uint64(f.src.size) {
		return in.err()
	}
	if len(f.extras) < maxExtras {
		f.extras = append(f.extras, record{pos: int64(at), size: int64(length)}) // without opcode: it wasn't read
	}
	return nil
}

// indexed reads the head of a record that the summary's index names.
func (s source) indexed(r record) record {
	found, err := s.record(r.pos, s.size)
	if err != nil || found.end() != r.pos+r.size || !isExtra(found) {
		return record{pos: r.pos}
	}
	return found
}

// Extras reads the attachments and metadata, and all bytes of attachments for their checksums.
func (f *File) Extras() (a Extras) {
	list := slices.Clone(f.extras)
	if f.extraCount > uint64(len(list)) {
		list = f.findExtras()
	}
	slices.SortFunc(list, func(a, b record) int { return cmp.Compare(a.pos, b.pos) })
	list = slices.CompactFunc(list, func(a, b record) bool { return a.pos == b.pos })
	left := int64(maxMetadata)
	bytes := f.src.size // left for attachments
	for _, r := range list {
		var err error
		if r.op == 0 {
			r = f.src.indexed(r)
		}
		switch r.op {
		case opAttachment:
			var found Attachment
			if bytes -= r.size; bytes < 0 {
				err = fmt.Errorf("attachment at byte %d: overlaps another one", r.pos)
			} else if found, err = f.attachment(r); err == nil {
				a.Attachments = append(a.Attachments, found)
			}
		case opMetadata:
			var found Metadata
			if left -= r.size; left < 0 {
				err = fmt.Errorf("metadata at byte %d: more than %d bytes of metadata", r.pos, maxMetadata)
			} else if found, err = f.metadata(r); err == nil {
				a.Metadata = append(a.Metadata, found)
			}
		default:
			err = fmt.Errorf("byte %d: no attachment or metadata where the summary has one", r.pos)
		}
		if err != nil {
			a.Damaged, a.Why = a.Damaged+1, err
		}
	}
	return a
}

// findExtras searches all records, for a summary that counts extras but has no index of them.
func (f *File) findExtras() (list []record) {
	for pos := int64(magicSize); pos < f.src.size && len(list) < maxExtras; {
		r, err := f.src.record(pos, f.src.size)
		if err != nil || f.ends(r) {
			break
		}
		if isExtra(r) {
			list = append(list, r)
		}
		pos = r.end()
	}
	return list
}

func (f *File) metadata(r record) (m Metadata, err error) {
	in, err := f.src.content(r)
	if err != nil {
		return m, err
	}
	m.Name, m.Values = in.String(), in.texts()
	return m, in.err()
}

// attachment reads an attachment's head, and verifies its checksum.
func (f *File) attachment(r record) (a Attachment, err error) {
	const texts = 64 << 10 // bytes of name and type
	head := make([]byte, min(r.size, texts))
	if err := f.src.readFull(head, r.data); err != nil {
		return a, fmt.Errorf("attachment at byte %d: %w", r.pos, err)
	}
	in := fieldsOf(head, r)
	a.LogTime, a.CreateTime, a.Name, a.MediaType = in.U64(), in.U64(), in.String(), in.String()
	size := in.U64()
	if in.err() != nil {
		return a, in.err()
	}
	a.data = r.data + int64(in.Pos())
	const sumSize = 4
	if have := r.end() - sumSize - a.data; have < 0 || size != uint64(have) {
		return a, fmt.Errorf("attachment at byte %d: %d bytes, %d left in its record", r.pos, size, have)
	}
	a.Size = int64(size)
	sum, stored := crc32.NewIEEE(), make([]byte, sumSize)
	if _, err := io.Copy(sum, io.NewSectionReader(f.src.r, r.data, r.size-sumSize)); err != nil {
		return a, fmt.Errorf("attachment at byte %d: %w", r.pos, err)
	}
	if err := f.src.readFull(stored, r.end()-sumSize); err != nil {
		return a, fmt.Errorf("attachment at byte %d: %w", r.pos, err)
	}
	if want := binary.LittleEndian.Uint32(stored); want != 0 && want != sum.Sum32() {
		return a, fmt.Errorf("attachment %.100q at byte %d: wrong checksum", a.Name, r.pos)
	}
	return a, nil
}

func (f *File) Open(a Attachment) io.Reader { return io.NewSectionReader(f.src.r, a.data, a.Size) }
