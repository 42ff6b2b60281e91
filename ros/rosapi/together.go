package rosapi

import (
	"context"
	"errors"
)

// Request is a call whose answer isn't used.
type Request struct {
	Method string
	Args   []any // after the caller's name
}

// CallTogether makes several calls with one system.multicall and returns the error of
// each. If the peer doesn't support system.multicall, or XML-RPC can't express one of the
// calls, it returns an *Error.
func (c *Caller) CallTogether(ctx context.Context, uri string, requests []Request) ([]error, error) {
	calls := make([]any, len(requests))
	for i, r := range requests {
		calls[i] = map[string]any{"methodName": r.Method, "params": append([]any{c.ID}, r.Args...)}
	}
	const multicall = "system.multicall"
	answer, err := c.exchange(ctx, uri, multicall, calls)
	if err != nil {
		return nil, err
	}
	answers, _ := answer.([]any)
	if len(answers) != len(requests) {
		return nil, &Error{Method: multicall, Code: -1, Status: "the answer isn't a list with an entry for each call"}
	}
	errs := make([]error, len(requests))
	for i, a := range answers {
		if one, ok := a.([]any); ok && len(one) == 1 {
			_, errs[i] = valueOf(requests[i].Method, one[0])
			continue
		}
		fault, _ := a.(map[string]any)
		text, _ := fault["faultString"].(string)
		errs[i] = &Error{Method: requests[i].Method, Code: -1, Status: text}
	}
	return errs, nil
}

const (
	// minBatch is the smallest number of registrations that are sent together. A
	// usual node has fewer and makes single calls, as other nodes do.
	minBatch = 64

	// mostTogether is the largest number sent together. rosmaster executes that many well
	// within callTimeout; it sends nothing else to this node meanwhile.
	mostTogether = 256
)

// batch returns pending registrations, starting with the first, that can be sent
// together: all are registered, or all are unregistered.
func (g *Registrar) batch() (many []*Registration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := g.from; i < len(g.list) && len(many) < mostTogether; i++ {
		r := g.list[i]
		if !r.pending() {
			continue
		}
		if !r.gone && r.Register != nil || len(many) > 0 && r.gone != many[0].gone {
			break
		}
		many = append(many, r)
	}
	return many
}

// syncTogether makes many calls at once, or returns false if that isn't possible.
func (g *Registrar) syncTogether(ctx context.Context, call func(context.Context, func(context.Context) error) error, many []*Registration) (told bool, err error) {
	g.mu.Lock()
	gone := many[0].gone
	requests := make([]Request, len(many))
	for i, r := range many {
		requests[i] = r.Request(gone)
	}
	g.mu.Unlock()
	var errs []error
	err = call(ctx, func(ctx context.Context) (err error) {
		errs, err = g.caller.CallTogether(ctx, g.master, requests)
		return err
	})
	if refused := new(*Error); errors.As(err, refused) {
		return false, nil
	}
	g.mu.Lock()
	for _, r := range many {
		if err == nil {
			r.done = !gone
		} else if ctx.Err() != nil {
			r.done = true // possibly registered: Leave will unregister it
		}
	}
	g.mu.Unlock()
	for i, refusal := range errs {
		if refusal != nil {
			g.log.Warn().Err(refusal).Bool("unregister", gone).Msg("the ROS master refused the " + many[i].What + " " + many[i].Name)
		}
	}
	return err == nil, err
}
