package replay

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"rsros/test/need"
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
	program := program(t)
	for name, end := range map[string]func(p *process, keys *os.File){
		"q":       func(_ *process, keys *os.File) { fmt.Fprint(keys, "q") },
		"ctrl-c":  func(_ *process, keys *os.File) { fmt.Fprint(keys, "\x03") },
		"SIGTERM": func(p *process, _ *os.File) { _ = p.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, screen := openTerminal(t)
			before, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			g := newGraph(t)
			p := &process{t: t, done: make(chan struct{})}
			p.cmd = exec.Command(program, "play", walk(t), "--loop", "-r", "0.1")
			p.cmd.Env, p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = g.env, screen, screen, screen
			p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := p.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			go func() {
				defer close(p.done)
				_ = p.cmd.Wait()
			}()
			go copyScreen(&p.out, keys)
			shows := func(text string) func() bool {
				return func() bool { return strings.Contains(p.out.String(), text) }
			}
			await(t, "the state line", shows("[RUNNING]"))
			fmt.Fprint(keys, " ")
			await(t, "space to pause", shows("[PAUSED ]"))
			fmt.Fprint(keys, "\x1b[A") // one minute on is the end
			await(t, "an arrow key to seek", shows("Duration: 0.594000 / 0.594000"))
			fmt.Fprint(keys, "+")
			await(t, "the rate", shows("Rate: 0.11"))
			end(p, keys)
			if code := p.wait(); code != 0 {
				t.Errorf("exit code %d:\n%s", code, p.out.String())
			}
			after, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
			if err != nil || *after != *before {
				t.Errorf("the terminal was left changed: %v\n%+v\n%+v", err, before, after)
			}
		})
	}
}

func copyScreen(out *output, keys *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := keys.Read(buf)
		if err != nil {
			return
		}
		_, _ = out.Write(buf[:n])
	}
}
