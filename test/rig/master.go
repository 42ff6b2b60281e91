// Package rig has what tests of several packages need: a master, frames, and
// recordings to write and to read.
package rig

import (
	"context"
	"testing"

	"github.com/rs/zerolog"

	"rsros/node/graph"
)

// Master starts a master of the test's own, which outlives what the test defers.
func Master(t testing.TB) *graph.Master {
	t.Helper()
	m, err := graph.StartMaster(context.WithoutCancel(t.Context()), graph.MasterOptions{Address: "127.0.0.1:0", Host: "127.0.0.1", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() }) //nolint:errcheck // at the end
	return m
}
