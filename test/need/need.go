// Package need skips tests that need programs, libraries, example bags or system calls
// that are missing. With RS_NO_SKIP=1, as in CI, these tests fail. No other package
// skips tests. Must ends a test that needs a call to succeed.
package need

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Must ends the test after an error. Otherwise it costs nothing, so that benchmarks may call it for each message.
func Must(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// Missing ends the test because something isn't here.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("RS_NO_SKIP") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// System ends the test because the system, or the file system of temporary folders,
// lacks what is tested. Only on Linux without an emulator must nothing be missing.
func System(t testing.TB, format string, args ...any) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getenv("RS_EMULATOR") != "" {
		t.Skipf(format, args...)
	}
	Missing(t, format, args...)
}

// Variable returns the value of an environment variable. Without it the test ends: it
// is run by hand only.
func Variable(t testing.TB, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Skipf("%s is not set", name)
	}
	return value
}

// Long ends the test in a short run.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs other programs")
	}
}

// Repeats ends a test that does the same as in a run without build tags.
func Repeats(t testing.TB) {
	t.Helper()
	t.Skip("the same without build tags")
}

// Programs ends the test unless all of them are in the path. A test that runs
// other programs is no part of a short run.
func Programs(t testing.TB, names ...string) {
	t.Helper()
	Long(t)
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			Missing(t, "%v", err)
		}
	}
}

// Python returns the system's Python, and skips the test unless it has the modules.
// ROS's modules are in Debian's Python, not in one that comes before it in PATH.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	const python = "/usr/bin/python3"
	Programs(t, python)
	if list := strings.Join(modules, ", "); list != "" {
		tried, _ := imports.LoadOrStore(list, sync.OnceValues(exec.Command(python, "-c", "import "+list).CombinedOutput))
		if out, err := tried.(func() ([]byte, error))(); err != nil {
			Missing(t, "python module of %s: %v\n%s", list, err, out)
		}
	}
	return python
}

// imports are the results of importing lists of modules, which takes ROS's half a second.
var imports sync.Map

// Bag returns the path of an example bag that may not lie in the repository,
// such as "public/d435_2018_v3.bag", below the folder that RS_BAGS names.
func Bag(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("RS_BAGS")
	if folder == "" {
		Missing(t, "RS_BAGS names no folder with %s", name)
	}
	path := filepath.Join(folder, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		Missing(t, "%v", err)
	}
	return path
}
