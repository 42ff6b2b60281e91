// Package e2e tests the program as its users run it: as a process, together with the stock ROS programs.
//
// The files are named after the command that they test: live, play, record, master, demo. Most tests start a
// master (a stock roscore or ours), our program and the stock tools as processes, and compare what the
// tools print with what they should. Tests of play use a [judge], a node in the test's own process that records
// every message, and run the stock player in the same way for comparison.
//
// Tests wait for events, never for a time to pass. Each has a graph of its own, so that they run in parallel,
// unless they use a bucket, whose keys are in the process's environment.
package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

func TestMain(m *testing.M) {
	peer.Waits()
	os.Exit(peer.Main(m))
}

// repository is the root of the source tree.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	need.Must(t, err)
	return root
}
