package view

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"rsros/camdriver"
	"rsros/node/view/encode"
	"rsros/node/view/wire"
)

// item is what waits for viewers: a picture, or a message of a topic. It is encoded once
// in each form, whatever the number of viewers.
type item interface {
	retain() item
	release()
	// seal makes the item a parcel, which owns the caller's reference.
	seal(wire.Head, form) parcel
}

// underWay is how many items of a stream a viewer may have before it says that it has
// drawn or left out one.
const underWay = 2

const (
	// sampleEvery is how long samples are collected before they are sent.
	sampleEvery = 20 * time.Millisecond
	// maxSamples bounds the samples that wait for a viewer: 5 s at 400 Hz.
	maxSamples = 2000
)

// lane is one stream's way to one viewer. The viewer's session guards it.
type lane struct {
	stream *stream
	form   form

	given, sent, skipped uint64
	sequence, credited   uint32
	pending              uint32 // skipped since the last that was sent

	asked bool // it was shown again for this lane, or tried

	waiting []item // the newest ones without credit, oldest first
	batch   batch  // of streams that carry samples
}

// batch is samples that are sent together.
type batch struct {
	number      uint64 // of the first
	stamp, time wire.Nanos
	samples     [][4]float64 // seconds after time, x, y, z
	due         bool
}

// offer gives an item to the lane.
func (l *lane) offer(i item) {
	l.given++
	if len(l.waiting) >= max(l.stream.keep, 1) {
		l.skip()
	}
	l.waiting = append(l.waiting, i.retain())
}

// next takes out the item that has waited longest.
func (l *lane) next() item {
	i := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	return i
}

// skip leaves out the item that has waited longest.
func (l *lane) skip() {
	l.next().release()
	l.skipped++
	l.pending++
}

// ready tells whether something may be sent.
func (l *lane) ready() bool {
	if len(l.waiting) > 0 {
		return l.sequence-l.credited < underWay
	}
	return l.batch.due
}

// credit takes note of what the viewer has done with items.
func (l *lane) credit(upto uint32) {
	if upto <= l.sequence && upto > l.credited {
		l.credited = upto
	}
}

// add adds a sample. first says that it begins a batch, which has to become due.
func (l *lane) add(f *camdriver.Frame, stamp, at wire.Nanos) (first bool) {
	v := f.Motion.Gyro
	if f.Profile.Stream.Kind == camdriver.Accel {
		v = f.Motion.Accel
	}
	l.given++
	b := &l.batch
	if first = len(b.samples) == 0; first {
		b.number, b.stamp, b.time = f.Number, stamp, at
	}
	if len(b.samples) == maxSamples {
		l.skipped++
		l.pending++
		return false
	}
	b.samples = append(b.samples, [4]float64{float64(at-b.time) / 1e9, v[0], v[1], v[2]})
	return first
}

// parcel is a message to send, in parts: the head, metadata and body. done says that it
// was.
type parcel struct {
	parts [4][]byte
	done  func()
}

// take takes out what is ready. The session's lock is held; encoding happens in seal,
// without it.
func (l *lane) take() (seal func() parcel) {
	l.sequence++
	h := wire.Head{Stream: l.stream.id, Sequence: l.sequence, Skipped: l.pending}
	l.pending = 0
	if len(l.waiting) > 0 {
		i, form := l.next(), l.form
		l.sent++
		return func() parcel { return i.seal(h, form) }
	}
	b := l.batch
	l.sent += uint64(len(b.samples))
	l.batch = batch{}
	l.credited = l.sequence // samples need no credit
	return func() parcel { return sealBatch(h, b) }
}

// seal implements item.
func (p *picture) seal(h wire.Head, want form) parcel {
	f := p.frame
	h.Kind, h.Number, h.Stamp, h.Time = wire.Video, f.Number, uint64(p.stamp), uint64(p.time)
	if f.Stream().Kind == camdriver.Pose {
		h.Kind, h.Codec = wire.Pose, wire.JSON
		return parcel{[4][]byte{h.Append(make([]byte, 0, wire.HeadSize)), nil, encode.Pose(f)}, p.release}
	}
	b, facts := p.in(want), p.facts()
	h.Codec, h.Width, h.Height, h.Stride = b.Codec, uint16(b.Width), uint16(b.Height), uint32(b.Stride)
	h.Metadata = uint32(len(facts))
	return parcel{[4][]byte{h.Append(make([]byte, 0, wire.HeadSize)), facts, b.Data}, p.release}
}

func sealBatch(h wire.Head, b batch) parcel {
	h.Kind, h.Codec, h.Number, h.Stamp, h.Time = wire.Motion, wire.Samples, b.number, uint64(b.stamp), uint64(b.time)
	data := make([]byte, 0, 32*len(b.samples))
	for _, s := range b.samples {
		for _, v := range s {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
	}
	return parcel{[4][]byte{h.Append(make([]byte, 0, wire.HeadSize)), nil, data}, func() {}}
}

// drop forgets what waits.
func (l *lane) drop() {
	for len(l.waiting) > 0 {
		l.next().release()
	}
}

func (l *lane) counts() wire.StreamCounts {
	return wire.StreamCounts{ID: l.stream.id, Given: l.given, Lost: l.stream.lost(), Sent: l.sent, Skipped: l.skipped}
}
