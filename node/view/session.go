package view

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"rsros/camdriver"
	"rsros/node/view/wire"
	"rsros/node/websocket"
)

const (
	// maxTexts bounds the text that waits for a viewer, in bytes.
	maxTexts = 4 << 20
	// pingEvery is how often a viewer is asked for a sign of life.
	pingEvery = 10 * time.Second
	// silence is how long a viewer may send nothing, not even an answer to a ping.
	silence = pingEvery + 10*time.Second
	// unsent is what the kernel may hold of what wasn't sent yet, so that what is
	// late can still be replaced.
	unsent = 128 << 10
	// maxRequest is the largest message of a page, in bytes.
	maxRequest = 1 << 20
)

var errTooSlow = errors.New("it doesn't take what it is told")

// session is one viewer.
type session struct {
	id     int
	server *Server
	ws     *websocket.Conn
	wake   chan struct{} // has room for one

	mu        sync.Mutex
	ended     bool
	texts     [][]byte
	textBytes int
	owed      int           // texts that aren't sent yet, and a request without an answer
	paid      chan struct{} // closed when nothing is owed; nil if nobody waits for that
	lanes     map[*stream]*lane
	order     []*lane // of lanes, the next one to serve first
	bytes     uint64
	sent      uint64 // frames, also of lanes that are gone
	skipped   uint64
}

// run serves the viewer until it leaves, or Close hangs up.
func (v *session) run() error {
	done := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		if err := v.write(done); err != nil {
			v.ws.HangUp()
		}
	})
	err := v.read()
	close(done)
	v.ws.HangUp() // ends a write that is under way
	writing.Wait()
	v.leave()
	return err
}

// read takes in what the page says.
func (v *session) read() error {
	for {
		kind, text, err := v.ws.Read()
		if err != nil {
			return err
		}
		var r *wire.Request
		if kind != websocket.Text {
			err = errors.New("binary messages aren't expected")
		} else {
			r, err = wire.ParseRequest(text)
		}
		if err != nil {
			v.ws.Close(websocket.StatusPolicy, err.Error())
			return err
		}
		switch r.Op {
		case "subscribe":
			v.subscribe(r.Stream, form{packed: r.Codec == "packed", divisor: r.Divisor})
		case "unsubscribe":
			v.unsubscribe(r.Stream)
		case "credit":
			v.credit(r.Stream, r.Upto)
		case "ping":
			v.tell(wire.Pong{Op: "pong", T: r.T, Now: wire.NanosOf(time.Now())})
		default:
			v.owe(1)
			v.tell(v.server.answer(r))
			v.owe(-1)
		}
	}
}

// write sends what waits, text first, then the streams in turn, until done is closed or
// a write fails.
func (v *session) write(done <-chan struct{}) error {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-done:
			return nil
		case <-ping.C:
			if err := v.ws.Ping(); err != nil {
				return err
			}
		case <-v.wake:
		}
		for {
			more, err := v.writeNext()
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
	}
}

// writeNext sends one message, and returns whether there was one.
func (v *session) writeNext() (bool, error) {
	v.mu.Lock()
	if v.ended {
		v.mu.Unlock()
		return false, errTooSlow
	}
	if len(v.texts) > 0 {
		text := v.texts[0]
		v.texts[0] = nil
		v.texts = v.texts[1:]
		v.textBytes -= len(text)
		v.mu.Unlock()
		err := v.ws.Write(websocket.Text, text)
		v.owe(-1)
		return true, err
	}
	i := slices.IndexFunc(v.order, (*lane).ready)
	if i < 0 {
		v.mu.Unlock()
		return false, nil
	}
	l := v.order[i]
	v.order = append(slices.Delete(v.order, i, i+1), l)
	seal := l.take()
	v.mu.Unlock()

	p := seal()
	defer p.done()
	size := 0
	for _, part := range p.parts {
		size += len(part)
	}
	v.mu.Lock()
	v.bytes += uint64(size)
	v.mu.Unlock()
	return true, v.ws.Write(websocket.Binary, p.parts[:]...)
}

// awake tells the writer that something waits.
func (v *session) awake() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// tell queues a text message. A viewer that takes none is disconnected.
func (v *session) tell(message any) {
	text, err := json.Marshal(message)
	if err != nil {
		v.server.o.Log.Error().Err(err).Msgf("encode %T for a viewer", message)
		return
	}
	v.tellText(text)
}

