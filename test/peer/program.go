package peer

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"rsros/test/need"
)

// scratch is a folder for builds, removed after the tests. It is "" without Main.
var scratch string

// Main runs a package's tests with a scratch folder. Call it from TestMain.
func Main(m *testing.M) (code int) {
	var err error
	if scratch, err = os.MkdirTemp("", "rs-ros-node-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // at the end of the process
	return m.Run()
}

// Scratch returns a path in the folder that all tests of a package share.
func Scratch(name string) string { return filepath.Join(scratch, name) }

var buildProgram = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "build", "-race", "-o", Scratch("rs-ros-node"), "rsros/cmd/rs-ros-node").CombinedOutput()
})

// Program returns the path of rs-ros-node, built once with the race detector.
func Program(t testing.TB) string {
	t.Helper()
	need.Long(t)
	if out, err := buildProgram(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return Scratch("rs-ros-node")
}

var building sync.Mutex

// Released returns the path of rs-ros-node built as it is released: the race detector takes memory, and makes the simulated
// camera slow. With Main it is built once. The environment variable BENCH_PROGRAM names another one to measure.
func Released(t testing.TB) string {
	t.Helper()
	need.Long(t)
	if program := os.Getenv("BENCH_PROGRAM"); program != "" {
		return program
	}
	folder := scratch
	if folder == "" {
		folder = t.TempDir()
	}
	program := filepath.Join(folder, "released", "rs-ros-node")
	building.Lock()
	defer building.Unlock()
	if _, err := os.Stat(program); err == nil {
		return program
	}
	build := exec.Command("go", "build", "-o", filepath.Dir(program)+string(filepath.Separator), "rsros/cmd/rs-ros-node")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}
