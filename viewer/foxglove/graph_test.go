package foxglove

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/msgs"
	"rsros/test/visitor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a graph that a test controls.
type fake struct {
	mu        sync.Mutex
	state     State
	changed   func(*State)
	topics    map[string][]func(Message)
	published []string
	values    map[string]any // values set
	call      func(ctx context.Context, request []byte) ([]byte, error)
}

var stringType = msgs.MustType("std_msgs/String")

func newFake(topics ...string) *fake {
	f := &fake{topics: make(map[string][]func(Message)), values: make(map[string]any)}
	for _, name := range topics {
		f.state.Topics = append(f.state.Topics, Topic{Name: name, Type: stringType})
	}
	return f
}

func (f *fake) Follow(changed func(*State)) func() {
	f.mu.Lock()
	f.changed = changed
	state := f.state
	f.mu.Unlock()
	changed(&state)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.changed = nil
	}
}

// change changes the state and signals it.
func (f *fake) change(do func(*State)) {
	f.mu.Lock()
	do(&f.state)
	state, changed := f.state, f.changed
	f.mu.Unlock()
	if changed != nil {
		changed(&state)
	}
}

func (f *fake) Subscribe(t Topic, deliver func(Message)) (func(), error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := len(f.topics[t.Name])
	f.topics[t.Name] = append(f.topics[t.Name], deliver)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.topics[t.Name][at] = nil
	}, nil
}

// subscribers returns the number of subscriptions to a topic.
func (f *fake) subscribers(topic string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, deliver := range f.topics[topic] {
		if deliver != nil {
			n++
		}
	}
	return n
}

// publish delivers a message and releases its memory.
func (f *fake) publish(topic string, time int64, parts ...string) *memory {
	f.mu.Lock()
	all := f.topics[topic]
	f.mu.Unlock()
	m := newMemory(parts...)
	for _, deliver := range all {
		if deliver != nil {
			deliver(Message{Body: m, Time: time})
		}
	}
	m.Release()
	return m
}

func (f *fake) Publish(topic string, typ msgs.Type) (Publisher, error) {
	if !strings.HasPrefix(topic, "/") {
		return nil, errors.New("not a topic")
	}
	return fakePublisher{f, topic + " " + typ.Name + " "}, nil
}

type fakePublisher struct {
	f    *fake
	what string
}

func (p fakePublisher) Publish(m []byte) { p.f.note(p.what + string(m)) }
func (p fakePublisher) Close()           { p.f.note(p.what + "closed") }

func (f *fake) note(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.published = append(f.published, text)
}

func (f *fake) Call(ctx context.Context, _ Service, request []byte) ([]byte, error) {
	return f.call(ctx, request)
}

func (f *fake) SetParam(_ context.Context, name string, value any) error {
	if name == "/refused" {
		return errors.New("refused")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.values[name] = value
	return nil
}

// memory counts references to a message.
type memory struct {
	parts [][]byte
	refs  atomic.Int32
}

func newMemory(parts ...string) *memory {
	m := &memory{}
	for _, p := range parts {
		m.parts = append(m.parts, []byte(p))
	}
	m.refs.Store(1)
	return m
}

func (m *memory) Retain()                       { m.refs.Add(1) }
func (m *memory) Release()                      { m.refs.Add(-1) }
func (m *memory) Content(vec [][]byte) [][]byte { return append(vec, m.parts...) }
func (m *memory) ContentSize() (n int64) {
	for _, p := range m.parts {
		n += int64(len(p))
	}
	return n
}

// start serves a graph; every client may control it unless o says otherwise.
func start(t testing.TB, o Options) (s *Server, url string) {
	t.Helper()
	o.Name, o.Log = "test", zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)
	s = New(o)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		h.Close()
	})
	return s, "ws" + strings.TrimPrefix(h.URL, "http")
}

// begin connects a client to a graph that it may control.
func begin(t testing.TB, f *fake) (*Server, *visitor.Foxglove) {
	t.Helper()
	s, url := start(t, Options{Source: f, Control: true})
	return s, visitor.DialFoxglove(t, url)
}
