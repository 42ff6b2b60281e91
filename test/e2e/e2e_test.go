// Package e2e holds the program against real ROS programs: each test starts a master (a stock roscore,
// and ours), our program as a process, and the stock tools as processes, and compares what the tools say
// with what must be. Nothing waits for a time to pass; everything waits for something to happen.
package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/test/peer"
)

func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }

// repository is the root of the source tree.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}
