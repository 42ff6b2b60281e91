package rosbag

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
)

// readIndex reads the file header and, unless o.Scan is set, the index section, whose end it returns.
func (b *File) readIndex(w *bagrecord.Window, o bagstore.OpenOptions) (end int64, err error) {
	var r bagrecord.Record
	b.first = firstChunk
	err = bagrecord.Read(w, int64(len(magic20)), b.size, &r)
	if err == nil && r.Op != bagrecord.OpFileHeader {
		err = fmt.Errorf("found a %s record", bagrecord.OpName(r.Op))
	}
	if err != nil {
		severity := bagstore.Repairable
		if b.size <= firstChunk {
			severity = bagstore.Loss // there is nothing else
		}
		b.notes.Addf(severity, int64(len(magic20)), "file header",
			"the file header is damaged (%v); the file was scanned", err)
		b.headless = true
		return 0, nil
	}
	if len(r.Encryptor) > 0 {
		return 0, b.errorAt(r.Pos, "file header", ErrEncrypted)
	}
	b.first, b.tailToken = b.afterHeader(w, &r), r.Tail
	if o.Scan {
		return 0, nil
	}
	if r.IndexPos == 0 {
		b.notes.Addf(bagstore.Repairable, r.Pos, "file header",
			"the bag has no index (it was not closed); the file was scanned")
		return 0, nil
	}
	end, err = b.readIndexSection(w, int64(r.IndexPos), r.ConnCount, r.ChunkCount)
	if err != nil {
		b.chunks, b.conns, b.notes = nil, nil, nil
		clear(b.byID)
		b.notes.Addf(bagstore.Repairable, int64(r.IndexPos), "index section",
			"the index section is damaged (%v); the file was scanned", err)
		return 0, nil
	}
	b.indexed = true
	b.sortChunks() // no chunk twice
	b.readImplausible(w)
	return end, nil
}

// afterHeader returns the offset of the record after the file header. If the length of the
// header's padding is damaged, that is where all writers put the first chunk.
func (b *File) afterHeader(w *bagrecord.Window, header *bagrecord.Record) int64 {
	next := header.Next()
	if next == firstChunk || next == b.size {
		return next
	}
	var r bagrecord.Record
	pos, length := header.Pos, header.DataLen
	known := func(at int64) bool {
		err := bagrecord.Read(w, at, b.size, &r)
		return (err == nil || errors.Is(err, bagrecord.ErrData)) &&
			(r.Op == bagrecord.OpChunk || r.Op == bagrecord.OpConnection || r.Op == bagrecord.OpChunkInfo)
	}
	if known(next) || !known(firstChunk) {
		return next
	}
	b.notes.Addf(bagstore.Repairable, pos, "file header",
		"its padding of %d bytes doesn't end where the first chunk begins", length)
	return firstChunk
}

// readImplausible reads chunks whose info can't be true, because views wouldn't find their
// messages, and the first chunk of each garbled connection, because it describes it, too.
func (b *File) readImplausible(w *bagrecord.Window) {
	garbled := make(map[uint32]bool)
	for id, c := range b.byID {
		if c.garbled {
			garbled[id] = true
		}
	}
	for i := range b.chunks {
		c := &b.chunks[i]
		wrong := func(k bagstore.ConnCount) bool { return k.Count == 0 || b.byID[k.ID] == nil }
		l := chunkReader{b: b, w: w}
		if slices.ContainsFunc(c.Counts, func(k bagstore.ConnCount) bool { return garbled[k.ID] }) {
			_, _, _ = l.walkContent(c, walker{bag: b, onConnection: b.addConnection})
			for _, k := range c.Counts {
				delete(garbled, k.ID)
			}
		}
		if len(c.Counts) > 0 && c.Start <= c.End && !slices.ContainsFunc(c.Counts, wrong) {
			continue
		}
		entries, _, err := l.walkContent(c, walker{bag: b})        // damage is reported when the chunk is read
		if err != nil && len(c.Counts) == 0 && len(entries) == 0 { // but nothing reads this one
			b.notes.Addf(bagstore.Loss, c.Pos, "chunk", "%v", err)
		}
		entries = slices.DeleteFunc(entries, func(e bagstore.Entry) bool { return b.byID[e.Conn] == nil })
		if len(entries) > 0 {
			b.notes.Addf(bagstore.Repairable, c.Pos, "chunk info", "%d messages from %d to %d can't be true; the chunk was read",
				c.Messages(), c.Start, c.End)
			c.Summarize(entries)
		}
	}
}

