package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"rsros/test/need"
	"rsros/test/peer"
)

// TestTerminal checks that keys take effect at once, that the status line shows it, and that the
// terminal is restored whenever another program has it: after Ctrl-Z, and however the player ended.
func TestTerminal(t *testing.T) {
	t.Parallel()
	program := peer.Program(t)
	for name, c := range map[string]struct {
		end  func(p *peer.Process, keys *os.File)
		code int
	}{
		"q":       {func(_ *peer.Process, keys *os.File) { fmt.Fprint(keys, "q") }, 0},
		"ctrl-c":  {func(_ *peer.Process, keys *os.File) { fmt.Fprint(keys, "\x03") }, 0},
		"ctrl-\\": {func(_ *peer.Process, keys *os.File) { fmt.Fprint(keys, "\x1c") }, 2}, // how Go dies of SIGQUIT
		"SIGTERM": {func(p *peer.Process, _ *os.File) { p.Signal(syscall.SIGTERM) }, 0},
		"SIGHUP":  {func(p *peer.Process, _ *os.File) { p.Signal(syscall.SIGHUP) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, screen := need.Terminal(t)
			before := termios(t, screen)
			g := newJudge(t)
			cmd := exec.Command(program, "play", walk(t), "--loop", "-r", "0.1")
			cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = g.env, screen, screen, screen
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			p := peer.StartCommand(t, cmd)
			shown := watchScreen(keys)
			shows := func(text string) func() bool {
				return func() bool { return strings.Contains(shown(), text) }
			}
			peer.Await(t, "the state line", shows("[RUNNING]"))
			fmt.Fprint(keys, "\x1a")
			peer.Await(t, "ctrl-Z to give the terminal back", func() bool { return termios(t, screen) == before })
			peer.Await(t, "the terminal to be taken again", func() bool { p.Signal(syscall.SIGCONT); return termios(t, screen) != before })
			fmt.Fprint(keys, " ")
			peer.Await(t, "space to pause", shows("[PAUSED ]"))
			fmt.Fprint(keys, "\x1b[A") // seeking a minute ahead reaches the end
			peer.Await(t, "an arrow key to seek", shows("Duration: 0.594000 / 0.594000"))
			fmt.Fprint(keys, "+")
			peer.Await(t, "the rate", shows("Rate: 0.11"))
			c.end(p, keys)
			if code := p.Wait(); code != c.code {
				t.Errorf("exit code %d:\n%s", code, shown())
			}
			if after := termios(t, screen); after != before {
				t.Errorf("the terminal was left changed:\n%+v\n%+v", before, after)
			}
		})
	}
}

func termios(t *testing.T, terminal *os.File) unix.Termios {
	t.Helper()
	got, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	need.Must(t, err)
	return *got
}

// watchScreen collects the output on the screen that belongs to keys.
func watchScreen(keys *os.File) (shown func() string) {
	var mu sync.Mutex
	var all []byte
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := keys.Read(buf)
			if err != nil {
				return
			}
			mu.Lock()
			all = append(all, buf[:n]...)
			mu.Unlock()
		}
	}()
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return string(all)
	}
}
