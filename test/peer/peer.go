// Package peer runs other programs in tests: ROS's stock tools, and rs-ros-node as its
// users run it.
//
//	p := peer.Start(t, peer.Env(t, masterURI), "rostopic", "echo", "/chatter")
//	p.Await("a message", func(out string) bool { return strings.Contains(out, "hello") })
//	code := p.Interrupt()
//
// A program and its children end with the test at the latest. If the test fails, the
// program's output is logged. Patience bounds all waits.
package peer

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rsros/test/need"
)

// Patience bounds each wait. It is long enough for slow machines, so that only a failing
// test reaches it.
const Patience = 3 * time.Minute

// grace bounds the time that an interrupted program takes to end.
const grace = time.Minute

// Env returns the environment of programs that use a master, without the user's ROS
// settings. Debian's Python, which has the ROS modules, is first in the path.
func Env(t testing.TB, masterURI string) []string {
	home := t.TempDir()
	var env []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "ROS_") && !strings.HasPrefix(variable, "PATH=") {
			env = append(env, variable)
		}
	}
	return append(env, "PATH=/usr/bin:"+os.Getenv("PATH"), "PYTHONUNBUFFERED=1", "LC_ALL=C.UTF-8",
		"ROS_MASTER_URI="+masterURI, "ROS_IP=127.0.0.1", "ROS_HOME="+home, "ROS_LOG_DIR="+filepath.Join(home, "log"))
}

// Process is a running program with all its children.
type Process struct {
	t              testing.TB
	name           string
	cmd            *exec.Cmd
	done           chan struct{} // closed when it has ended
	stdout, stderr output
}

// output collects a program's output, and may be read meanwhile.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// Start starts a program. A later variable of env overrides an earlier one.
func Start(t testing.TB, env []string, name string, args ...string) *Process {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = env
	return StartCommand(t, cmd)
}

// StartCommand starts a prepared command, for example at a terminal. Fields that are unset
// are as with Start: a new process group, a temporary folder and collected output.
func StartCommand(t testing.TB, cmd *exec.Cmd) *Process {
	t.Helper()
	p := &Process{t: t, cmd: cmd, name: strings.Join(append([]string{filepath.Base(cmd.Path)}, cmd.Args[1:]...), " "), done: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = &p.stdout
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &p.stderr
	}
	if cmd.Dir == "" {
		cmd.Dir = t.TempDir()
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = groupOfItsOwn()
	}
	cmd.WaitDelay = 5 * time.Second // for children that keep the pipes open
	need.Must(t, cmd.Start())
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // Process.Wait returns the exit code
	}()
	t.Cleanup(p.stop)
	return p
}

// stop interrupts a program that still runs, and kills it if it doesn't end.
func (p *Process) stop() {
	if !p.Ended() {
		p.Signal(syscall.SIGINT)
	}
	select {
	case <-p.done:
	case <-time.After(grace):
		p.t.Errorf("%s had to be killed", p.name)
	}
	p.Signal(syscall.SIGKILL) // what is left of the group
	<-p.done
	if p.t.Failed() {
		p.t.Logf("$ %s\n%s%s", p.name, tail(p.Stdout()), tail(p.Stderr()))
	}
}

// tail bounds the output that a failed test logs.
func tail(s string) string {
	const most = 6000
	if len(s) > most {
		return "…" + s[len(s)-most:]
	}
	return s
}

// Pid returns the program's process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Stdout returns the standard output so far.
func (p *Process) Stdout() string { return p.stdout.String() }

// Stderr returns the standard error so far.
func (p *Process) Stderr() string { return p.stderr.String() }

// Output returns Stdout followed by Stderr.
func (p *Process) Output() string { return p.Stdout() + p.Stderr() }

// Signal sends a signal to the process group, unless it has ended.
func (p *Process) Signal(s syscall.Signal) {
	if err := p.signalGroup(s); err != nil {
		p.t.Errorf("signal %s: %v", p.name, err)
	}
}

// Ended reports whether the program has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Wait waits for the end and returns the exit code, or -1 after a signal.
func (p *Process) Wait() int {
	p.t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(2 * Patience):
		p.t.Fatalf("%s does not end", p.name)
		return -1
	}
}

// Interrupt ends the program like ctrl-C and returns its exit code.
func (p *Process) Interrupt() int {
	p.t.Helper()
	p.Signal(syscall.SIGINT)
	return p.Wait()
}

// Await waits until the program's standard output satisfies a condition.
func (p *Process) Await(what string, printed func(stdout string) bool) {
	p.t.Helper()
	Await(p.t, p.name+" prints "+what, func() bool {
		if printed(p.Stdout()) {
			return true
		}
		if p.Ended() {
			p.t.Fatalf("%s ended with %d before it printed %s", p.name, p.cmd.ProcessState.ExitCode(), what)
		}
		return false
	})
}

// Run runs a program, which must succeed, and returns its standard output.
func Run(t testing.TB, env []string, name string, args ...string) string {
	t.Helper()
	p := Start(t, env, name, args...)
	if code := p.Wait(); code != 0 {
		t.Fatalf("%s %q ended with %d:\n%s", name, args, code, tail(p.Output()))
	}
	return p.Stdout()
}

// Await polls until happened returns true.
func Await(t testing.TB, what string, happened func() bool) {
	t.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(Patience); !happened(); <-poll.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for: %s", Patience, what)
		}
	}
}

// AwaitService waits until a node provides a service and answers.
func AwaitService(t testing.TB, n interface {
	ServiceProvider(ctx context.Context, name string) (string, error)
}, name string) {
	t.Helper()
	Await(t, "service "+name, func() bool {
		node, err := n.ServiceProvider(t.Context(), name)
		return node != "" && err == nil
	})
}
