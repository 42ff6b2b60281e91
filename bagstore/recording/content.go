package recording

import (
	"cmp"
	"fmt"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/internal/memory"
	"rsros/bagstore/mcap"
	"rsros/msgs"
	"rsros/msgs/ros2"
)

// content is a container as a [bagstore.Source]: with messages in ROS 1 form, or as they were recorded.
type content struct {
	bagstore.Container
	path   string
	conns  []*bagstore.Connection
	byID   map[uint32]*bagstore.Connection
	plans  []plan // by topic
	blocks []bagstore.Block
	notes  bagstore.Notes
	raw    bool // messages are as they were recorded
}

type plan struct {
	conn *bagstore.Connection // nil: they can't be
	*ros2.Mapping
}

func openContent(path string, c bagstore.Container, raw bool) (*bagstore.Recording, error) {
	k := &content{Container: c, path: path, notes: c.Notes(), raw: raw, byID: make(map[uint32]*bagstore.Connection)}
	if raw {
		k.takeTopics()
	} else {
		k.mapTopics()
	}
	for _, conn := range k.conns {
		k.byID[conn.ID] = conn
	}
	if err := k.listBlocks(); err != nil {
		c.Close() //nolint:errcheck // the first error counts
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return bagstore.NewRecording(k, bagstore.Info{Path: path, Version: c.Format(), Size: c.Size(), Notes: k.notes, Clamps: true}), nil
}

// takeTopics describes the topics in the words of the format.
func (c *content) takeTopics() {
	for i, t := range c.Topics() {
		p := plan{conn: &bagstore.Connection{ID: uint32(i), Topic: t.Name, Type: t.Type, Definition: t.Schema.Text, CallerID: t.CallerID, Latching: Latched(t)}}
		c.conns, c.plans = append(c.conns, p.conn), append(c.plans, p)
	}
}

func (c *content) mapTopics() {
	var kinds msgs.Cache[kind]
	for i, t := range c.Topics() {
		var p plan
		k, err := kinds.Get(t.Encoding+" "+t.Schema.Encoding+" "+t.Type, t.Schema.Text, func(string, string) (kind, error) { return c.kind(t) })
		if err != nil {
			c.notes.Addf(bagstore.Loss, -1, KindTopic, "topic %s is left out: %v", t.Name, err)
		} else {
			p = plan{&bagstore.Connection{ID: uint32(i), Topic: t.Name, CallerID: t.CallerID, Latching: Latched(t),
				Type: k.Name, MD5: k.MD5, Definition: k.Definition}, k.mapping}
			if t.Encoding == bagstore.ROS1 {
				p.conn.MD5 = cmp.Or(t.MD5, k.MD5)
			}
			c.conns = append(c.conns, p.conn)
		}
		c.plans = append(c.plans, p)
	}
}

// kind is a type of messages in ROS 1.
type kind struct {
	msgs.Type
	mapping *ros2.Mapping // nil: the messages have ROS 1 form already
}

func (c *content) kind(t bagstore.Topic) (kind, error) {
	switch t.Encoding {
	case bagstore.ROS1:
		s, err := msgs.Parse(t.Type, t.Schema.Text)
		if err != nil {
			return kind{}, err
		}
		return kind{Type: msgs.Type{Name: t.Type, MD5: s.MD5(), Definition: t.Schema.Text}}, nil
	case bagstore.CDR:
		m, err := Map(t)
		if err != nil {
			return kind{}, err
		}
		c.noteDropped(t.Type, m.Dropped)
		return kind{m.Type, m}, nil
	}
	return kind{}, fmt.Errorf("messages of the encoding %q", t.Encoding)
}

// Map maps a topic's type by the definition in the file, or by the program's own if the
// file has none. An empty definition of a type that the program doesn't know has no fields.
func Map(t bagstore.Topic) (*ros2.Mapping, error) {
	text := ""
	if t.Schema.Encoding == bagstore.SchemaROS2 {
		text = t.Schema.Text
	}
	m, err := ros2.Map(t.Type, text)
	if err != nil && text == "" && t.Schema.Encoding == bagstore.SchemaROS2 {
		return ros2.Map(t.Type, "\n")
	}
	return m, err
}

// KindTopic is the kind of notes about topics that lose something in ROS 1.
const KindTopic = "topic"

func (c *content) noteDropped(name string, fields []string) {
	if len(fields) > 0 {
		c.notes.Addf(bagstore.Harmless, -1, KindTopic, "%s has no place for these fields in ROS 1: %s", name, strings.Join(fields, ", "))
	}
}

// Latched reports whether late subscribers get a topic's last message.
func Latched(t bagstore.Topic) bool {
	for line := range strings.Lines(t.QoS) {
		value, ok := strings.CutPrefix(strings.TrimLeft(line, "- "), "durability:")
		if value = strings.TrimSpace(value); ok && (value == "1" || value == "transient_local") {
			return true
		}
	}
	return t.Latching
}

// listBlocks lists the container's blocks without the topics that are left out.
func (c *content) listBlocks() error {
	for i, b := range c.Container.Blocks() {
		all := len(b.Counts)
		kept := b.Counts[:0:0]
		for _, n := range b.Counts {
			if c.plans[n.ID].conn != nil {
				kept = append(kept, n)
			}
		}
		b.Counts = kept
		if len(kept) < all && len(kept) > 0 {
			if err := c.bound(i, &b); err != nil {
				return err
			}
		}
		c.blocks = append(c.blocks, b)
	}
	return nil
}

// bound finds the times of a block with topics that are left out.
func (c *content) bound(i int, b *bagstore.Block) error {
	entries, err := c.Entries(i)
	if err != nil {
		return err
	}
	b.Start, b.End = bagstore.MaxTime, bagstore.MinTime
	for _, e := range entries {
		if c.plans[e.Conn].conn != nil {
			b.Start, b.End = min(b.Start, e.Time), max(b.End, e.Time)
		}
	}
	return nil
}

func (c *content) Connections() []*bagstore.Connection { return c.conns }

func (c *content) Blocks() []bagstore.Block { return c.blocks }

// Reader returns the content: it is safe for concurrent use.
func (c *content) Reader() bagstore.Reader { return c }

// Layout says how a block is stored.
func (c *content) Layout(block int) (bagstore.Layout, error) {
	b := &c.blocks[block]
	return bagstore.Layout{Compression: b.Compression, Access: bagstore.Converted, DataPos: max(b.Pos, 1), Stored: b.Stored, Size: b.Size}, nil
}

// Index lists the messages of a block.
func (c *content) Index(block int, x *bagstore.Index, keep func(uint32) bool) ([]bagstore.Run, error) {
	if x.Records == nil {
		entries, err := c.Entries(block)
		if err != nil {
			return nil, c.errorAt(block, "block", err)
		}
		x.Layout, _ = c.Layout(block)
		x.Records = []bagstore.IndexRecord{}
		for _, r := range bagstore.Runs(entries, c.byID) {
			x.Records = append(x.Records, bagstore.IndexRecord{Run: r})
			x.Grew(bagstore.IndexRecordSize + len(r.Raw))
		}
	}
	var list []bagstore.Run
	for _, r := range x.Records {
		if keep == nil || keep(r.Conn.ID) {
			list = append(list, r.Run)
		}
	}
	return list, nil
}

// Read reads a message and converts it.
func (c *content) Read(p *bagstore.Position, before func(n int)) (m bagstore.Stored, err error) {
	data, err := c.message(p, func(n int) []byte {
		m.Buffer.Release()
		if before != nil {
			before(n)
		}
		m.Buffer = bagstore.NewBuffer(n)
		return m.Buffer.Bytes()[:0]
	})
	if err != nil {
		m.Buffer.Release()
		return bagstore.Stored{}, c.errorAt(p.Block, "message", err)
	}
	if m.Buffer == nil {
		m.Buffer = bagstore.WrapBuffer(data)
	}
	m.Data = m.Buffer.Hold(data)
	return m, nil
}

func (c *content) errorAt(block int, kind string, err error) error {
	return &bagstore.FormatError{Path: c.path, Offset: c.blocks[block].Pos, Kind: kind, Err: err}
}

// hint is how many bytes a message usually grows: sequence numbers of headers.
const hint = 64

// message appends a message to the result of alloc.
func (c *content) message(at *bagstore.Position, alloc func(n int) []byte) ([]byte, error) {
	p, e := c.plans[at.Conn], bagstore.Entry{Time: at.Time, Conn: at.Conn, Ref: at.Ref}
	if p.Mapping == nil {
		return c.Container.Read(at.Block, e, alloc)
	}
	var raw memory.Scratch
	defer raw.Put()
	var out []byte
	message, err := c.Container.Read(at.Block, e, func(n int) []byte {
		out = alloc(n + hint) // the caller may account for it first
		return raw.Get(n)
	})
	if err != nil {
		return nil, err
	}
	out, _, err = p.Convert(out, message)
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", p.conn.Topic, err)
	}
	return out, nil
}

// MCAPFiles returns the MCAP files that a bag of OpenRaw reads. They are open as long as the bag.
// all reports whether it reads no others.
func MCAPFiles(b *bagstore.Recording) (files []*mcap.File, all bool) {
	r, ok := b.Source().(*content)
	if !ok || !r.raw {
		return nil, false
	}
	parts := []part{{Container: r.Container}}
	if j, ok := r.Container.(*joined); ok {
		parts = j.files
	}
	for _, p := range parts {
		if o, is := p.Container.(owner); is {
			p = part{Container: o.Container}
		}
		if f, is := p.Container.(*mcap.File); is {
			files = append(files, f)
		}
	}
	return files, len(files) == len(parts)
}
