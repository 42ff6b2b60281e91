package transport

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/node/ros"
)

// encode compresses a picture into dst. It is called by one goroutine at a time.
type encode func(dst []byte, p imagetransport.Picture) (format string, data []byte, err error)

// transport is one topic of compressed pictures.
type transport struct {
	pub     *ros.Publisher
	encode  encode
	log     zerolog.Logger
	enabled atomic.Bool
	pending chan job // room for one: the newest
	done    chan struct{}
	buffers sync.Pool       // of *buffer
	wait    bool            // for room in the subscribers' queues
	ctx     context.Context // ends when it needn't wait any more
	cancel  context.CancelFunc

	mu   sync.Mutex
	open int           // pictures that wait or are being compressed
	idle chan struct{} // closed when there are none; nil if nobody waits for it

	seq     uint32 // of the next message
	dropped atomic.Uint64
	said    time.Time // when drops or a failure were last logged
}

// job is a picture that waits.
type job struct {
	header  msgs.Header
	picture imagetransport.Picture
	owner   msgs.Releaser
}

func newTransport(p *ros.Publisher, e encode, wait bool, log zerolog.Logger) *transport {
	ctx, cancel := context.WithCancel(context.Background())
	t := &transport{wait: wait, ctx: ctx, cancel: cancel, pub: p, encode: e, log: log, pending: make(chan job, 1), done: make(chan struct{})}
	t.enabled.Store(true)
	go t.run()
	return t
}

func (t *transport) wanted() bool { return t.enabled.Load() && t.pub.Subscribers() > 0 }

// put gives a picture to the goroutine in place of the one that waits.
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
	var told uint64
	for j := range t.pending {
		t.publish(j)
		t.count(-1)
		if n := t.dropped.Load(); n > told && t.may() {
			t.log.Warn().Uint64("dropped", n-told).Msg("pictures come faster than they are compressed")
			told = n
		}
	}
}

// count adds to the pictures that are open.
func (t *transport) count(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open += n; t.open == 0 && t.idle != nil {
		close(t.idle)
		t.idle = nil
	}
}

// settle returns when no picture is open.
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

// may says whether a line may be logged: one in a second.
func (t *transport) may() bool {
	now := time.Now()
	if now.Sub(t.said) < time.Second {
		return false
	}
	t.said = now
	return true
}

func (t *transport) publish(j job) {
	defer j.owner.Release()
	if !t.wanted() {
		return // the last subscriber went meanwhile
	}
	b := t.buffer()
	format, data, err := t.encode(b.bytes[:0], j.picture)
	b.bytes = data
	if err != nil {
		b.Release()
		if t.may() {
			t.log.Error().Err(err).Msg("a picture wasn't compressed")
		}
		return
	}
	// As those of any other publisher, its messages are numbered without gaps: the image's
	// number would make a picture that wasn't compressed look like a lost message.
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

// close ends the topic after the picture that is being compressed.
func (t *transport) close() {
	t.cancel()
	close(t.pending)
	<-t.done
	t.pub.Close()
	if n := t.dropped.Load(); n > 0 {
		t.log.Info().Uint64("dropped", n).Msg("pictures that weren't compressed")
	}
}

// buffer holds a compressed picture until the last subscriber has it.
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

// Release implements msgs.Releaser.
func (b *buffer) Release() { b.home.Put(b) }
