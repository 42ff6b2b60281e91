package master

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/ros/xmlrpc"
)

// Timeout and attempts of a call to a node. A node whose process is gone refuses at once; a node on
// an unreachable machine delays its own worker only.
const (
	callTimeout = 10 * time.Second
	attempts    = 3
	retryAfter  = 300 * time.Millisecond // doubled for each attempt
)

const (
	publisherUpdate = "publisherUpdate"
	paramUpdate     = "paramUpdate"
	shutdownNode    = "shutdown"
)

// update is a call to a node. It has the current state, so a newer update replaces an older one with the same subject.
type update struct {
	method  string
	subject string // topic, parameter, or reason of a shutdown
	value   any
}

func (u update) args() []any {
	if u.method == shutdownNode {
		return []any{masterName, u.subject}
	}
	return []any{masterName, u.subject, u.value}
}

const masterName = "/master"

// notifier delivers updates with one worker for each node URI, which runs while the node has waiting
// updates. Each queue has at most one update of a subject.
type notifier struct {
	log     zerolog.Logger
	refused func(api, param string) // called when a node answers that it doesn't subscribe to a parameter
	client  *http.Client
	ctx     context.Context
	cancel  context.CancelFunc
	workers sync.WaitGroup

	mu     sync.Mutex
	queues map[string][]update // by URI; an entry exists while its worker runs
	closed bool
}

func newNotifier(log zerolog.Logger, refused func(api, param string)) *notifier {
	ctx, cancel := context.WithCancel(context.Background())
	// No proxy: nodes are called directly whatever the environment configures.
	transport := &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: 30 * time.Second}
	return &notifier{
		log: log, refused: refused, client: &http.Client{Transport: transport},
		ctx: ctx, cancel: cancel, queues: map[string][]update{},
	}
}

// queue queues an update for a node. It never blocks.
func (n *notifier) queue(api string, u update) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	waiting, running := n.queues[api]
	n.queues[api] = append(withoutReplaced(waiting, u), u)
	if !running {
		n.workers.Go(func() { n.work(api) })
	}
}

// withoutReplaced removes the update that u replaces. The caller appends u at the end, because an update of a
// namespace must arrive after an earlier one of a parameter in it.
func withoutReplaced(waiting []update, u update) []update {
	return slices.DeleteFunc(waiting, u.replaces)
}

// replaces reports whether u and w have the same subject, so that only the newer one is needed.
func (u update) replaces(w update) bool { return u.method == w.method && u.subject == w.subject }

func (n *notifier) work(api string) {
	failures := 0
	for {
		u, ok := n.first(api)
		if !ok {
			return
		}
		err := n.deliver(api, u)
		switch {
		case err == nil, n.ctx.Err() != nil:
			failures = 0
		case u.method == shutdownNode: // usually the node is gone
			n.log.Debug().Err(err).Str("api", api).Msg("replaced node does not answer")
		case failures+1 < attempts:
			n.log.Debug().Err(err).Str("api", api).Msg("node does not answer, will try again")
			n.putBack(api, u)
			select {
			case <-n.ctx.Done():
			case <-time.After(retryAfter << failures):
			}
			failures++
		default:
			n.log.Warn().Err(err).Str("api", api).Str("subject", u.subject).Int("dropped", 1+n.dropAll(api)).
				Msg("node does not answer, its updates are dropped")
			failures = 0
		}
	}
}

// first returns the next update. It returns false if there is none; the worker ends then.
func (n *notifier) first(api string) (update, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	waiting := n.queues[api]
	if len(waiting) == 0 || n.closed {
		delete(n.queues, api)
		return update{}, false
	}
	n.queues[api] = waiting[1:]
	return waiting[0], true
}

// putBack queues a failed update again unless a newer one replaces it.
func (n *notifier) putBack(api string, u update) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if waiting := n.queues[api]; !slices.ContainsFunc(waiting, u.replaces) {
		n.queues[api] = append([]update{u}, waiting...)
	}
}

// dropAll empties a queue, because each further update would take as long to fail.
func (n *notifier) dropAll(api string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	dropped := len(n.queues[api])
	n.queues[api] = nil
	return dropped
}

func (n *notifier) deliver(api string, u update) error {
	ctx, cancel := context.WithTimeout(n.ctx, callTimeout)
	defer cancel()
	result, err := xmlrpc.Call(ctx, n.client, api, u.method, u.args()...)
	if err != nil {
		return err
	}
	n.log.Debug().Str("api", api).Str("subject", u.subject).Interface("result", result).Msg(u.method)
	if reply, ok := result.([]any); ok && len(reply) > 0 && reply[0] == codeError && u.method == paramUpdate {
		n.refused(api, u.subject)
	}
	return nil
}

func (n *notifier) close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.cancel()
	n.workers.Wait()
	n.client.CloseIdleConnections()
}
