package bagstore

// Messages is a Source of a format whose messages are read one by one. Its methods are safe for concurrent use.
type Messages interface {
	Source
	// Layout says how a block is stored.
	Layout(block int) Layout
	// Entries returns the messages of a block in any order. Those of unknown connections are
	// ignored.
	Entries(block int) ([]Entry, error)
	// Read appends a message to the result of alloc, an empty slice with room for n bytes. Another
	// call of alloc invalidates the previous result.
	Read(block int, e Entry, alloc func(n int) []byte) ([]byte, error)
}

// ConvertedLayout returns the Layout of a block of Messages.
func ConvertedLayout(b Block) Layout {
	return Layout{Compression: b.Compression, Access: Converted, DataPos: b.Pos, Stored: b.Stored, Size: b.Size}
}

// MessageReader returns a Reader of m.
func MessageReader(m Messages) Reader { return &messageByMessage{m: m} }

// messageByMessage is a Reader of Messages.
type messageByMessage struct {
	m     Messages
	conns map[uint32]*Connection // nil: not needed yet
}

func (r *messageByMessage) Layout(block int) (Layout, error) { return r.m.Layout(block), nil }

func (r *messageByMessage) Index(block int, x *Index, keep func(uint32) bool) ([]Run, error) {
	if x.Records == nil {
		entries, err := r.m.Entries(block)
		if err != nil {
			return nil, r.errorAt(block, "block", err)
		}
		if r.conns == nil {
			r.conns = make(map[uint32]*Connection)
			for _, c := range r.m.Connections() {
				r.conns[c.ID] = c
			}
		}
		x.Layout, x.Records = r.m.Layout(block), []IndexRecord{}
		for _, run := range Runs(entries, r.conns) {
			x.Records = append(x.Records, IndexRecord{Run: run})
			x.Grew(IndexRecordSize + len(run.Raw))
		}
	}
	var list []Run
	for _, record := range x.Records {
		if keep == nil || keep(record.Conn.ID) {
			list = append(list, record.Run)
		}
	}
	return list, nil
}

func (r *messageByMessage) Read(p *Position, to *Stored, before func(n int)) error {
	var buffer *Buffer
	data, err := r.m.Read(p.Block, Entry{p.Time, p.Conn, p.Ref}, func(n int) []byte {
		buffer.Release()
		if before != nil {
			before(n)
		}
		buffer = NewBuffer(n)
		return buffer.bytes[:0]
	})
	if err != nil {
		buffer.Release()
		return r.errorAt(p.Block, "message", err)
	}
	if buffer == nil {
		buffer = WrapBuffer(data)
	}
	buffer.bytes = data // wherever it is now
	to.Data, to.Buffer = data, buffer
	return nil
}

func (r *messageByMessage) errorAt(block int, kind string, err error) error {
	return &FormatError{Path: r.m.Info().Path, Offset: r.m.Layout(block).DataPos, Kind: kind, Err: err}
}
