package replay

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program/buffers"
)

// retained counts the references to the messages of a source, each of which is a Deferred.
type retained struct {
	refs  atomic.Int64
	sized func() // called when the size of a message is asked for; may be nil
}

func (s *retained) of(source Source) Source {
	return wrapped{source, func(it Iterator) Iterator { return retainedIterator{it, s} }}
}

type retainedIterator struct {
	Iterator
	s *retained
}

func (it retainedIterator) Message() Recorded {
	m := it.Iterator.Message()
	m.Deferred = &retainedDeferred{m.Conn, slices.Clone(m.Data), it.s}
	return m
}

type retainedDeferred struct {
	conn *bagstore.Connection
	data []byte
	s    *retained
}

func (w *retainedDeferred) Connections() []*bagstore.Connection {
	return []*bagstore.Connection{w.conn}
}
func (w *retainedDeferred) Release() { w.s.refs.Add(-1) }

func (w *retainedDeferred) Size() int64 {
	if w.s.sized != nil {
		w.s.sized()
	}
	return int64(len(w.data))
}

func (w *retainedDeferred) Retain() buffers.Releaser {
	w.s.refs.Add(1)
	return w
}

func (w *retainedDeferred) Start(wanted map[*bagstore.Connection]func(msgs.Raw), _ bool) {
	for _, deliver := range wanted {
		deliver(msgs.Raw{Head: slices.Clone(w.data)})
	}
}

// TestReleased: whatever is done with a player, it holds no message at the end.
func TestReleased(t *testing.T) {
	for name, c := range map[string]struct {
		o      Settings
		script []scripted
	}{
		"played":             {Settings{}, nil},
		"stopped":            {Settings{}, []scripted{{15 * ms, Stop{}}}},
		"sought":             {Settings{}, []scripted{{15 * ms, SeekOffset{50 * ms}}, {16 * ms, SeekOffset{0}}}},
		"a loop":             {Settings{Loop: true}, []scripted{{450 * ms, Stop{}}}},
		"streams chosen":     {Settings{}, []scripted{{15 * ms, Reselect{func() bool { return false }}}}},
		"paused and stepped": {Settings{Paused: true}, []scripted{{1 * ms, StepMessage{}}, {2 * ms, StepBack{1}}, {3 * ms, Stop{}}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.o, counting(t, 20))
			var s retained
			r.o.Source = s.of(r.o.Source)
			r.view = r.o.Source.View(r.query(statics+1, 0))
			for _, one := range c.script {
				r.at(one.after, one.c)
			}
			r.run(t)
			if n := s.refs.Load(); n != 0 {
				t.Errorf("%d references are left", n)
			}
		})
	}
}

// TestStoppedWhilePutting: what a stopped run still adds to what it has read is released.
func TestStoppedWhilePutting(t *testing.T) {
	var s retained
	putting, stopped := make(chan struct{}), make(chan struct{})
	s.sized = sync.OnceFunc(func() {
		close(putting)
		<-stopped
	})
	f := newFeed(s.of(Bags([]*bagstore.Recording{counting(t, 1)})).View(bagstore.Query{}), aheadBytes, func() {})
	f.seek(0, unlatched)
	<-putting
	f.stop()
	close(stopped)
	f.close()
	if n := s.refs.Load(); n != 0 {
		t.Errorf("%d references are left", n)
	}
}

// TestFull: a feed is full at its bound, long before the end of a recording.
func TestFull(t *testing.T) {
	f := newFeed(Bags([]*bagstore.Recording{counting(t, 100)}).View(bagstore.Query{}), 10*itemBytes, func() {})
	defer f.close()
	f.seek(0, unlatched)
	select {
	case <-f.now.full:
	case <-time.After(time.Minute):
		t.Error("it never is")
	}
}
