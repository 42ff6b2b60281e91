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

// container is a file of a format that has types of its own, or several of them.
type container interface {
	bagstore.Messages
	// Topics lists the topics. Entries and counts name them by their index here.
	Topics() []bagstore.Topic
	// Check compares what the format stores twice, as far as reading hasn't. Found has the result.
	Check()
}

// converted is a container with messages in ROS 1 form.
type converted struct {
	container
	conns  []*bagstore.Connection
	plans  []plan // by topic
	blocks []bagstore.Block
	notes  bagstore.Notes
}

type plan struct {
	conn *bagstore.Connection // nil: they can't be
	*ros2.Mapping
}

func convert(in container) (*bagstore.Recording, error) {
	c := &converted{container: in, notes: in.Info().Notes}
	c.mapTopics()
	if err := c.listBlocks(); err != nil {
		in.Close() //nolint:errcheck // the first error counts
		return nil, fmt.Errorf("%s: %w", in.Info().Path, err)
	}
	return bagstore.NewRecording(c), nil
}

func (c *converted) mapTopics() {
	var kinds msgs.Cache[kind]
	for i, t := range c.Topics() {
		var p plan
		k, err := kinds.Get(t.Encoding+" "+t.Schema.Encoding+" "+t.Type, t.Schema.Text,
			func(string, string) (kind, error) { return c.kind(t) })
		if err != nil {
			c.notes.Addf(bagstore.Loss, -1, KindTopic, "topic %s is left out: %v", t.Name, err)
		} else {
			p = plan{&bagstore.Connection{ID: uint32(i), Topic: t.Name, CallerID: t.CallerID, Latching: t.Latched(),
				BestEffort: t.BestEffort(), Type: k.Name, MD5: k.MD5, Definition: k.Definition}, k.mapping}
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

func (c *converted) kind(t bagstore.Topic) (kind, error) {
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

func (c *converted) noteDropped(name string, fields []string) {
	if len(fields) > 0 {
		c.notes.Addf(bagstore.Harmless, -1, KindTopic, "%s has no place for these fields in ROS 1: %s",
			name, strings.Join(fields, ", "))
	}
}

// listBlocks lists the container's blocks without the topics that are left out.
func (c *converted) listBlocks() error {
	for i, b := range c.container.Blocks() {
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
func (c *converted) bound(i int, b *bagstore.Block) error {
	entries, err := c.Entries(nil, i)
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

// Info describes the file, with what is lost in ROS 1.
func (c *converted) Info() bagstore.Info {
	i := c.container.Info()
	i.Notes = c.notes
	return i
}

// Connections returns the topics that have a ROS 1 form.
func (c *converted) Connections() []*bagstore.Connection { return c.conns }

// Blocks returns the blocks without other topics.
func (c *converted) Blocks() []bagstore.Block { return c.blocks }

// hint is how many bytes a message usually grows: sequence numbers of headers.
const hint = 64

// Read reads a message and converts it.
func (c *converted) Read(in *bagstore.Buffer, block int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	p := c.plans[e.Conn]
	if p.Mapping == nil {
		return c.container.Read(in, block, e, alloc)
	}
	var raw memory.Scratch
	defer raw.Put()
	var out []byte
	message, err := c.container.Read(in, block, e, func(n int) []byte {
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
	c, ok := b.Source().(container)
	if _, is := c.(*converted); is || !ok {
		return nil, false
	}
	parts := []part{{container: c}}
	if j, ok := c.(*joined); ok {
		parts = j.files
	}
	for _, p := range parts {
		if o, is := p.container.(owner); is {
			p = part{container: o.container}
		}
		if f, is := p.container.(*mcap.File); is {
			files = append(files, f)
		}
	}
	return files, len(files) == len(parts)
}
