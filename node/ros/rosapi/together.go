package rosapi

import (
	"context"
	"errors"
)

// Request is one call of many that are sent together.
type Request struct {
	Method string
	Args   []any // after the caller's name
}

// CallTogether makes calls in one exchange, by system.multicall, and returns what
// Call returns of each without the value. If the other end doesn't know system.multicall, or
// XML-RPC can't express one of the calls, it returns an *Error.
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
	// fewestTogether is how many registrations make it worth to send them together. An
	// ordinary node has fewer, and calls as other nodes do.
	fewestTogether = 64

	// mostTogether is how many are sent together at most: rosmaster does them well within
	// callTimeout, and sends nothing else to this node meanwhile.
	mostTogether = 256
)

// batch returns registrations from the first pending one on that can be sent together:
// all of them appear, or all of them go.
func (g *Registrar) batch() (many []*Registration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := g.from; i < len(g.list) && len(many) < mostTogether; i++ {
		r := g.list[i]
		if !r.pending() {
			continue
		}
		if r.Request == nil || len(many) > 0 && r.gone != many[0].gone {
			break
		}
		many = append(many, r)
	}
	return many
}

// syncTogether does for many what sync does for one. It returns false if they have to be
// sent one by one.
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
			r.done = true // perhaps: Leave will unregister it
		}
	}
	g.mu.Unlock()
	for i, refusal := range errs {
		if refusal != nil {
			g.log.Warn().Err(refusal).Bool("unregister", gone).Msg("the ROS master refused the " + many[i].What)
		}
	}
	return err == nil, err
}
