package record

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"rsros/program"
	"rsros/program/work"
	"rsros/ros"
)

// Thinning leaves out messages before they are queued.
type Thinning struct {
	Limit []string `setting:"limit"` // N: of each topic, and TOPIC=HZ
	Every []string `setting:"every"` // TOPIC=N: one message of N
}

// thinning is Thinning with resolved names.
type thinning struct {
	count int64              // messages of each topic; 0 is no limit
	rates map[string]float64 // Hz
	every map[string]uint64
}

func (o Thinning) parse(resolve func(string) (string, error)) (t thinning, err error) {
	t.rates, t.every = map[string]float64{}, map[string]uint64{}
	wrong := func(flag, text, want string) error {
		return fmt.Errorf("%w: --%s %s: want %s", program.ErrUsage, flag, text, want)
	}
	for _, text := range o.Limit {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
			t.count = n
			continue
		}
		limits, err := work.ParseLimits([]string{text})
		if err != nil {
			return t, wrong("limit", text, "a number of messages, or TOPIC=HZ")
		}
		for topic, hz := range limits {
			if topic, err = resolve(topic); err != nil {
				return t, wrong("limit", text, err.Error())
			}
			t.rates[topic] = hz
		}
	}
	for _, text := range o.Every {
		topic, number, _ := strings.Cut(text, "=")
		n, err := strconv.ParseUint(number, 10, 32)
		if err != nil || n == 0 {
			return t, wrong("every", text, "TOPIC=N")
		}
		if topic, err = resolve(topic); err != nil {
			return t, wrong("every", text, err.Error())
		}
		t.every[topic] = n
	}
	return t, nil
}

// flow decides which messages of a topic are recorded. Several publishers may use it at once.
type flow struct {
	limit int64
	count atomic.Int64 // messages that passed, if there is a limit
	left  atomic.Uint64
	drops drops
	meter meter
	lost  lossCount // before arrival, by the publishers' numbers

	subscriber *ros.Subscriber

	mu    sync.Mutex
	rate  work.Limiter
	every uint64 // 0 and 1: each
	seen  uint64
}

func (t thinning) flow(topic string) *flow {
	return &flow{limit: t.count, rate: work.NewLimiter(t.rates[topic]), every: t.every[topic]}
}

// missing returns how many messages were lost before they arrived, while the topic was recorded.
func (f *flow) missing() uint64 { return f.lost.read(f.subscriber.Stats().Missing) }

// run stops or continues to count these.
func (f *flow) run(on bool) { f.lost.run(on && !f.full(), f.subscriber.Stats().Missing) }

// full reports whether the topic has as many messages as it may have.
func (f *flow) full() bool { return f.limit > 0 && f.count.Load() >= f.limit }

// passes reports whether a message that arrives at a time in ns is recorded. full means that the
// topic has as many messages as it may have.
func (f *flow) passes(at int64) (ok, full bool) {
	f.mu.Lock()
	ok = f.every < 2 || f.seen%f.every == 0
	f.seen++
	ok = ok && f.rate.Pass(at)
	f.mu.Unlock()
	if !ok {
		f.left.Add(1)
		return false, false
	}
	if f.limit == 0 {
		return true, false
	}
	n := f.count.Add(1)
	return n <= f.limit, n >= f.limit
}
