package record

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program"
	"rsros/record/source"
	"rsros/tools/pyexpr"
)

// TriggerRules trigger a ring by what arrives.
type TriggerRules struct {
	Expressions []string `setting:"trigger"`         // of filter; a message for which one is true
	Silences    []string `setting:"trigger-silence"` // TOPIC=TIME; so long after a message without another
}

// triggers watches messages for TriggerRules.
type triggers struct {
	rules  []*pyexpr.Expr
	silent map[string]*silence // by topic
	log    zerolog.Logger
	fire   func(why string)

	types *definitions

	mu   sync.Mutex
	last time.Time       // when a rule was last true
	bad  map[string]bool // topics whose messages a rule can't be evaluated for
}

type silence struct {
	limit time.Duration
	last  atomic.Int64 // time of the last message in ns; 0 after a trigger and before the first message
}

// ruleEvery is how often rules trigger at most, as long as they are true.
const ruleEvery = 100 * time.Millisecond

// newTriggers parses the rules. resolve resolves names of topics.
func newTriggers(o TriggerRules, types *definitions, resolve func(string) (string, error), log zerolog.Logger,
	fire func(why string)) (*triggers, error) {
	t := &triggers{silent: map[string]*silence{}, log: log, fire: fire, types: types, bad: map[string]bool{}}
	for _, text := range o.Expressions {
		x, err := pyexpr.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%w: trigger: %w", program.ErrUsage, err)
		}
		t.rules = append(t.rules, x)
	}
	for _, text := range o.Silences {
		topic, limit, _ := strings.Cut(text, "=")
		d, err := bagstore.ParseSeconds(limit)
		if err != nil || d <= 0 {
			return nil, fmt.Errorf("%w: trigger-silence %q: want TOPIC=TIME, such as /odom=2s", program.ErrUsage, text)
		}
		if topic, err = resolve(topic); err != nil {
			return nil, fmt.Errorf("%w: trigger-silence: %w", program.ErrUsage, err)
		}
		t.silent[topic] = &silence{limit: d}
	}
	return t, nil
}

// heard notes that a message has arrived, recorded or not. It triggers if a silence ends that no tick has seen.
func (t *triggers) heard(topic string) {
	s := t.silent[topic]
	if s == nil {
		return
	}
	now := time.Now().UnixNano()
	if last := s.last.Swap(now); last != 0 && now-last > int64(s.limit) {
		t.fire("the silence of " + topic)
	}
}

// message compares a message with the rules. It runs on the connection's goroutine.
func (t *triggers) message(topic string, m source.Message, at bagstore.Time) {
	if len(t.rules) == 0 {
		return
	}
	env := pyexpr.Env{Topic: topic, Time: msgs.Time(at)}
	env.Spec, env.Data = t.types.read(m)
	for _, rule := range t.rules {
		holds, err := rule.Holds(env)
		switch {
		case err != nil:
			t.failed(topic, err)
		case holds && t.due():
			t.fire("a message of " + topic)
		}
	}
}

// failed logs once for each topic that a rule can't be evaluated.
func (t *triggers) failed(topic string, err error) {
	t.mu.Lock()
	before := t.bad[topic]
	t.bad[topic] = true
	t.mu.Unlock()
	if !before { // a log that blocks holds up this topic alone
		t.log.Warn().Err(err).Str("topic", topic).Msg("a trigger can't be evaluated")
	}
}

func (t *triggers) due() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if now.Sub(t.last) < ruleEvery {
		return false
	}
	t.last = now
	return true
}

// tick looks for topics that have fallen silent. Each silence triggers once.
func (t *triggers) tick(now time.Time) {
	for topic, s := range t.silent {
		last := s.last.Load()
		if last != 0 && now.UnixNano()-last > int64(s.limit) && s.last.CompareAndSwap(last, 0) {
			t.fire("the silence of " + topic)
		}
	}
}
