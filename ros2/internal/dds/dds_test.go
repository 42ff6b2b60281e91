package dds

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/msgs"
	"rsros/program/buffers"
	"rsros/ros2/internal/rtps"
	"rsros/test/need"
	testpeer "rsros/test/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var domains atomic.Int32

// two returns participants of a domain of their own. What arrives at the second one is filtered.
func two(t *testing.T, filter func(*rtps.Submessage) bool) (a, b *Participant) {
	t.Helper()
	config := Config{Domain: 110 + (os.Getpid()*7+int(domains.Add(1)))%90, Range: Localhost}
	var list [2]*Participant
	for i := range list {
		p, err := join(config, []func(*rtps.Submessage) bool{nil, filter}[i])
		need.Must(t, err)
		t.Cleanup(p.Close)
		list[i] = p
	}
	return list[0], list[1]
}

// lossy loses some of what carries samples.
func lossy(percent int) func(*rtps.Submessage) bool {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // repeatable
	var mu sync.Mutex
	return func(m *rtps.Submessage) bool {
		mu.Lock()
		defer mu.Unlock()
		return m.Writer[3] != rtps.KindWriter || r.IntN(100) >= percent
	}
}

func writerOf(t *testing.T, p *Participant, q QoS) *Writer {
	t.Helper()
	w, err := p.NewWriter(WriterOptions{Topic: "rt/a", Type: "T", QoS: q})
	need.Must(t, err)
	return w
}

func readerOf(t *testing.T, p *Participant, q QoS, call func(*Sample)) *Reader {
	t.Helper()
	r, err := p.NewReader(ReaderOptions{Topic: "rt/a", Type: "T", QoS: q, Callback: call})
	need.Must(t, err)
	return r
}

// sent returns what a writer has sent.
func sent(w *Writer) statistics {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}

// message is one whose bytes depend on its number. Its body counts how often it was released.
func message(k, size int, released *atomic.Int64) msgs.Raw {
	head := binary.LittleEndian.AppendUint64([]byte{0, 1, 0, 0}, uint64(k))
	body := bytes.Repeat([]byte{byte(k)}, size)
	return msgs.Raw{Head: head, Body: body, Tail: []byte{byte(k), 7, 9}, Owner: releaser(func() { released.Add(1) })}
}

type releaser func()

func (r releaser) Release() { r() }

// numberOf checks a message and returns its number.
func numberOf(t *testing.T, b []byte) int {
	k := int(binary.LittleEndian.Uint64(b[4:]))
	want := message(k, len(b)-15, new(atomic.Int64))
	if !bytes.Equal(b, bytes.Join([][]byte{want.Head, want.Body, want.Tail}, nil)) {
		t.Errorf("message %d of %d bytes is damaged", k, len(b))
	}
	return k
}

func TestReliableSamplesArriveInOrder(t *testing.T) {
	for _, c := range []struct{ size, percent, count int }{{1, 0, 50}, {1, 40, 20}, {localFragment - 15, 30, 10}, {localFragment - 14, 30, 10}, {900 << 10, 0, 10}, {900 << 10, 20, 10}} {
		t.Run(fmt.Sprintf("%d bytes, %d %% lost", c.size, c.percent), func(t *testing.T) {
			a, b := two(t, lossy(c.percent))
			var released, got atomic.Int64
			done := make(chan struct{})
			r := readerOf(t, b, QoS{Reliable: true}, func(s *Sample) {
				k := numberOf(t, s.Payload)
				if n := got.Add(1); int(n)-1 != k {
					t.Errorf("message %d after %d", k, n-1)
				} else if k == c.count-1 {
					close(done)
				}
			})
			w := writerOf(t, a, QoS{Reliable: true, Depth: 4})
			testpeer.Await(t, "matched", func() bool { return w.Matched() == 1 && r.Matched() == 1 })
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
			defer cancel()
			for k := range c.count {
				if err := w.WriteWait(ctx, message(k, c.size, &released)); err != nil {
					t.Fatalf("message %d: %v; %d arrived; %+v; counts %+v", k, err, got.Load(), sent(w), r.Counts())
				}
			}
			select {
			case <-done:
			case <-ctx.Done():
				t.Fatalf("%d of %d arrived; %+v; counts %+v, lost %v", got.Load(), c.count, sent(w), r.Counts(), w.Lost())
			}
			need.Must(t, w.Flush(ctx))
			w.Close()
			if n := released.Load(); n != int64(c.count) {
				t.Errorf("%d of %d messages were released", n, c.count)
			}
			if n := r.Counts()[w.GUID()]; n.Lost != 0 || len(w.Lost()) != 0 || int(n.Received) != c.count {
				t.Errorf("counts %+v, lost %v", n, w.Lost())
			}
			if c.percent == 0 && sent(w).again > 0 {
				t.Errorf("nothing was lost: %+v", sent(w))
			}
		})
	}
}

