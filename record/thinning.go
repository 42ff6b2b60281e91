package record

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"rsros/program"
	"rsros/program/work"
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

// thinner decides which messages of a topic are recorded. Several publishers may use it at once.
type thinner struct {
	limit int64
	count atomic.Int64 // messages that passed, if there is a limit
	left  atomic.Uint64

	mu    sync.Mutex
	rate  work.Limiter
	every uint64 // 0 and 1: each
	seen  uint64
}

func (t thinning) of(topic string) *thinner {
	return &thinner{limit: t.count, rate: work.NewLimiter(t.rates[topic]), every: t.every[topic]}
}

// full reports whether the topic has as many messages as it may have.
func (t *thinner) full() bool { return t.limit > 0 && t.count.Load() >= t.limit }

// passes reports whether a message that arrives at a time in ns is recorded. full means that the
// topic has as many messages as it may have.
func (t *thinner) passes(at int64) (ok, full bool) {
	t.mu.Lock()
	ok = t.every < 2 || t.seen%t.every == 0
	t.seen++
	ok = ok && t.rate.Pass(at)
	t.mu.Unlock()
	if !ok {
		t.left.Add(1)
		return false, false
	}
	if t.limit == 0 {
		return true, false
	}
	n := t.count.Add(1)
	return n <= t.limit, n >= t.limit
}
