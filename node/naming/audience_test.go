package naming

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/replay"
	"rsros/test/need"
)

// unpleasantBag has 16 sets of depth, infrared and colour, with flickering holes.
const unpleasantBag = "../../camdriver/process/testdata/unpleasant.bag"

// alignedCloud enables everything whose result depends on earlier frames.
var alignedCloud = WrapperOptions{
	AlignDepth: true, PointCloud: true, OrderedCloud: true, AllowNoTexture: true,
	Texture: camdriver.ColorStream, Filters: []string{filterHDRMerge, filterTemporal},
}

const (
	pointsTopic  = "/camera/depth/color/points"
	alignedTopic = "/camera/aligned_depth_to_color/image_raw"
)

// audience is an Output that keeps what is published on topics with subscribers.
type audience struct {
	replay.Nowhere
	mu         sync.Mutex
	subscribed map[string]bool
	heard      []heard
}

type heard struct {
	topic string
	data  []byte
}

// stamp returns a message's stamp.
func (h heard) stamp(t *testing.T) bagstore.Time {
	t.Helper()
	var head msgs.Header
	d := msgs.NewDecoder(h.data)
	head.Decode(d)
	if d.Err() != nil {
		t.Fatal(d.Err())
	}
	return bagstore.Time(head.Stamp)
}

func (a *audience) Advertise(c replay.Channel) (replay.Sink, error) { return seat{a, c.Topic}, nil }

func (a *audience) PublishClock(bagstore.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard = append(a.heard, heard{"/clock", nil})
}

// take returns and clears the messages received on a topic.
func (a *audience) take(topic string) (out []heard) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range a.heard {
		if h.topic == topic {
			out = append(out, h)
		}
	}
	a.heard = nil
	return out
}

type seat struct {
	a     *audience
	topic string
}

func (s seat) Publish(_ context.Context, m msgs.Raw) error {
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	if s.a.subscribed[s.topic] {
		s.a.heard = append(s.a.heard, heard{s.topic, slices.Concat(m.Head, m.Body, m.Tail)})
	}
	if m.Owner != nil {
		m.Owner.Release()
	}
	return nil
}

// Recall implements replay.Recaller.
func (s seat) Recall(m msgs.Raw) { _ = s.Publish(context.Background(), m) }

func (seat) Room(context.Context, int64) error { return nil }

func (s seat) Subscribers() int {
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	if s.a.subscribed[s.topic] {
		return 1
	}
	return 0
}

func (s seat) subscribe(on bool) {
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	s.a.subscribed[s.topic] = on
}

// playTo starts a player of the unpleasant recording and stops it at the end of the test.
func playTo(t *testing.T, o WrapperOptions, settings replay.Settings, topics ...string) (*replay.Player, *audience, *Source) {
	t.Helper()
	source := openWrapperSource(t, unpleasantBag, o)
	a := &audience{subscribed: make(map[string]bool)}
	for _, topic := range topics {
		a.subscribed[topic] = true
	}
	p, err := replay.New(replay.Options{Source: source, Output: a, Clock: replay.NewTimers(), Log: zerolog.New(zerolog.NewTestWriter(t)), Settings: settings})
	need.Must(t, err)
	ended := make(chan error, 1)
	go func() { ended <- p.Run(t.Context()) }()
	t.Cleanup(func() {
		_ = p.Do(context.Background(), replay.Stop{})
		if err := <-ended; err != nil && err != context.Canceled {
			t.Error(err)
		}
		source.Close()
		if n := source.layout.pool.InUse(); n != 0 {
			t.Errorf("%d bytes of messages never came back", n)
		}
		if source.worker != nil && source.worker.processor.res.InUse() != 0 {
			t.Errorf("%d bytes of frames never came back", source.worker.processor.res.InUse())
		}
	})
	return p, a, source
}

// do runs a command and returns the one message that it causes on a topic.
func do(t *testing.T, p *replay.Player, a *audience, topic string, commands ...replay.Command) heard {
	t.Helper()
	for _, c := range commands {
		if err := p.Do(t.Context(), c); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
	}
	got := a.take(topic)
	if len(got) != 1 {
		t.Fatalf("%d messages on %s after %T, want 1", len(got), topic, commands[len(commands)-1])
	}
	return got[0]
}

// straight returns the points of all sets, played in sequence.
func straight(t *testing.T) (all []heard) {
	p, a, source := playTo(t, alignedCloud, replay.Settings{Immediate: true}, pointsTopic)
	<-p.Done()
	if all = a.take(pointsTopic); len(all) != 16 || len(source.Problems()) > 0 || source.Skipped() > 0 {
		t.Fatalf("%d clouds of 16 sets, %q, %d skipped", len(all), source.Problems(), source.Skipped())
	}
	return all
}

// alone returns the points of one set computed without any other.
func alone(t *testing.T, at bagstore.Time) heard {
	p, a, _ := playTo(t, alignedCloud, replay.Settings{Paused: true}, pointsTopic)
	return do(t, p, a, pointsTopic, replay.SeekTo{Time: at}, replay.StepFrameSet{})
}
