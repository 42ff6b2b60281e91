package node

import (
	"context"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/node/graph"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testMaster is a master of the test's own, which outlives what the test defers.
func testMaster(t *testing.T) *graph.Master {
	t.Helper()
	m, err := graph.StartMaster(context.WithoutCancel(t.Context()), graph.MasterOptions{Address: "127.0.0.1:0", Host: "127.0.0.1", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() }) //nolint:errcheck // at the end
	return m
}
