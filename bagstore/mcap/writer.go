package mcap

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore"
	"rsros/bagstore/internal/lz4"
	"rsros/bagstore/internal/memory"
)

// writtenChunk is how much a chunk holds uncompressed: a few camera frames.
const writtenChunk = 4 << 20

// lent is the size from which the last part of a Live's message isn't copied into the chunk, which it ends.
const lent = 256 << 10

// The profiles of files with messages of one ROS. Wire constants.
const (
	ProfileROS1 = "ros1"
	ProfileROS2 = "ros2"
)

// Writer makes an MCAP file with an index. It is for one goroutine. After an error it is of no use.
type Writer struct {
	out      output
	schemas  map[schemaKey]uint16
	channels []channel // by ID; 0 is none, as some readers skip a channel with it
	chunk    openChunk
	all      extent // of all messages
	summary  summaryRecords
	lends    bool // chunks are uncompressed, and large messages aren't copied into them
	// What is whole in the output: chunks with their indexes.
	whole  uint64 // its end
	stored extent
}

type channel struct {
	messages uint64
	stored   uint64 // of these, in whole chunks
	index    []byte // entries of the message index of the open chunk
}

// extent is how many messages there are, and their first and last time.
type extent struct{ messages, first, last uint64 }

func (s *extent) add(t uint64) {
	if s.messages == 0 {
		s.first, s.last = t, t
	}
	s.messages++
	s.first, s.last = min(s.first, t), max(s.last, t)
}

type openChunk struct {
	extent
	compression bagstore.Compression // "" for none
	records     []byte
	pack        func(to, records []byte) []byte // if there is a compression
	packed      []byte
}

// summaryRecords are the records of the summary, except the statistics.
type summaryRecords struct {
	schemas, channels, chunks, attachments, metadata group
}

type group struct {
	records []byte
	n       uint32
}

func (g *group) add(op opcode, content []byte) {
	g.records = appendRecord(g.records, op, content)
	g.n++
}

// schemaKey distinguishes versions of a type.
type schemaKey struct {
	name string
	bagstore.Schema
}

// NewWriter makes an MCAP file on f. compression, LZ4, Zstd or None, is that of the chunks.
func NewWriter(f io.Writer, profile string, compression bagstore.Compression) (*Writer, error) {
	w := &Writer{out: output{w: f}, schemas: make(map[schemaKey]uint16), channels: make([]channel, 1)}
	c := &w.chunk
	switch compression {
	case bagstore.LZ4:
		c.compression, c.pack = compression, new(lz4.Encoder).Append
	case bagstore.Zstd:
		// Without concurrency it starts no goroutines. The chunk has a checksum.
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
		if err != nil {
			return nil, err
		}
		c.compression, c.pack = compression, func(to, records []byte) []byte { return enc.EncodeAll(records, to) }
	case bagstore.None, "":
	default:
		return nil, fmt.Errorf("MCAP has no compression %q; lz4, zstd and none are written", compression)
	}
	w.out.put(appendRecord([]byte(magic), opHeader, appendText(appendText(nil, profile), "rs-ros-node")))
	w.whole = w.out.pos
	return w, w.out.err
}

// AddTopic writes a channel, and its schema if it is the first of its type. It returns the
// number that Write takes. Metadata are those that other writers of ROS messages have.
func (w *Writer) AddTopic(t bagstore.Topic) (uint16, error) {
	if len(w.channels) > math.MaxUint16 {
		return 0, fmt.Errorf("MCAP has room for %d channels; choose fewer topics", math.MaxUint16)
	}
	schema := w.schema(t)
	meta := make(map[string]string)
	for key, value := range map[string]string{
		"md5sum": t.MD5, "callerid": t.CallerID, "offered_qos_profiles": t.QoS, "topic_type_hash": t.Hash,
	} {
		if value != "" {
			meta[key] = value
		}
	}
	if t.Encoding == bagstore.ROS1 {
		meta["topic"] = t.Name
	}
	if t.Latching {
		meta["latching"] = "1"
	}
	id := uint16(len(w.channels))
	w.channels = append(w.channels, channel{})
	b := wire.AppendUint16(wire.AppendUint16(nil, id), schema)
	b = appendTexts(appendText(appendText(b, t.Name), t.Encoding), meta)
	w.chunk.records = appendRecord(w.chunk.records, opChannel, b)
	w.summary.channels.add(opChannel, b)
	return id, nil
}

