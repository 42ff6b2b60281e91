package rosapi

import "context"

// Request is a call whose answer isn't used.
type Request struct {
	Method string
	Args   []any // after the caller's name
}

// callTogether makes several calls with one system.multicall and returns the error of
// each. If the peer doesn't support system.multicall, or XML-RPC can't express one of the
// calls, it returns an *Error.
func (c *Caller) callTogether(ctx context.Context, uri string, requests []Request) ([]error, error) {
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
