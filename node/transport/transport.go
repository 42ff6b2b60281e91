package transport

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/program/buffers"
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
	pending chan job // room for one: the newest
	done    chan struct{}
	buffers sync.Pool       // of *buffer
	wait    bool            // for room in the subscribers' queues
	ctx     context.Context // ends when the transport is closed
	cancel  context.CancelFunc

	mu   sync.Mutex
	open int           // images that wait or are being compressed
	idle chan struct{} // closed when there are none; nil if nobody waits

	seq     uint32 // of the next message
	dropped atomic.Uint64
	sampler zerolog.BurstSampler // of the log
}

type job struct {
	header msgs.Header
	image  imagetransport.Image
	owner  buffers.Releaser
}

func newTransport(p *ros.Publisher, e encode, wait bool, log zerolog.Logger) *transport {
	ctx, cancel := context.WithCancel(context.Background())
	t := &transport{wait: wait, ctx: ctx, cancel: cancel, pub: p, encode: e, log: log, pending: make(chan job, 1), done: make(chan struct{}),
		sampler: zerolog.BurstSampler{Burst: 1, Period: time.Second}}
	t.enabled.Store(true)
	go t.run()
	return t
}

func (t *transport) wanted() bool { return t.enabled.Load() && t.pub.Subscribers() > 0 }

// put passes an image to the goroutine and drops the one that waits.
func (t *transport) put(j job) {
	t.count(+1)
	for {
		select {
		case t.pending <- j:
			return
		default:
		}
		select {
		case old := <-t.pending:
			old.owner.Release()
			t.dropped.Add(1)
			t.count(-1)
		default:
		}
	}
}

func (t *transport) run() {
	defer close(t.done)
	var logged uint64
	for j := range t.pending {
		t.publish(j)
		t.count(-1)
		if n := t.dropped.Load(); n > logged && t.sampler.Sample(zerolog.WarnLevel) {
			t.log.Warn().Uint64("dropped", n-logged).Msg("images arrive faster than they are compressed")
			logged = n
		}
	}
}

func (t *transport) count(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open += n; t.open == 0 && t.idle != nil {
		close(t.idle)
		t.idle = nil
	}
}

func (t *transport) settle(ctx context.Context) error {
	t.mu.Lock()
	if t.open == 0 {
		t.mu.Unlock()
		return nil
	}
	if t.idle == nil {
		t.idle = make(chan struct{})
	}
	idle := t.idle
	t.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *transport) publish(j job) {
	defer j.owner.Release()
	if !t.wanted() {
		return // the last subscriber has left
	}
	b := t.buffer()
	format, data, err := t.encode(b.bytes[:0], j.image)
	b.bytes = data
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
	close(t.pending)
	<-t.done
	t.pub.Close()
	if n := t.dropped.Load(); n > 0 {
		t.log.Info().Uint64("count", n).Msg("uncompressed images dropped")
	}
}

// buffer holds a compressed image until the last subscriber has it.
type buffer struct {
	bytes []byte
	home  *sync.Pool
}

func (t *transport) buffer() *buffer {
	if b, ok := t.buffers.Get().(*buffer); ok {
		return b
	}
	return &buffer{home: &t.buffers}
}

func (b *buffer) Release() { b.home.Put(b) }