// schema returns the ID of a type's schema, which it writes the first time. 0 means "none" in MCAP.
func (w *Writer) schema(t bagstore.Topic) uint16 {
	key := schemaKey{t.Type, t.Schema}
	if id, ok := w.schemas[key]; ok {
		return id
	}
	id := uint16(len(w.schemas) + 1)
	w.schemas[key] = id
	b := wire.AppendUint16(nil, id)
	b = appendText(appendText(appendText(b, t.Type), t.Schema.Encoding), t.Schema.Text)
	w.chunk.records = appendRecord(w.chunk.records, opSchema, b)
	w.summary.schemas.add(opSchema, b)
	return id
}

// Write writes a message, the concatenation of its parts, which are borrowed. t is its log and publish time.
func (w *Writer) Write(topic uint16, t bagstore.Time, parts ...[]byte) error {
	head := wire.AppendUint32(make([]byte, 0, HeadSize), uint32(w.channels[topic].messages))
	return w.write(topic, wire.AppendUint64(wire.AppendUint64(head, uint64(t)), uint64(t)), parts...)
}

// WriteHeaded writes a message that begins with its head, see [File.KeepHeads].
func (w *Writer) WriteHeaded(topic uint16, m []byte) error {
	return w.write(topic, m[:HeadSize], m[HeadSize:])
}

func (w *Writer) write(topic uint16, head []byte, parts ...[]byte) error {
	c, at := &w.channels[topic], wire.Uint64(head[4:])
	c.index = wire.AppendUint64(wire.AppendUint64(c.index, at), uint64(len(w.chunk.records)))
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	b := appendHead(w.chunk.records, opMessage, messageHead+size)
	b = append(wire.AppendUint16(b, topic), head...)
	var rest []byte
	for i, part := range parts {
		if w.lends && i == len(parts)-1 && len(part) >= lent {
			rest = part
		} else {
			b = append(b, part...)
		}
	}
	w.chunk.records = b
	c.messages++
	w.chunk.add(at)
	w.all.add(at)
	if len(rest) > 0 || len(b) > writtenChunk {
		return w.flush(rest)
	}
	return nil
}

// flush ends the open chunk with a part of a message that isn't copied. Its first error is permanent.
func (w *Writer) flush(rest []byte) error {
	if w.out.err == nil && len(w.chunk.records) > 0 {
		w.writeChunk(rest)
	}
	return w.out.err
}

func (w *Writer) writeChunk(rest []byte) {
	c := &w.chunk
	size := len(c.records) + len(rest)
	sum := crc32.Update(crc32.ChecksumIEEE(c.records), crc32.IEEETable, rest)
	stored, compression := c.records, bagstore.Compression("")
	if c.pack != nil {
		c.packed = c.pack(c.packed[:0], c.records)
		if memory.Fits(int64(len(c.records)), int64(len(c.packed))) == nil { // File would refuse it
			stored, compression = c.packed, c.compression
		}
	}
	at := w.out.pos
	b := appendHead(nil, opChunk, chunkHead+len(compression)+len(stored)+len(rest))
	b = wire.AppendUint64(wire.AppendUint64(b, c.first), c.last)
	b = wire.AppendUint64(b, uint64(size))
	b = wire.AppendUint32(b, sum)
	b = wire.AppendUint64(appendText(b, string(compression)), uint64(len(stored)+len(rest)))
	w.out.put(b)
	if compression != "" {
		sum = crc32.ChecksumIEEE(stored)
	}
	w.out.putSummed(sum, stored, rest)
	end := w.out.pos
	var indexes, places []byte
	for id := range w.channels {
		entries := w.channels[id].index
		if len(entries) == 0 {
			continue
		}
		places = wire.AppendUint64(wire.AppendUint16(places, uint16(id)), end+uint64(len(indexes)))
		indexes = appendHead(indexes, opMessageIndex, messageIndexHead+len(entries))
		indexes = wire.AppendUint32(wire.AppendUint16(indexes, uint16(id)), uint32(len(entries)))
		indexes = append(indexes, entries...)
		w.channels[id].index = entries[:0]
	}
	b = wire.AppendUint64(wire.AppendUint64(b[:0], c.first), c.last)
	b = wire.AppendUint64(wire.AppendUint64(b, at), end-at)
	b = append(wire.AppendUint32(b, uint32(len(places))), places...)
	b = appendText(wire.AppendUint64(b, uint64(len(indexes))), string(compression))
	b = wire.AppendUint64(wire.AppendUint64(b, uint64(len(stored)+len(rest))), uint64(size))
	w.summary.chunks.add(opChunkIndex, b)
	if w.out.put(indexes); w.out.err != nil {
		return
	}
	for id := range w.channels {
		w.channels[id].stored = w.channels[id].messages
	}
	w.whole, w.stored = w.out.pos, w.all
	c.extent, c.records = extent{}, c.records[:0]
}

