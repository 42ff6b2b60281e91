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

// content is a container's content with messages in ROS 1 form.
type content struct {
	bagstore.Container
	conns  []*bagstore.Connection
	plans  []plan // by topic
	blocks []bagstore.Block
	notes  bagstore.Notes
}

type plan struct {
	conn *bagstore.Connection // nil: they can't be
	*ros2.Mapping
}

func openContent(path string, c bagstore.Container) (*bagstore.Bag, error) {
	k := &content{Container: c, notes: c.Notes()}
	k.mapTopics()
	if err := k.listBlocks(); err != nil {
		c.Close() //nolint:errcheck // the first error counts
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return bagstore.OpenContent(k, bagstore.ContentInfo{Path: path, Version: c.Format(), Size: c.Size(), Notes: k.notes}), nil
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

// hint is how many bytes a message usually grows: sequence numbers of headers.
const hint = 64

func (c *content) Read(block int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	p := c.plans[e.Conn]
	if p.Mapping == nil {
		return c.Container.Read(block, e, alloc)
	}
	var raw memory.Scratch
	defer raw.Put()
	var out []byte
	message, err := c.Container.Read(block, e, func(n int) []byte {
		out = alloc(n + hint) // the caller may account for it first
		return raw.Get(n)
	})
	if err != nil {
		return nil, err
	}
	out, err = p.ToROS1(out, message)
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", p.conn.Topic, err)
	}
	return out, nil
}

type raw struct {
	bagstore.Container
	conns []*bagstore.Connection
}

func openRawContent(path string, c bagstore.Container) *bagstore.Bag {
	r := &raw{Container: c}
	for i, t := range c.Topics() {
		r.conns = append(r.conns, &bagstore.Connection{
			ID: uint32(i), Topic: t.Name, Type: t.Type, Definition: t.Schema.Text, CallerID: t.CallerID, Latching: Latched(t),
		})
	}
	return bagstore.OpenContent(r, bagstore.ContentInfo{Path: path, Version: c.Format(), Size: c.Size(), Notes: c.Notes()})
}

func (r *raw) Connections() []*bagstore.Connection { return r.conns }

// MCAPFiles returns the MCAP files that a bag of OpenRaw reads. They are open as long as the bag.
// all reports whether it reads no others.
func MCAPFiles(b *bagstore.Bag) (files []*mcap.File, all bool) {
	r, ok := b.Content().(*raw)
	if !ok {
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