// TestLossIsTold checks what happens if a reader is too slow: it is told by heartbeats, never by a GAP for a sample of
// which it has fragments, after which Fast DDS loops for ever.
func TestLossIsTold(t *testing.T) {
	var mu sync.Mutex
	fragments := map[int64]bool{}
	gaps := 0
	drop := lossy(40)
	a, b := two(t, func(m *rtps.Submessage) bool {
		mu.Lock()
		defer mu.Unlock()
		if m.Writer[3] == rtps.KindWriter && m.Kind == rtps.Gap {
			for n := m.Number; n < m.Set.Base; n++ {
				if fragments[n] {
					gaps++
				}
			}
		}
		keep := drop(m)
		if m.Writer[3] == rtps.KindWriter && m.Kind == rtps.DataFrag && keep {
			fragments[m.Number] = true
		}
		return keep
	})
	last := -1
	r := readerOf(t, b, QoS{Reliable: true}, func(s *Sample) {
		if k := numberOf(t, s.Payload); k <= last {
			t.Errorf("message %d after %d", k, last)
		} else {
			last = k
		}
	})
	w := writerOf(t, a, QoS{Reliable: true, Depth: 2})
	testpeer.Await(t, "matched", func() bool { return w.Matched() == 1 && len(r.Aware()) == 1 })
	const count = 100
	var released atomic.Int64
	for k := range count {
		w.Write(message(k, 500<<10, &released), nil)
		time.Sleep(2 * time.Millisecond) // faster than it can be sent
	}
	testpeer.Await(t, "acknowledged", func() bool {
		c := r.Counts()[w.GUID()]
		return c.Received+c.Lost == count
	})
	mu.Lock()
	defer mu.Unlock()
	if c := r.Counts()[w.GUID()]; gaps > 0 || c.Lost == 0 || w.Lost()[r.GUID()] != c.Lost {
		t.Errorf("%d gaps for samples in fragments; counts %+v; lost %v", gaps, c, w.Lost())
	}
}

func TestLateReaderGetsWhatIsKept(t *testing.T) {
	a, b := two(t, nil)
	w := writerOf(t, a, QoS{Reliable: true, TransientLocal: true, Depth: 3})
	var released atomic.Int64
	for k := range 5 {
		m := message(k, 100<<10, &released)
		if k > 2 {
			m.Key = "same"
		}
		w.Write(m, nil)
	}
	if released.Load() != 5 {
		t.Errorf("%d of 5 bodies are released, although what is kept is copied", released.Load())
	}
	for _, c := range []struct {
		name  string
		qos   QoS
		write int
		want  []string // it depends on when the reader is known
	}{
		{"transient local", QoS{Reliable: true, TransientLocal: true}, 5, []string{"[1 2 4 5]", "[2 4 5]"}},
		{"volatile", QoS{Reliable: true}, 6, []string{"[6]"}},
	} {
		var mu sync.Mutex
		var got []int
		r := readerOf(t, b, c.qos, func(s *Sample) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, numberOf(t, s.Payload))
		})
		testpeer.Await(t, "matched", func() bool { return w.Matched() == 1 })
		w.Write(message(c.write, 9, &released), nil)
		testpeer.Await(t, "read", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(got) > 0 && got[len(got)-1] == c.write
		})
		mu.Lock()
		if !slices.Contains(c.want, fmt.Sprint(got)) {
			t.Errorf("%s: %d, want one of %v", c.name, got, c.want)
		}
		mu.Unlock()
		if l := r.Counts()[w.GUID()]; l.Lost != 0 {
			t.Errorf("%s: what was replaced before the reader came is lost: %+v", c.name, l)
		}
		r.Close()
		testpeer.Await(t, "unmatched", func() bool { return w.Matched() == 0 })
	}
}

