//go:build firsthour && linux

package firsthour

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

const root = "../.."

// TestPages does what the pages say, in the order in which a new user reads them. README.md builds the
// program and puts it in the path, as the tutorial expects it.
func TestPages(t *testing.T) {
	need.Programs(t, "roscore", "rostopic", "rosbag", "make", "bash")
	h := newHome(t)
	for _, page := range []string{"README.md", "docs/tutorial.md", "docs/recipes.md"} {
		if !t.Run(page, func(t *testing.T) { h.do(t, page); h.clear(t) }) {
			return
		}
	}
}

// clear removes what a page recorded, up to 3 GB, before the next page is run.
func (h *home) clear(t *testing.T) {
	t.Helper()
	for _, made := range []string{"walk", "tutorial", "recipes"} {
		if err := os.RemoveAll(filepath.Join(h.folder, made)); err != nil {
			t.Error(err)
		}
	}
}

// home is the account of a new user: a clean folder with stock ROS, and the source as the current folder.
type home struct {
	env    []string
	folder string
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{folder: t.TempDir()}
	bin := filepath.Join(h.folder, ".local/bin")
	need.Must(t, os.MkdirAll(bin, 0o755))
	// Debian's roscore listens on its own port whatever ROS_MASTER_URI is.
	port := freePort(t)
	core := fmt.Sprintf("#!/bin/sh\nexec /usr/bin/roscore -p %d \"$@\"\n", port)
	need.Must(t, os.WriteFile(filepath.Join(bin, "roscore"), []byte(core), 0o755))
	for _, variable := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		value, err := exec.Command("go", "env", variable).Output()
		need.Must(t, err)
		h.env = append(h.env, variable+"="+strings.TrimSpace(string(value)))
	}
	h.env = append(peer.Env(t, fmt.Sprintf("http://127.0.0.1:%d", port)), h.env...)
	h.env = append(h.env, "HOME="+h.folder, "PATH="+bin+":/usr/bin:"+os.Getenv("PATH"))
	return h
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// do runs the commands of a page. A terminal of its own runs its block until the page says to press Ctrl-C, or until
// the end of the page. The first one waits for each of its blocks, which must succeed.
func (h *home) do(t *testing.T, page string) {
	text, err := os.ReadFile(filepath.Join(root, page))
	need.Must(t, err)
	steps, last := readPage(string(text))
	if len(steps) == 0 {
		t.Fatalf("%s has no commands", page)
	}
	source, err := filepath.Abs(root)
	need.Must(t, err)
	state := filepath.Join(t.TempDir(), "state")
	need.Must(t, os.WriteFile(state, []byte("cd "+source+"\n"), 0o600))
	running := map[string]*peer.Process{}
	end := func(terminals string) {
		for _, name := range strings.Fields(terminals) {
			p := running[name]
			if p == nil {
				t.Fatalf("%s: nothing runs in the %s terminal", page, name)
			}
			p.Interrupt()
			delete(running, name)
		}
	}
	for _, s := range steps {
		end(s.ends)
		t.Logf("%s:%d: %s", page, s.line, s.commands)
		script := s.commands
		if s.terminal == "" { // keeps folder and variables for the next block
			script = fmt.Sprintf(". %[1]s\nset -e\n%[2]s\n{ echo cd \"$PWD\"; export -p; } >%[1]s\n", state, s.commands)
		}
		shell := exec.Command("bash", "-c", "exec 2>&1\n"+script)
		shell.Env, shell.Dir = h.env, h.folder
		p := peer.StartCommand(t, shell)
		if s.terminal == "" {
			if code := p.Wait(); code != 0 {
				t.Fatalf("%s:%d: exit code %d\n%s%s", page, s.line, code, s.commands, p.Stdout())
			}
			if want := missing(s.promised, p.Stdout()); want != "" {
				t.Errorf("%s:%d: the page promises\n%s\nand this was printed:\n%s%s", page, s.line, want, s.commands, p.Stdout())
			}
			continue
		}
		if running[s.terminal] != nil {
			t.Fatalf("%s:%d: the %s terminal is still busy", page, s.line, s.terminal)
		}
		running[s.terminal] = p
		if s.promised != "" {
			p.Await(s.promised, func(printed string) bool { return missing(s.promised, printed) == "" })
		}
	}
	end(last)
}
