package replay

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

// openTerminal makes a pseudo terminal: what is written to keys is typed at screen.
func openTerminal(t *testing.T) (keys, screen *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		need.Missing(t, "%v", err)
	}
	t.Cleanup(func() { keys.Close() }) //nolint:errcheck // nothing is lost
	fd := int(keys.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() }) //nolint:errcheck // nothing is lost
	return keys, screen
}

// TestTerminal: keys steer the player at once, the state line shows it, and the
// terminal is as before afterwards, however the player ended.
func TestTerminal(t *testing.T) {
	program := peer.Program(t)
	for name, end := range map[string]func(p *peer.Process, keys *os.File){
		"q":       func(_ *peer.Process, keys *os.File) { fmt.Fprint(keys, "q") },
		"ctrl-c":  func(_ *peer.Process, keys *os.File) { fmt.Fprint(keys, "\x03") },
		"SIGTERM": func(p *peer.Process, _ *os.File) { p.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, screen := openTerminal(t)
			before, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			g := newGraph(t)
			cmd := exec.Command(program, "play", walk(t), "--loop", "-r", "0.1")
			cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = g.env, screen, screen, screen
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			p := peer.StartCommand(t, cmd)
			shown := watchScreen(keys)
			shows := func(text string) func() bool {
				return func() bool { return strings.Contains(shown(), text) }
			}
			peer.Await(t, "the state line", shows("[RUNNING]"))
			fmt.Fprint(keys, " ")
			peer.Await(t, "space to pause", shows("[PAUSED ]"))
			fmt.Fprint(keys, "\x1b[A") // one minute on is the end
			peer.Await(t, "an arrow key to seek", shows("Duration: 0.594000 / 0.594000"))
			fmt.Fprint(keys, "+")
			peer.Await(t, "the rate", shows("Rate: 0.11"))
			end(p, keys)
			if code := p.Wait(); code != 0 {
				t.Errorf("exit code %d:\n%s", code, shown())
			}
			after, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
			if err != nil || *after != *before {
				t.Errorf("the terminal was left changed: %v\n%+v\n%+v", err, before, after)
			}
		})
	}
}

// watchScreen collects what is shown on the screen whose keys these are.
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