// Attach writes an attachment whose bytes r returns.
func (w *Writer) Attach(a Attachment, r io.Reader) error {
	times := wire.AppendUint64(wire.AppendUint64(nil, a.LogTime), a.CreateTime)
	names := appendText(appendText(nil, a.Name), a.MediaType)
	content := wire.AppendUint64(append(times, names...), uint64(a.Size))
	at, sum := w.out.pos, crc32.NewIEEE()
	w.out.put(appendHead(nil, opAttachment, len(content)+int(a.Size)+crc32.Size))
	n, err := io.Copy(io.MultiWriter(&w.out, sum), io.MultiReader(bytes.NewReader(content), r))
	if n -= int64(len(content)); err == nil && n != a.Size {
		err = fmt.Errorf("it has %d bytes, not %d", n, a.Size)
	}
	if err != nil {
		return fmt.Errorf("attachment %q: %w", a.Name, err)
	}
	w.out.put(wire.AppendUint32(nil, sum.Sum32()))
	b := wire.AppendUint64(wire.AppendUint64(nil, at), w.out.pos-at)
	b = wire.AppendUint64(append(b, times...), uint64(a.Size))
	w.summary.attachments.add(opAttachmentIndex, append(b, names...))
	return w.out.err
}

func (w *Writer) AddMetadata(m Metadata) error {
	at := w.out.pos
	w.out.put(appendRecord(nil, opMetadata, appendTexts(appendText(nil, m.Name), m.Values)))
	b := wire.AppendUint64(wire.AppendUint64(nil, at), w.out.pos-at)
	w.summary.metadata.add(opMetadataIndex, appendText(b, m.Name))
	return w.out.err
}

func (w *Writer) statistics() group {
	s := &w.summary
	b := wire.AppendUint64(nil, w.all.messages)
	b = wire.AppendUint16(b, uint16(s.schemas.n))
	for _, n := range []uint32{s.channels.n, s.attachments.n, s.metadata.n, s.chunks.n} {
		b = wire.AppendUint32(b, n)
	}
	b = wire.AppendUint64(wire.AppendUint64(b, w.all.first), w.all.last)
	var counts []byte
	for id, c := range w.channels {
		if c.messages > 0 {
			counts = wire.AppendUint64(wire.AppendUint16(counts, uint16(id)), c.messages)
		}
	}
	var g group
	g.add(opStatistics, append(wire.AppendUint32(b, uint32(len(counts))), counts...))
	return g
}

// Close writes the index. It doesn't close f.
func (w *Writer) Close() error {
	if err := w.flush(nil); err != nil {
		return err
	}
	w.out.put(appendRecord(nil, opDataEnd, wire.AppendUint32(nil, w.out.sum)))
	w.out.sum = 0
	start, s := w.out.pos, &w.summary
	var offsets []byte
	for _, g := range []group{s.schemas, s.channels, w.statistics(), s.chunks, s.attachments, s.metadata} {
		if g.n == 0 {
			continue
		}
		b := wire.AppendUint64([]byte{g.records[0]}, w.out.pos)
		offsets = appendRecord(offsets, opSummaryOffset, wire.AppendUint64(b, uint64(len(g.records))))
		w.out.put(g.records)
	}
	footer := appendHead(offsets, opFooter, footerSize)
	w.out.put(wire.AppendUint64(wire.AppendUint64(footer, start), w.out.pos))
	w.out.put(append(wire.AppendUint32(nil, w.out.sum), magic...))
	return w.out.err
}