// tellText queues a text message that is encoded already. Nobody may change it afterwards.
func (v *session) tellText(text []byte) {
	v.mu.Lock()
	v.texts = append(v.texts, text)
	v.owed++
	v.textBytes += len(text)
	if v.textBytes > maxTexts {
		v.ended = true
	}
	v.mu.Unlock()
	v.awake()
}

// subscribe begins to send a stream, or changes its form.
func (v *session) subscribe(id uint16, want form) {
	s := v.server.stream(id)
	if s == nil {
		return // of a source that was there before
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if l := v.lanes[s]; l != nil {
		l.form = want
		return
	}
	if !v.server.watch(s, v, true) {
		return
	}
	l := &lane{stream: s, form: want}
	v.lanes[s] = l
	v.order = append(v.order, l)
}

// unseen returns the streams of which nothing has come to the viewer yet, and that
// weren't asked for again by an earlier call.
func (v *session) unseen() (list []*stream) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for s, l := range v.lanes {
		if l.given == 0 && !l.asked {
			l.asked = true
			list = append(list, s)
		}
	}
	return list
}

// unsubscribe ends a stream.
func (v *session) unsubscribe(id uint16) {
	if s := v.server.stream(id); s != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.forget(s)
	}
}

// forget removes a lane; mu is held.
func (v *session) forget(s *stream) {
	l := v.lanes[s]
	if l == nil {
		return
	}
	v.server.watch(s, v, false)
	l.drop()
	v.sent += l.sent
	v.skipped += l.skipped
	delete(v.lanes, s)
	v.order = slices.DeleteFunc(v.order, func(x *lane) bool { return x == l })
}

// owe counts what has to be sent before the session may end.
func (v *session) owe(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.owed += n
	v.settled()
}

// settled tells who waits that nothing is owed; mu is held.
func (v *session) settled() {
	if v.owed == 0 && v.paid != nil {
		close(v.paid)
		v.paid = nil
	}
}

// settle waits until the viewer has its answers, so that one who ends the program is told
// that it does.
func (v *session) settle(ctx context.Context) {
	v.mu.Lock()
	if v.owed > 0 && v.paid == nil {
		v.paid = make(chan struct{})
	}
	paid := v.paid
	v.mu.Unlock()
	if paid == nil {
		return
	}
	select {
	case <-paid:
	case <-ctx.Done():
	}
}

// leave ends all streams. Nothing is owed to who has gone.
func (v *session) leave() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.owed = 0
	v.settled()
	for s := range v.lanes {
		v.forget(s)
	}
}

func (v *session) credit(id uint16, upto uint32) {
	s := v.server.stream(id)
	v.mu.Lock()
	if l := v.lanes[s]; l != nil {
		l.credit(upto)
	}
	v.mu.Unlock()
	v.awake()
}

// offer gives an item to the viewer. It never waits for it.
func (v *session) offer(s *stream, i item) {
	v.mu.Lock()
	l := v.lanes[s]
	if l != nil {
		l.offer(i)
	}
	v.mu.Unlock()
	v.awake()
}

// sample gives a sample to the viewer. It never waits for it.
func (v *session) sample(s *stream, f *camdriver.Frame, stamp, at wire.Nanos) {
	v.mu.Lock()
	defer v.mu.Unlock()
	l := v.lanes[s]
	if l == nil || !l.add(f, stamp, at) {
		return
	}
	time.AfterFunc(sampleEvery, func() {
		v.mu.Lock()
		l.batch.due = len(l.batch.samples) > 0
		v.mu.Unlock()
		v.awake()
	})
}

// counts are what the viewer was sent.
func (v *session) counts() (streams []wire.StreamCounts, all wire.ViewerCounts) {
	v.mu.Lock()
	defer v.mu.Unlock()
	all = wire.ViewerCounts{ID: v.id, Address: v.ws.RemoteAddr().String(), Bytes: v.bytes, Sent: v.sent, Skipped: v.skipped}
	streams = []wire.StreamCounts{}
	for _, l := range v.lanes {
		c := l.counts()
		streams = append(streams, c)
		all.Sent += c.Sent
		all.Skipped += c.Skipped
	}
	slices.SortFunc(streams, func(a, b wire.StreamCounts) int { return int(a.ID) - int(b.ID) })
	return streams, all
}

// waitingText is how many bytes of text wait for the viewer.
func (v *session) waitingText() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.textBytes
}
