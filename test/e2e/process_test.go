package e2e

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a running program with all its children.
type process struct {
	t      *testing.T
	name   string
	cmd    *exec.Cmd
	done   chan struct{} // closed when it has ended
	stdout output
	stderr output
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

// startProcess starts a program in its own process group. At the end of the test it is interrupted if
// it still runs, and killed if it doesn't mind; its output is shown if the test failed.
func startProcess(t *testing.T, env []string, name string, args ...string) *process {
	t.Helper()
	p := &process{t: t, name: strings.Join(append([]string{filepath.Base(name)}, args...), " "), done: make(chan struct{})}
	p.cmd = exec.Command(name, args...)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, &p.stdout, &p.stderr
	p.cmd.Dir = t.TempDir()
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = 5 * time.Second // for children that keep the pipes open
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(p.stop)
	return p
}

func (p *process) stop() {
	if !p.ended() {
		p.signal(syscall.SIGINT)
	}
	select {
	case <-p.done:
	case <-time.After(20 * time.Second):
		p.t.Errorf("%s had to be killed", p.name)
	}
	p.signal(syscall.SIGKILL) // what is left of the group
	<-p.done
	if p.t.Failed() {
		p.t.Logf("$ %s\n%s%s", p.name, tail(p.stdout.String()), tail(p.stderr.String()))
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

// signal goes to the whole group; a group that is gone needs none.
func (p *process) signal(s syscall.Signal) {
	if err := syscall.Kill(-p.cmd.Process.Pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		p.t.Errorf("signal %s: %v", p.name, err)
	}
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// wait waits for the end and returns the exit code.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(2 * patience):
		p.t.Fatalf("%s does not end", p.name)
		return -1
	}
}

// interrupt ends a program as ctrl-C does and returns its exit code.
func (p *process) interrupt() int {
	p.t.Helper()
	p.signal(syscall.SIGINT)
	return p.wait()
}

// await waits until what the program has printed so far satisfies a condition.
func (p *process) await(what string, printed func(stdout string) bool) {
	p.t.Helper()
	await(p.t, p.name+" prints "+what, func() bool {
		if printed(p.stdout.String()) {
			return true
		}
		if p.ended() {
			p.t.Fatalf("%s ended with %d before it printed %s", p.name, p.cmd.ProcessState.ExitCode(), what)
		}
		return false
	})
}

// await polls until something has happened.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	poll := time.NewTicker(30 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(patience); !happened(); <-poll.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain: %s", patience, what)
		}
	}
}
