package ros

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"rsros/node/ros/internal/wire"
)

// link is a subscriber's connection to one publisher. It connects again, with
// growing pauses, until the master says that the publisher is gone.
type link struct {
	subscriber *Subscriber
	uri        string // of the publisher's slave API
	id         int    // for getBusInfo
	ctx        context.Context
	cancel     context.CancelFunc

	header  atomic.Pointer[Header] // the publisher's; nil while not connected
	busy    atomic.Bool            // a session is under way
	leaving atomic.Bool            // the publisher has left: read to the end and no more

	messages, bytes atomic.Uint64
	arrivals        arrivals
	saidAhead       bool // that the stamps are in the future; of the link's goroutine
}

func newLink(s *Subscriber, uri string) *link {
	l := &link{subscriber: s, uri: uri, id: s.node.nextConnection()}
	l.ctx, l.cancel = context.WithCancel(s.ctx)
	return l
}

// run keeps the link up until its context ends.
func (l *link) run() {
	const first, last = 100 * time.Millisecond, 5 * time.Second
	defer l.cancel()
	defer l.settle()
	log := l.subscriber.node.log.With().Str("topic", l.subscriber.options.Topic).Str("publisher", l.uri).Logger()
	said := "" // the failure that was logged; each is said once
	for backoff := first; ; {
		began, received := time.Now(), l.messages.Load()
		l.busy.Store(true)
		err := l.session()
		l.busy.Store(false)
		l.subscriber.shared.broken(l.uri)
		if l.ctx.Err() != nil || l.leaving.Load() {
			return
		}
		if l.header.Swap(nil) != nil { // it was connected
			if said = ""; l.messages.Load() > received || time.Since(began) > last {
				backoff = first // else it hangs up whenever it is connected
			}
			log.Debug().Err(err).Msg("publisher hung up")
		} else if err.Error() != said {
			said = err.Error()
			log.Warn().Err(err).Msg("can't receive from a publisher; trying on")
		}
		select {
		case <-l.ctx.Done():
			return
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, last)
	}
}

// leavingTime is how long a publisher that has left the graph may take to close
// its end of the connection.
const leavingTime = 5 * time.Second

// leave ends the link because the publisher has left the graph. What it sent
// before may still be on its way, so a connection is read to its end, also one that is
// just being made: the publisher may count on it already.
func (l *link) leave() {
	l.leaving.Store(true)
	if !l.busy.Load() {
		l.cancel()
		return
	}
	time.AfterFunc(leavingTime, l.cancel)
}

// session connects once and receives until that ends, which always is an error.
func (l *link) session() error {
	conn, err := l.subscriber.node.dialTopic(l.ctx, l.uri, l.subscriber.options.Topic)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // maybe a second time
	stop := context.AfterFunc(l.ctx, func() { conn.Close() })
	defer stop()
	header, err := l.handshake(conn)
	if err != nil {
		return err
	}
	l.header.Store(&header)
	return l.receive(conn, header)
}

// handshake exchanges connection headers and checks that both mean one type.
func (l *link) handshake(conn net.Conn) (Header, error) {
	o := &l.subscriber.options
	h := Header{wire.KeyCallerID: l.subscriber.node.Name(), wire.KeyTopic: o.Topic, wire.KeyType: o.Type.Name, wire.KeyMD5: o.Type.MD5, wire.KeyNoDelay: "0"}
	if o.NoDelay {
		h[wire.KeyNoDelay] = "1"
	}
	answer, err := wire.Exchange(conn, h)
	if err != nil {
		return nil, err
	}
	if typ := answer[wire.KeyType]; !matches(answer[wire.KeyMD5], o.Type.MD5) || typ != "" && !matches(typ, o.Type.Name) {
		return nil, fmt.Errorf("publisher %s has type [%s] with md5sum [%s], wanted [%s] with [%s]",
			answer[wire.KeyCallerID], typ, answer[wire.KeyMD5], o.Type.Name, o.Type.MD5)
	}
	return answer, nil
}

// receive reads messages: u32 length and that many bytes, again and again.
func (l *link) receive(conn net.Conn, header Header) error {
	s := l.subscriber
	r := wire.NewMessageReader(conn)
	spec := headed(header)
	for {
		size, err := r.Next()
		if err != nil {
			return err
		}
		if size > s.options.MaxMessage {
			s.refuse(l.uri, size)
			l.arrivals.skip()
			// The connection stays: a publisher that is hung up on would send it again.
			if err := r.Skip(size); err != nil {
				return err
			}
			continue
		}
		b := s.pool.Get(int(size))
		if b.Data, err = r.Read(int(size), b.Data, s.pool.Memory); err != nil {
			b.Release()
			return err
		}
		l.messages.Add(1)
		l.bytes.Add(uint64(size))
		if spec != nil {
			l.arrived(spec, header, b.Data)
		}
		s.deliver(Received{Data: b.Data, Header: header, Time: s.node.Now(), buffer: b})
	}
}
