// Package e2e holds the program against real ROS programs: each test starts a master (a stock roscore,
// and ours), our program as a process, and the stock tools as processes, and compares what the tools say
// with what must be. Nothing waits for a time to pass; everything waits for something to happen.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// patience bounds each wait for something that must happen. Only a failing test uses it up.
const patience = 60 * time.Second

// scratch lives as long as the test binary: our program and what else is built once.
var scratch string

func TestMain(m *testing.M) { os.Exit(inScratch(m)) }

func inScratch(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "rs-ros-node-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch)
	return m.Run()
}

// repository is the root of the source tree.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

var buildProgram = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "build", "-race", "-o", filepath.Join(scratch, "rs-ros-node"), "rsros/cmd/rs-ros-node").CombinedOutput()
})

// program is the path of our program, built once, with the race detector.
func program(t *testing.T) string {
	t.Helper()
	if out, err := buildProgram(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return filepath.Join(scratch, "rs-ros-node")
}
