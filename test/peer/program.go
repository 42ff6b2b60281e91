package peer

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
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

// Waits has twice as many tests run in parallel as there are processors, unless the flag -parallel says how many: for
// tests that mostly wait for the programs that they start. Call it from TestMain before Main.
func Waits() {
	err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // m.Run parses the command line
	if err != nil {
		panic(err) // the flag isn't there
	}
}

// Scratch returns a path in the folder that all tests of a package share.
func Scratch(name string) string { return filepath.Join(scratch, name) }

var building sync.Mutex

// build returns the path of rs-ros-node, built with flags and variables of the environment. With Main it is built once.
func build(t testing.TB, name string, env []string, flags ...string) string {
	t.Helper()
	need.Long(t)
	folder := scratch
	if folder == "" {
		folder = t.TempDir()
	}
	program := filepath.Join(folder, name, "rs-ros-node")
	building.Lock()
	defer building.Unlock()
	if _, err := os.Stat(program); err == nil {
		return program
	}
	flags = append(flags, "-o", filepath.Dir(program)+string(filepath.Separator), "rsros/cmd/rs-ros-node")
	build := exec.Command("go", append([]string{"build"}, flags...)...)
	build.Env = append(os.Environ(), env...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// Program returns the path of rs-ros-node, built with the race detector.
func Program(t testing.TB) string {
	t.Helper()
	return build(t, "race", nil, "-race")
}

// Released returns the path of rs-ros-node built as it is released: the race detector takes memory, and makes the simulated
// camera slow. The environment variable BENCH_PROGRAM names another one to measure.
func Released(t testing.TB) string {
	t.Helper()
	need.Long(t)
	if program := os.Getenv("BENCH_PROGRAM"); program != "" {
		return program
	}
	return build(t, "released", []string{"CGO_ENABLED=0"}, "-pgo=auto")
}
