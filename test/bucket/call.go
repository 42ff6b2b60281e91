package bucket

import "context"

// call is a request on its way through a proxy.
type call struct {
	proxy *Proxy
	entry *Request
	fault Fault
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}
