package rosapi

import (
	"context"
	"errors"
)

// request is a call to a ROS API.
type request struct {
	method string
	args   []any // after the caller's name
}

// answer is the value of a successful answer, or an *Error.
type answer struct {
	value any
	err   error
}

const (
	// minBatch is the smallest number of calls that are made together. A usual node makes fewer, one by one, as
	// other nodes do.
	minBatch = 64

	// mostTogether is the largest number of calls made together. rosmaster executes that many well
	// within callTimeout; it sends nothing else to this node meanwhile.
	mostTogether = 256
)

// limiter limits one call.
type limiter func(context.Context) (context.Context, context.CancelFunc)

// callAll makes calls and returns the answers until there is none. If they are at least as many as least, they are made
// with one system.multicall, if the peer supports that and XML-RPC can express all of them.
func (c *Caller) callAll(ctx context.Context, limit limiter, uri string,
	requests []request, least int) ([]answer, error) {
	if len(requests) >= least {
		call, cancel := limit(ctx)
		answers, err := c.callTogether(call, uri, requests)
		cancel()
		if _, impossible := errors.AsType[*Error](err); !impossible {
			return answers, err
		}
	}
	var answers []answer
	for _, r := range requests {
		if ctx.Err() != nil {
			return answers, ctx.Err()
		}
		call, cancel := limit(ctx)
		value, err := c.Call(call, uri, r.method, r.args...)
		cancel()
		if _, refused := errors.AsType[*Error](err); err != nil && !refused {
			return answers, err
		}
		answers = append(answers, answer{value, err})
	}
	return answers, nil
}

// callTogether makes several calls with one system.multicall. An *Error means that they can't be made together.
func (c *Caller) callTogether(ctx context.Context, uri string, requests []request) ([]answer, error) {
	calls := make([]any, len(requests))
	for i, r := range requests {
		calls[i] = map[string]any{"methodName": r.method, "params": append([]any{c.ID}, r.args...)}
	}
	const multicall = "system.multicall"
	got, err := c.exchange(ctx, uri, multicall, calls)
	if err != nil {
		return nil, err
	}
	list, _ := got.([]any)
	if len(list) != len(requests) {
		return nil, &Error{Method: multicall, Code: -1, Status: "the answer isn't a list with an entry for each call"}
	}
	answers := make([]answer, len(requests))
	for i, a := range list {
		if one, ok := a.([]any); ok && len(one) == 1 {
			answers[i].value, answers[i].err = valueOf(requests[i].method, one[0])
			continue
		}
		fault, _ := a.(map[string]any)
		text, _ := fault["faultString"].(string)
		answers[i].err = &Error{Method: requests[i].method, Code: -1, Status: text}
	}
	return answers, nil
}

// LookupNodes asks a master for the URIs of nodes, by name. Those that it doesn't know are left out.
func (c *Caller) LookupNodes(ctx context.Context, master string, names []string) (map[string]string, error) {
	requests := make([]request, len(names))
	for i, name := range names {
		requests[i] = request{"lookupNode", []any{name}}
	}
	answers, err := c.callAll(ctx, context.WithCancel, master, requests, 1)
	uris := make(map[string]string)
	for i, a := range answers {
		if uri, ok := a.value.(string); ok && a.err == nil {
			uris[names[i]] = uri
		}
	}
	return uris, err
}