// TestReplacedArrives publishes messages that replace each other faster than they can be sent.
func TestReplacedArrives(t *testing.T) {
	a, b := two(t, nil)
	qos := QoS{Reliable: true, TransientLocal: true, Depth: 1000}
	w := writerOf(t, a, qos)
	var got, released atomic.Int64
	r := readerOf(t, b, qos, func(*Sample) { got.Add(1) })
	testpeer.Await(t, "matched", func() bool { return w.Matched() == 1 && r.Matched() == 1 })
	for k := range 100 {
		m := message(k, 100, &released)
		m.Key = "same"
		w.Write(m, nil)
	}
	testpeer.Await(t, "all received", func() bool { return got.Load() == 100 })
	if c := r.Counts()[w.GUID()]; c.Lost > 0 {
		t.Errorf("counts %+v", c)
	}
	testpeer.Await(t, "only the last is kept", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.history.list) == 1
	})
}

func TestBestEffort(t *testing.T) {
	a, b := two(t, lossy(50))
	var got atomic.Int64
	r := readerOf(t, b, QoS{}, func(s *Sample) { numberOf(t, s.Payload); got.Add(1) })
	w := writerOf(t, a, QoS{Reliable: true})
	testpeer.Await(t, "matched", func() bool { return w.Matched() == 1 && r.Matched() == 1 })
	var released atomic.Int64
	for k := range 100 {
		w.Write(message(k, 101, &released), nil)
		w.Flush(t.Context()) //nolint:errcheck // it ends with the test
	}
	testpeer.Await(t, "read", func() bool { return got.Load() > 20 })
	if c := r.Counts()[w.GUID()]; c.Lost == 0 || c.Lost+c.Received > 100 {
		t.Errorf("counts %+v", c)
	}
}

// TestPresentReaderGetsWhatIsReplaced writes faster than a reader is sent to, under one key.
func TestPresentReaderGetsWhatIsReplaced(t *testing.T) {
	a, b := two(t, nil)
	w := writerOf(t, a, QoS{Reliable: true, TransientLocal: true, Depth: 1000})
	var got atomic.Int64
	readerOf(t, b, QoS{Reliable: true, TransientLocal: true}, func(*Sample) { got.Add(1) })
	testpeer.Await(t, "matched", func() bool { return w.Matched() == 1 })
	var released atomic.Int64
	const count = 200
	for k := range count {
		m := message(k, 1000, &released)
		m.Key = "same"
		w.Write(m, nil)
	}
	testpeer.Await(t, "all have arrived", func() bool { return got.Load() == count })
	testpeer.Await(t, "one is kept", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.history.list) == 1
	})
}

// TestTornSamplesAreTold loses a part of each sample from another machine.
func TestTornSamplesAreTold(t *testing.T) {
	for address, want := range map[string]int{"192.0.2.77:9": 1, "127.0.0.1:9": 0} {
		var said bytes.Buffer
		p, err := Join(Config{Domain: 200 + os.Getpid()%30, Range: Off, Log: zerolog.New(&said).Level(zerolog.WarnLevel)})
		need.Must(t, err)
		defer p.Close()
		from := netip.MustParseAddrPort(address)
		r := readerOf(t, p, QoS{}, func(*Sample) {})
		prefix := rtps.Prefix{9}
		w := Endpoint{GUID: prefix.GUID(rtps.UserEntity(1, rtps.KindWriter)), Topic: "rt/a", Type: "T"}
		p.mu.Lock()
		r.add(&remote{prefix: prefix, data: from}, &w)
		p.mu.Unlock()
		for n := range int64(20) {
			m := rtps.Submessage{Kind: rtps.DataFrag, Source: prefix, Writer: w.GUID.Entity(), Reader: r.GUID().Entity(), Number: 2*n + 1,
				Fragment: 1, Fragments: 1, FragmentSize: 1000, SampleSize: 2000, Payload: make([]byte, 1000)}
			p.handle(&m, from)
			m.Kind, m.Number = rtps.Data, 2*n+2
			p.handle(&m, from)
		}
		if got := bytes.Count(said.Bytes(), []byte("maxMessageSize")); got != want || r.Counts()[w.GUID].Lost != 20 {
			t.Errorf("from %s: said %d times, want %d; counts %+v", address, got, want, r.Counts())
		}
	}
}

