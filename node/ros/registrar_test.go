package ros

import (
	"context"
	"testing"

	"github.com/rs/zerolog"
)

// TestClosingWhileRegistering: what the master is just being told of when a node
// goes is unregistered, too.
func TestClosingWhileRegistering(t *testing.T) {
	m := startMaster(t)
	ctx, closing := context.WithCancel(t.Context())
	c := newCaller("/brief")
	g := newRegistrar(c, m.uri(), "http://127.0.0.1:1/", zerolog.Nop())
	unregistered := false
	g.add(&registration{
		what:       "publisher /x",
		register:   func(ctx context.Context) error { closing(); return ctx.Err() }, // the master has it by now
		unregister: func(context.Context) error { unregistered = true; return nil },
	})
	g.run(ctx)
	g.leave(t.Context())
	if !unregistered {
		t.Error("the master keeps what the node registered last")
	}
}