// readIndexSection reads all connection and chunk info records from pos on, as the file
// header's counts may be wrong. It returns the end of the section.
func (b *File) readIndexSection(w *bagrecord.Window, pos int64, conns, chunks uint32) (int64, error) {
	if pos < b.first || pos > b.size {
		return 0, fmt.Errorf("index position %d is not between the file header's end at %d and the file's end at %d",
			pos, b.first, b.size)
	}
	nConns, start := 0, pos
	for pos < b.size {
		var r bagrecord.Record
		if err := bagrecord.Read(w, pos, b.size, &r); err != nil {
			if nConns >= int(conns) && len(b.chunks) >= int(chunks) {
				break // the section is complete: this is a torn tail
			}
			return 0, err
		}
		if r.Op != bagrecord.OpConnection && r.Op != bagrecord.OpChunkInfo {
			break
		}
		if err := b.readIndexRecord(w, &r); err != nil {
			return 0, err
		}
		if r.Op == bagrecord.OpConnection {
			nConns++
		}
		pos = r.Next()
	}
	if nConns != int(conns) || len(b.chunks) != int(chunks) {
		b.notes.Addf(bagstore.Repairable, start, "index section",
			"the file header counts %d connections and %d chunks, the index section holds %d and %d",
			conns, chunks, nConns, len(b.chunks))
	}
	if nConns < int(conns) || len(b.chunks) < int(chunks) {
		return 0, errors.New("it is shorter than the file header says")
	}
	return pos, nil
}

func (b *File) readIndexRecord(w *bagrecord.Window, r *bagrecord.Record) error {
	data, err := r.Data(w)
	if err != nil {
		return err
	}
	if r.Op == bagrecord.OpConnection {
		return b.addConnection(r, data)
	}
	info, err := parseChunkInfo(&r.Header, data)
	if err != nil {
		return err
	}
	if info.Pos < int64(len(magic20)) || info.Pos >= b.size {
		return fmt.Errorf("chunk position %d is outside the file", info.Pos)
	}
	b.chunks = append(b.chunks, chunk{ChunkInfo: info})
	return nil
}

// addConnection adds a connection unless its ID is known. An intact record replaces a garbled one.
func (b *File) addConnection(r *bagrecord.Record, data []byte) error {
	c, err := parseConnection(&r.Header, data)
	if err != nil {
		return err
	}
	known, ok := b.byID[c.ID]
	if !ok || known.garbled {
		if c.Definition, err = b.texts.Keep(c.Definition); err != nil {
			b.notes.Addf(bagstore.Loss, r.Pos, "connection", "the definition of %s is left out: %v", c.Topic, err)
		}
	}
	switch {
	case !ok:
		b.byID[c.ID] = c
		b.conns = append(b.conns, &c.Connection)
	case known.garbled && !c.garbled:
		b.notes.Addf(bagstore.Repairable, r.Pos, "connection",
			"connection %d is %s here and %q elsewhere, which is damaged", c.ID, c.Topic, known.Topic)
		*known = *c
	case known.Topic != c.Topic || known.Type != c.Type || known.MD5 != c.MD5:
		b.notes.Addf(c.differs(known), r.Pos, "connection",
			"connection %d is %q here and %s elsewhere, which counts", c.ID, c.Topic, known.Topic)
	}
	return nil
}

// noteGarbled notes the connections that no intact record describes.
func (b *File) noteGarbled() {
	for _, c := range b.conns {
		switch {
		case b.byID[c.ID].garbled:
			b.notes.Addf(bagstore.Loss, -1, "connection", "the description of connection %d is damaged: topic %q", c.ID, c.Topic)
		case c.Type == "":
			b.notes.Addf(bagstore.Loss, -1, "connection",
				"connection %d, of %s, has no type: the data of its record are missing", c.ID, c.Topic)
		}
	}
}

func (b *File) sortChunks() {
	slices.SortFunc(b.chunks, func(x, y chunk) int { return cmp.Compare(x.Pos, y.Pos) })
	b.chunks = slices.CompactFunc(b.chunks, func(x, y chunk) bool { return x.Pos == y.Pos })
}
