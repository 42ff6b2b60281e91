// Package peer runs other programs in tests: ROS's stock tools, and our own
// program as its users run it.
//
//	p := peer.Start(t, peer.Env(t, masterURI), "rostopic", "echo", "/chatter")
//	p.Await("a message", func(out string) bool { return strings.Contains(out, "hello") })
//	code := p.Interrupt()
//
// A program runs until its test ends at the latest, with all its children; what it
// printed is shown if the test failed. Waiting is bounded by Patience.
package peer

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Patience bounds each wait for something that must happen. Only a failing test
// uses it up, however slow the machine is.
const Patience = 3 * time.Minute

// grace is how long a program may take to end when it is interrupted.
const grace = time.Minute

// Env is the environment of programs that meet at a master. Nothing of the
// user's own ROS settings is in it. Debian's Python comes first in the path: the
// ROS modules are its own.
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

// output collects what a program prints, readable while it does.
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

// Start starts a program. A later variable of env wins over an earlier one.
func Start(t testing.TB, env []string, name string, args ...string) *Process {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = env
	return StartCommand(t, cmd)
}

// StartCommand starts a command that was prepared, at a terminal for instance.
// What it leaves open is as with Start: a process group, a folder and output of
// its own.
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
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // Process.Wait returns the exit code
	}()
	t.Cleanup(p.stop)
	return p
}

// stop interrupts a program that still runs, and kills it if it doesn't mind.
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

// tail bounds what a failed test shows of a talkative program.
func tail(s string) string {
	const most = 6000
	if len(s) > most {
		return "…" + s[len(s)-most:]
	}
	return s
}

// Pid is the program's process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Stdout is what the program has printed so far.
func (p *Process) Stdout() string { return p.stdout.String() }

// Stderr is what it has logged so far.
func (p *Process) Stderr() string { return p.stderr.String() }

// Output is Stdout followed by Stderr.
func (p *Process) Output() string { return p.Stdout() + p.Stderr() }

// Signal goes to the whole group; a group that is gone needs none.
func (p *Process) Signal(s syscall.Signal) {
	if err := p.signalGroup(s); err != nil {
		p.t.Errorf("signal %s: %v", p.name, err)
	}
}

// Ended tells whether the program has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Wait waits for the end and returns the exit code, -1 if a signal was the end.
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

// Interrupt ends the program as ctrl-C does and returns its exit code.
func (p *Process) Interrupt() int {
	p.t.Helper()
	p.Signal(syscall.SIGINT)
	return p.Wait()
}

// Await waits until what the program has printed so far satisfies a condition.
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

// Run runs a program that must succeed and returns what it printed on stdout.
func Run(t testing.TB, env []string, name string, args ...string) string {
	t.Helper()
	p := Start(t, env, name, args...)
	if code := p.Wait(); code != 0 {
		t.Fatalf("%s %q ended with %d:\n%s", name, args, code, tail(p.Output()))
	}
	return p.Stdout()
}

// Await polls until something has happened.
func Await(t testing.TB, what string, happened func() bool) {
	t.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(Patience); !happened(); <-poll.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain: %s", Patience, what)
		}
	}
}
