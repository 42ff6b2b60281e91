package view

import (
	"encoding/json"
	"sync"

	"rsros/camdriver"
	"rsros/node/clients"
	"rsros/node/view/encode"
	"rsros/node/view/wire"
)

// picture is a frame for viewers. It retains the frame, and owns each form that a viewer
// requested. The last release frees both.
type picture struct {
	clients.Shared
	frame  *camdriver.Frame
	stamp  wire.Nanos     // time of arrival
	time   wire.Nanos     // on the source's time line
	memory *encode.Memory // of the forms

	mu       sync.Mutex
	bodies   map[form]encode.Body
	metadata []byte
}

// form is the form in which a viewer requests images.
type form struct {
	packed  bool
	divisor int
}

// newPicture returns a picture with one reference, whose forms take memory from m.
func newPicture(m *encode.Memory, f *camdriver.Frame, stamp, time wire.Nanos) *picture {
	p := &picture{memory: m, frame: f.Retain(), stamp: stamp, time: time}
	p.Init(int64(len(f.Data)), p.free)
	return p
}

func (p *picture) free() {
	for _, b := range p.bodies {
		p.memory.Return(b)
	}
	p.frame.Release()
}

func (p *picture) parts(h wire.Head, want form) [][]byte {
	f := p.frame
	h.Kind, h.Number, h.Stamp, h.Time = wire.Video, f.Number, uint64(p.stamp), uint64(p.time)
	if f.Stream().Kind == camdriver.Pose {
		h.Kind, h.Codec = wire.Pose, wire.JSON
		return [][]byte{h.Append(nil), encode.Pose(f)}
	}
	b, facts := p.in(want), p.facts()
	h.Codec, h.Width, h.Height, h.Stride = b.Codec, uint16(b.Width), uint16(b.Height), uint32(b.Stride)
	h.Metadata = uint32(len(facts))
	return [][]byte{h.Append(nil), facts, b.Data}
}

// in returns the image in a form, valid until the last release. The first caller
// encodes it; others wait for it.
func (p *picture) in(want form) encode.Body {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.form(want)
}

// form is in with mu held.
func (p *picture) form(want form) encode.Body {
	if b, ok := p.bodies[want]; ok {
		return b
	}
	f := p.frame
	var b encode.Body
	switch {
	case want.packed:
		b = p.memory.Pack(p.form(form{divisor: want.divisor}), f.Profile.Format)
	case want.divisor > 1:
		b = p.memory.Shrink(p.form(form{divisor: 1}), f.Profile.Format, want.divisor)
	default:
		b = encode.Body{Codec: wire.Raw, Width: f.Width, Height: f.Height, Stride: f.Stride, Data: f.Data[:f.Stride*f.Height]}
	}
	if p.bodies == nil {
		p.bodies = make(map[form]encode.Body)
	}
	p.bodies[want] = b
	return b
}

// facts returns the metadata of the frame as JSON.
func (p *picture) facts() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.metadata == nil {
		f := p.frame
		values := make(map[string]int64, len(f.Metadata))
		for _, m := range f.Metadata {
			values[m.Key.String()] = m.Value
		}
		p.metadata, _ = json.Marshal(struct { // encoding such a structure can't fail
			Timestamp float64          `json:"timestamp"`
			Domain    string           `json:"domain"`
			Format    string           `json:"format"`
			Values    map[string]int64 `json:"values"`
		}{f.Timestamp, f.Domain.String(), f.Profile.Format.String(), values})
	}
	return p.metadata
}