// TestHostileParticipants checks the bounds of what others make a participant keep.
func TestHostileParticipants(t *testing.T) {
	p, _ := two(t, nil)
	from := netip.MustParseAddrPort("127.0.0.1:9")
	before := buffers.PeerInput.Used()
	announce := func(i int) rtps.Prefix {
		other := Participant{prefix: rtps.Prefix{9, byte(i), byte(i >> 8)}, announced: []netip.Addr{from.Addr()}, meta: p.meta, data: p.data}
		p.handle(&rtps.Submessage{Kind: rtps.Data, Source: other.prefix, Writer: rtps.ParticipantAnnouncer, Number: 1, Payload: other.announcement()}, from)
		return other.prefix
	}
	for i := range 300 {
		announce(i)
	}
	prefix := announce(0)
	if n := len(p.Participants()); n > maxParticipantsByHost+1 { // the other one may have another address
		t.Errorf("%d participants", n)
	}
	r := readerOf(t, p, QoS{Reliable: true, TransientLocal: true}, func(*Sample) {})
	var last rtps.GUID
	for i := range 2 * maxEndpoints {
		e := Endpoint{GUID: prefix.GUID(rtps.UserEntity(uint32(i+1), rtps.KindWriter)), Topic: "rt/a", Type: "T", QoS: QoS{Reliable: true, TransientLocal: true}}
		p.heardEndpoint(&Sample{Writer: prefix.GUID(rtps.PublicationsWriter), Payload: appendEndpoint(nil, &e)})
		if i < maxEndpoints {
			last = e.GUID
		}
	}
	if n := r.Matched(); n != maxEndpoints {
		t.Errorf("%d writers", n)
	}
	for i := range int64(100000) {
		m := rtps.Submessage{Kind: rtps.DataFrag, Source: prefix, Writer: last.Entity(), Reader: r.GUID().Entity(), Number: i + 1, Fragment: 1, Fragments: 1, FragmentSize: 8 << 10, SampleSize: 8<<20 - i%9, Payload: make([]byte, 8<<10)}
		p.handle(&m, from)
	}
	if n := buffers.PeerInput.Used() - before; n == 0 || n > maxHeldByParticipant {
		t.Errorf("%d bytes are held", n)
	}
	p.forget(prefix, "left")
	if n := buffers.PeerInput.Used() - before; n != 0 || r.Matched() != 0 {
		t.Errorf("%d bytes are held of %d writers after their participant has left", n, r.Matched())
	}
	p.expire(time.Now().Add(time.Hour))
	if n := len(p.Participants()); n != 0 {
		t.Errorf("%d participants after their lease", n)
	}
}

func TestMismatch(t *testing.T) {
	writer := Endpoint{Type: "T", QoS: QoS{Reliable: true}}
	for _, c := range []struct {
		change func(w, r *Endpoint)
		want   string
	}{
		{func(w, r *Endpoint) {}, ""},
		{func(w, r *Endpoint) { r.QoS.Reliable = true }, ""},
		{func(w, r *Endpoint) { r.QoS.Reliable, w.QoS.Reliable = true, false }, "the subscriber wants reliable, the publisher offers best effort"},
		{func(w, r *Endpoint) { r.QoS.TransientLocal = true }, "the subscriber wants transient local, the publisher offers volatile"},
		{func(w, r *Endpoint) { r.Type = "U" }, "the types differ: T and U"},
		{func(w, r *Endpoint) { r.foreign.deadline = time.Second }, "the subscriber's deadline is 1s, the publisher offers none"},
		{func(w, r *Endpoint) { r.foreign.liveliness = 1 }, "the subscriber wants another kind of liveliness"},
		{func(w, r *Endpoint) { r.foreign.exclusive = true }, "the ownership differs"},
		{func(w, r *Endpoint) { w.foreign.noXCDR1 = true }, "the data representation isn't XCDR1"},
	} {
		w, r := writer, Endpoint{Type: "T"}
		c.change(&w, &r)
		if got := Mismatch(&w, &r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// FuzzEndpoint reads what SEDP and SPDP say.
func FuzzEndpoint(f *testing.F) {
	e := Endpoint{GUID: rtps.Prefix{1}.GUID(rtps.UserEntity(1, rtps.KindReader)), Topic: "rt/a", Type: "T", UserData: "typehash=1;"}
	f.Add(appendEndpoint(nil, &e))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, ok := rtps.ParseParameters(b)
		if !ok {
			return
		}
		if e, ok := parseEndpoint(list); ok && len(e.Topic) > maxName {
			t.Fatal("a long name")
		}
		if r := parseParticipant(list); r.lease < minLease || r.lease > maxLease || len(r.Name) > maxName {
			t.Fatalf("%+v", r)
		}
	})
}
