package transport

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/program/buffers"
	"rsros/program/work"
	"rsros/ros"
	"rsros/ros/graph"
)

// encode compresses an image into dst. It is called by one goroutine at a time.
type encode func(dst []byte, p imagetransport.Image) (format string, data []byte, err error)

type transport struct {
	pub     *ros.Publisher
	encode  encode
	log     zerolog.Logger
	group   *graph.Reconfigure // its parameters; nil if they couldn't be offered
	enabled atomic.Bool
	newest  work.Newest[job]
	buffers buffers.Pool
	wait    bool            // for room in the subscribers' queues
	ctx     context.Context // ends when the transport is closed
	cancel  context.CancelFunc

	// Of the goroutine.
	seq     uint32               // of the next message
	logged  uint64               // of the dropped images
	sampler zerolog.BurstSampler // of the log
}

type job struct {
	header msgs.Header
	image  imagetransport.Image
	owner  buffers.Releaser
}

func newTransport(p *ros.Publisher, e encode, wait bool, log zerolog.Logger) *transport {
	ctx, cancel := context.WithCancel(context.Background())
	t := &transport{wait: wait, ctx: ctx, cancel: cancel, pub: p, encode: e, log: log,
		sampler: zerolog.BurstSampler{Burst: 1, Period: time.Second}}
	t.enabled.Store(true)
	t.newest.Handle, t.newest.Drop = t.handle, func(old, _ job) { old.owner.Release() }
	return t
}

func (t *transport) wanted() bool { return t.enabled.Load() && t.pub.Subscribers() > 0 }

func (t *transport) handle(j job) {
	t.publish(j)
	if n := t.newest.Dropped(); n > t.logged && t.sampler.Sample(zerolog.WarnLevel) {
		t.log.Warn().Uint64("dropped", n-t.logged).Msg("images arrive faster than they are compressed")
		t.logged = n
	}
}

func (t *transport) publish(j job) {
	defer j.owner.Release()
	if !t.wanted() {
		return // the last subscriber has left
	}
	b := t.buffers.Get()
	format, data, err := t.encode(b.Bytes, j.image)
	b.Bytes = data
	if err != nil {
		b.Release()
		if t.sampler.Sample(zerolog.WarnLevel) {
			t.log.Error().Err(err).Msg("can't compress an image")
		}
		return
	}
	// Number messages without gaps. With the image's number, an image that wasn't
	// compressed would look like a lost message.
	j.header.Seq = t.seq
	t.seq++
	var e msgs.Encoder
	j.header.Append(&e)
	e.String(format)
	e.Len(len(data))
	m := msgs.Raw{Head: e.B, Body: data, Owner: b}
	if t.wait {
		_ = t.pub.PublishWait(t.ctx, m) // fails when the transport is closed
	} else {
		t.pub.Publish(m)
	}
}

// close closes the topic after the image that is being compressed.
func (t *transport) close() {
	if t.group != nil {
		t.group.Close()
	}
	t.cancel()
	_ = t.newest.Settle(context.Background())
	t.pub.Close()
	if n := t.newest.Dropped(); n > 0 {
		t.log.Info().Uint64("count", n).Msg("uncompressed images dropped")
	}
}
