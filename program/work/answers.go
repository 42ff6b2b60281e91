package work

import (
	"cmp"
	"context"
	"sync"
	"time"
)

const (
	answerTime = 3 * time.Second  // that others have for an answer
	askAgain   = 10 * time.Second // after a failure
	mostAsked  = 16               // how many are asked at once
)

// Answers keeps what others answer, each question asked once. They are asked side by side, each one thing after the
// other. One that doesn't answer in time isn't asked the rest, which fail with the same error. A failure is asked about
// again later, and what isn't wanted any longer is forgotten.
type Answers[K comparable, V any] struct {
	ctx     context.Context // of all questions
	of      func(K) string
	ask     func(context.Context, K) (V, error)
	told    func()
	slots   chan struct{}
	running sync.WaitGroup

	mu     sync.Mutex // guards the following
	known  map[K]*answer[V]
	queues map[string][]K // by those who are being asked
}

type answer[V any] struct {
	value V
	err   error
	when  time.Time
	done  bool
	asked bool // it is in a queue, or being asked
	used  bool // since the last Sweep
}

// NewAnswers returns Answers that ask until ctx ends. of returns who is asked a question. told is called by the
// goroutines that ask, after each answer and when nobody is being asked any longer; it must not block.
func NewAnswers[K comparable, V any](ctx context.Context, told func(), of func(K) string,
	ask func(context.Context, K) (V, error)) *Answers[K, V] {
	return &Answers[K, V]{ctx: ctx, of: of, ask: ask, told: told, slots: make(chan struct{}, mostAsked),
		known: make(map[K]*answer[V]), queues: make(map[string][]K)}
}

// Get returns an answer; known is false while there is none. A failure holds until there is a newer answer.
func (a *Answers[K, V]) Get(question K) (value V, err error, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := a.known[question]
	if found == nil {
		found = new(answer[V])
		a.known[question] = found
	}
	found.used = true
	if !found.asked && (!found.done || found.err != nil && time.Since(found.when) > askAgain) {
		found.asked = true
		who := a.of(question)
		waiting, busy := a.queues[who]
		a.queues[who] = append(waiting, question)
		if !busy {
			a.running.Go(func() { a.askAll(who) })
		}
	}
	return found.value, found.err, found.done
}

// askAll asks the questions in who's queue.
func (a *Answers[K, V]) askAll(who string) {
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-a.ctx.Done():
	}
	defer a.told()
	var silent error
	for question, ok := a.next(who); ok; question, ok = a.next(who) {
		var now answer[V]
		if now.err = cmp.Or(silent, a.ctx.Err()); now.err == nil {
			ctx, cancel := context.WithTimeout(a.ctx, answerTime)
			if now.value, now.err = a.ask(ctx, question); now.err != nil && ctx.Err() != nil {
				silent = now.err
			}
			cancel()
		}
		now.when, now.done = time.Now(), true
		a.mu.Lock()
		if old := a.known[question]; old != nil {
			now.used, *old = old.used, now
		}
		a.mu.Unlock()
		a.told()
	}
}

func (a *Answers[K, V]) next(who string) (question K, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	queue := a.queues[who]
	if len(queue) == 0 {
		delete(a.queues, who)
		return question, false
	}
	a.queues[who] = queue[1:]
	return queue[0], true
}

// Busy reports whether somebody is being asked.
func (a *Answers[K, V]) Busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.queues) > 0
}

// Sweep forgets what Get wasn't asked for since the last call.
func (a *Answers[K, V]) Sweep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for k, v := range a.known {
		if !v.used {
			delete(a.known, k)
		}
		v.used = false
	}
}

// Wait waits for the goroutines, after ctx has ended.
func (a *Answers[K, V]) Wait() { a.running.Wait() }
