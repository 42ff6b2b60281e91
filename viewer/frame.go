package viewer

import (
	"encoding/json"
	"sync"

	"rsros/camdriver"
	"rsros/viewer/api"
	"rsros/viewer/clients"
)

// frame is a camera's frame for viewers. It retains that, and owns each form that a viewer
// requested. The last release frees both.
type frame struct {
	clients.Shared
	frame  *camdriver.Frame
	stamp  api.Nanos   // time of arrival
	time   api.Nanos   // on the source's time line
	memory *formMemory // of the forms

	// mu guards:
	mu       sync.Mutex
	bodies   map[form]encoded
	metadata []byte
}

// form is the form in which a viewer requests images.
type form struct {
	packed  bool
	divisor int
}

// newFrame returns a frame with one reference, whose forms take memory from m.
func newFrame(m *formMemory, f *camdriver.Frame, stamp, time api.Nanos) *frame {
	p := &frame{memory: m, frame: f.Retain(), stamp: stamp, time: time}
	p.Init(int64(len(f.Data)), p.free)
	return p
}

func (p *frame) free() {
	for _, b := range p.bodies {
		if b.lent {
			p.memory.put(b.Data)
		}
	}
	p.frame.Release()
}

func (p *frame) parts(h api.Head, want form) [][]byte {
	f := p.frame
	h.Kind, h.Number, h.Stamp, h.Time = api.Video, f.Number, uint64(p.stamp), uint64(p.time)
	if f.Stream().Kind == camdriver.Pose {
		h.Kind, h.Codec = api.Pose, api.JSON
		return [][]byte{h.Append(nil), encodePose(f)}
	}
	p.mu.Lock()
	b, metadata := p.body(want), p.metadataJSON()
	p.mu.Unlock()
	h.Codec, h.Width, h.Height, h.Stride = b.Codec, uint16(b.Width), uint16(b.Height), uint32(b.Stride)
	h.Metadata = uint32(len(metadata))
	return [][]byte{h.Append(nil), metadata, b.Data}
}

// body returns the image in a form, valid until the last release. The first caller encodes it. REQUIRES: mu is held.
func (p *frame) body(want form) encoded {
	if b, ok := p.bodies[want]; ok {
		return b
	}
	f := p.frame
	var b encoded
	switch {
	case want.packed:
		b = p.memory.pack(p.body(form{divisor: want.divisor}), f.Profile.Format)
	case want.divisor > 1:
		b = p.memory.shrink(p.body(form{divisor: 1}), f.Profile.Format, want.divisor)
	default:
		b = encoded{Codec: api.Raw, Width: f.Width, Height: f.Height, Stride: f.Stride, Data: f.Data[:f.Stride*f.Height]}
	}
	if p.bodies == nil {
		p.bodies = make(map[form]encoded)
	}
	p.bodies[want] = b
	return b
}

// metadataJSON returns the metadata of the frame as JSON. REQUIRES: mu is held.
func (p *frame) metadataJSON() []byte {
	if p.metadata == nil {
		f := p.frame
		values := make(map[string]int64, len(f.Metadata))
		for _, m := range f.Metadata {
			values[m.Key.String()] = m.Value
		}
		p.metadata, _ = json.Marshal(struct { // encoding such a structure can't fail
			Timestamp api.Float64      `json:"timestamp"`
			Domain    string           `json:"domain"`
			Format    string           `json:"format"`
			Values    map[string]int64 `json:"values"`
		}{api.Float64(f.Timestamp), f.Domain.String(), f.Profile.Format.String(), values})
	}
	return p.metadata
}
