package mcap

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	"rsros/bagstore"
)

// Messages of uncompressed chunks are read from the file, each by itself, in any order. Each adds its own checksum to
// that of its chunk, so that a chunk whose messages are all read is compared with its checksum, and nothing of it is
// read twice but what lies between the messages. Messages outside of chunks add to the checksum of the data section.

// sums are the checksums of what is being read.
type sums struct {
	mu   sync.Mutex
	list []*partialSum  // at most maxSums, most recently used last
	done map[int64]bool // by the first byte: they were compared
}

// Limits of sums. A chunk of which only a part is read, such as the messages of one topic, is forgotten.
const (
	maxSums     = 256
	maxSumParts = 256
)

// partialSum is what was read of a range.
type partialSum struct {
	sumRange
	left  uint64 // messages to be read
	parts []sumPart
}

// sumRange is a range with a checksum.
type sumRange struct {
	b        *block // nil: the data section
	from, to int64
}

// sumPart is the checksum of messages that follow each other.
type sumPart struct {
	from, to int64
	sum      uint32
}

// spanOf returns the range with a checksum that a block is in. ok is false if there is none.
func (f *File) spanOf(b *block) (s sumRange, ok bool) {
	if b.chunk {
		return sumRange{b, b.from, b.to}, !b.torn && (b.listed || b.crc != 0)
	}
	return sumRange{nil, 0, f.dataEnd.pos}, f.dataSum != 0
}

// messagesIn returns the number of messages in a range.
func (f *File) messagesIn(s sumRange) (n uint64) {
	if s.b != nil {
		return s.b.info.Messages()
	}
	for i := range f.blocks {
		if b := &f.blocks[i]; !b.chunk {
			n += b.info.Messages()
		}
	}
	return n
}

// has reports whether a range was compared with its checksum.
func (s *sums) has(r sumRange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done[r.from]
}

// first reports whether nobody has compared a range with its checksum, which the caller now does.
func (s *sums) first(r sumRange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done == nil {
		s.done = make(map[int64]bool)
	}
	before := s.done[r.from]
	s.done[r.from] = true
	return !before
}

// sumMessage adds a message that was read from the file, whose record begins with head. After the last one of its
// range, it compares the checksum.
func (f *File) sumMessage(b *block, r record, head, data []byte) {
	s, ok := f.spanOf(b)
	if !ok {
		return
	}
	start := binary.LittleEndian.AppendUint64([]byte{byte(r.op)}, uint64(r.size))
	sum := crc32.ChecksumIEEE(start)
	sum = crc32.Update(sum, crc32.IEEETable, head)
	sum = crc32.Update(sum, crc32.IEEETable, data)
	if p := f.sums.add(f, s, sumPart{r.pos, r.end(), sum}); p != nil {
		f.compareParts(p)
	}
}

// add adds a part, and returns the sum of its range if that has all messages.
func (s *sums) add(f *File, in sumRange, part sumPart) *partialSum {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done[in.from] {
		return nil
	}
	at := slices.IndexFunc(s.list, func(p *partialSum) bool { return p.sumRange == in })
	p := &partialSum{sumRange: in}
	if at >= 0 {
		p = s.list[at]
		s.list = append(slices.Delete(s.list, at, at+1), p)
	} else {
		p.left = f.messagesIn(in)
		if len(s.list) == maxSums {
			s.list = slices.Delete(s.list, 0, 1)
		}
		s.list = append(s.list, p)
	}
	p.add(part)
	if p.left == 0 || len(p.parts) == maxSumParts {
		s.list = s.list[:len(s.list)-1]
	}
	if p.left > 0 {
		return nil
	}
	return p
}

// add adds a message unless it was read before.
func (p *partialSum) add(m sumPart) {
	i, twice := slices.BinarySearchFunc(p.parts, m, func(q, m sumPart) int { return cmp.Compare(q.from, m.from) })
	if twice || i > 0 && p.parts[i-1].to > m.from || i < len(p.parts) && p.parts[i].from < m.to {
		return
	}
	p.left--
	p.parts = slices.Insert(p.parts, i, m)
	for _, i := range []int{i + 1, i} {
		if i > 0 && i < len(p.parts) && p.parts[i-1].to == p.parts[i].from {
			p.parts[i-1].append(p.parts[i])
			p.parts = slices.Delete(p.parts, i, i+1)
		}
	}
}

// append appends a part that follows.
func (p *sumPart) append(q sumPart) {
	p.sum, p.to = joinSums(p.sum, q.sum, q.to-q.from), q.to
}

// compareParts reads what lies between parts, and compares their range with its checksum.
func (f *File) compareParts(p *partialSum) {
	if !f.sums.first(p.sumRange) {
		return
	}
	all := sumPart{from: p.from, to: p.from}
	for _, part := range append(p.parts, sumPart{from: p.to, to: p.to}) {
		between := crc32.NewIEEE()
		if _, err := io.Copy(between, io.NewSectionReader(f.src.r, all.to, part.from-all.to)); err != nil {
			f.found.Add(wrongSum(p.sumRange, err))
			return
		}
		all.append(sumPart{all.to, part.from, between.Sum32()})
		all.append(part)
	}
	f.compareSum(p.sumRange, all.sum)
}

// compareSum compares the checksum of a range with the one in the file.
func (f *File) compareSum(s sumRange, sum uint32) {
	want, err := f.dataSum, error(nil)
	if s.b != nil {
		want, err = f.storedSum(s.b)
	}
	if err != nil || want != 0 && want != sum {
		f.found.Add(wrongSum(s, err))
	}
}

func wrongSum(s sumRange, err error) bagstore.Note {
	n := bagstore.Note{Offset: s.to, Kind: "data end", Severity: bagstore.Loss,
		Text: "the content doesn't have the checksum of the file"}
	if s.b != nil {
		n.Offset, n.Kind, n.Text = s.b.info.Pos, "chunk", "the content doesn't have the checksum of the chunk"
	}
	if err != nil {
		n.Text = fmt.Sprintf("the content can't be compared with its checksum: %v", err)
	}
	return n
}

// Check compares with their checksums the chunks, and a file with messages outside of chunks, that reading hasn't
// compared. Found has the result.
func (f *File) Check() {
	for i := range f.blocks {
		b := &f.blocks[i]
		s, ok := f.spanOf(b)
		switch {
		case !ok || f.sums.has(s):
		case !b.packed():
			f.compareParts(&partialSum{sumRange: s})
		default:
			if in, err := f.unpack(b); err != nil {
				f.found.Add(wrongSum(s, err))
			} else {
				in.Release()
			}
		}
	}
}

// joinSums returns the checksum of two pieces of data from those of each, and the length of the second one: the first
// checksum times x^(8n), a polynomial over GF(2) modulo that of CRC-32, plus the second one.
func joinSums(a, b uint32, n int64) uint32 {
	power := uint32(1) << (31 - 8) // x^8; the highest bit is x^0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			a = timesModulo(a, power)
		}
		power = timesModulo(power, power)
	}
	return a ^ b
}

func timesModulo(a, b uint32) (product uint32) {
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		if b&1 != 0 {
			b = b>>1 ^ crc32.IEEE
		} else {
			b >>= 1
		}
	}
	return product
}
