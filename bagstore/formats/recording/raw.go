package recording

import (
	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/mcap"
)

type raw struct {
	container.Container
	conns []*bagstore.Connection
}

func openRawContent(path string, c container.Container) *bagstore.Bag {
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
