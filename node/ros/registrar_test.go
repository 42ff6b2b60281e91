package ros

import (
	"context"
	"testing"

	"github.com/rs/zerolog"

	"rsros/node/ros/rosapi"
)

// TestClosingWhileRegistering: what the master is just being told of when a node
// goes is unregistered, too.
func TestClosingWhileRegistering(t *testing.T) {
	m := startMaster(t)
	ctx, closing := context.WithCancel(t.Context())
	c := rosapi.NewCaller("/brief")
	g := rosapi.NewRegistrar(c, m.uri(), "http://127.0.0.1:1/", zerolog.Nop())
	unregistered := false
	g.Add(&rosapi.Registration{
		What:       "publisher /x",
		Register:   func(ctx context.Context) error { closing(); return ctx.Err() }, // the master has it by now
		Unregister: func(context.Context) error { unregistered = true; return nil },
	})
	g.Run(ctx)
	g.Leave(t.Context())
	if !unregistered {
		t.Error("the master keeps what the node registered last")
	}
}
