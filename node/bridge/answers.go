package bridge

import (
	"context"
	"sync"
	"time"
)

const (
	answerTime = 3 * time.Second  // that others have for an answer
	askAgain   = 10 * time.Second // after a failure
)

// answers keeps what others answer, each question asked once on a goroutine of its own. A failure is asked again later,
// and what isn't asked for any longer is forgotten.
type answers[K comparable, V any] struct {
	ctx  context.Context // of all questions
	ask  func(context.Context, K) (V, error)
	told func() // called when there is an answer
	wg   sync.WaitGroup

	mu    sync.Mutex // guards the following
	known map[K]*answer[V]
}

func newAnswers[K comparable, V any](
	ctx context.Context, told func(), ask func(context.Context, K) (V, error),
) *answers[K, V] {
	return &answers[K, V]{ctx: ctx, ask: ask, told: told, known: map[K]*answer[V]{}}
}

type answer[V any] struct {
	value V
	err   error
	asked time.Time
	done  bool
	used  bool // since the last sweep
}

// get returns an answer; ok is false while there is none.
func (a *answers[K, V]) get(question K) (value V, err error, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.known[question]
	if old == nil || old.done && old.err != nil && time.Since(old.asked) > askAgain {
		now := &answer[V]{asked: time.Now(), used: true}
		a.known[question] = now
		a.wg.Go(func() {
			ctx, cancel := context.WithTimeout(a.ctx, answerTime)
			defer cancel()
			value, err := a.ask(ctx, question)
			a.mu.Lock()
			now.value, now.err, now.done = value, err, true
			a.mu.Unlock()
			a.told()
		})
		if old == nil {
			return value, nil, false
		}
		return old.value, old.err, true // until there is a new one
	}
	old.used = true
	return old.value, old.err, old.done
}

// sweep forgets what wasn't asked for since the last call.
func (a *answers[K, V]) sweep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for k, v := range a.known {
		if !v.used {
			delete(a.known, k)
		}
		v.used = false
	}
}
