//go:build unix

package keys

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// Support for keys, for version --features.
const (
	Support    = "yes: termios"
	JobControl = "yes: Ctrl-Z pauses the player and restores the terminal"
)

// terminal reads keys. It sets up the terminal at fd to deliver each key at once, without echo, and changes nothing
// else: Ctrl-C still interrupts, and log lines still begin at the left. It restores the terminal for the shell after
// Ctrl-Z and for the user after Ctrl-\. If fd isn't a terminal, it only reads.
//
// Only one goroutine may use it.
type terminal struct {
	file    *os.File // keeps fd open
	fd      int
	handler Handler
	signals chan os.Signal // nil if fd isn't a terminal
	saved   *unix.Termios  // the original settings; nil while they are in effect
}

func newTerminal(f *os.File, h Handler) *terminal {
	t := &terminal{file: f, fd: int(f.Fd()), handler: h}
	if _, err := unix.IoctlGetTermios(t.fd, getTermios); err == nil {
		t.signals = make(chan os.Signal, 8)
		signal.Notify(t.signals, unix.SIGTSTP, unix.SIGCONT, unix.SIGQUIT)
		if h.Hangup != nil {
			signal.Notify(t.signals, unix.SIGHUP)
		}
	}
	return t
}

func (t *terminal) close() {
	if t.signals != nil {
		signal.Stop(t.signals)
	}
	t.restore()
}

// interactive reports whether fd is a terminal.
func (t *terminal) interactive() bool { return t.signals != nil }

// claim reports whether fd may be read, and sets the terminal up at first and after a return to
// the foreground, without what was typed before. The kernel stops a background job that touches the terminal.
func (t *terminal) claim() bool {
	if !t.interactive() || t.saved != nil && t.foreground() {
		return true
	}
	if t.saved = nil; !t.foreground() {
		return false
	}
	saved, err := unix.IoctlGetTermios(t.fd, getTermios)
	if err != nil {
		return true // reading will return the error
	}
	keys := *saved
	keys.Lflag &^= unix.ICANON | unix.ECHO
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME] = 1, 0
	_ = dropInput(t.fd)
	if unix.IoctlSetTermios(t.fd, setTermios, &keys) == nil {
		t.saved = saved
	}
	return true
}

// read waits for keys, for at most poll, and returns how many bytes it has read.
func (t *terminal) read(keys []byte) (int, error) {
	if ready, err := awaitInput(t.fd, poll); !ready || err != nil {
		return 0, err
	}
	n, err := unix.Read(t.fd, keys)
	switch {
	case err == unix.EINTR || err == unix.EAGAIN:
		return 0, nil
	case n == 0 && err == nil:
		return 0, io.EOF
	}
	return n, err
}

// awaitInput waits until fd can be read, for at most d. It uses select, because macOS's poll doesn't support terminals.
func awaitInput(fd int, d time.Duration) (ready bool, err error) {
	if fd >= unix.FD_SETSIZE {
		return false, fmt.Errorf("file %d: select supports files below %d", fd, unix.FD_SETSIZE)
	}
	var set unix.FdSet
	set.Set(fd)
	limit := unix.NsecToTimeval(d.Nanoseconds())
	n, err := unix.Select(fd+1, &set, nil, nil, &limit)
	if err == unix.EINTR {
		return false, nil
	}
	return n > 0, err
}

func (t *terminal) foreground() bool {
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

func (t *terminal) restore() {
	if t.saved != nil && t.foreground() {
		_ = unix.IoctlSetTermios(t.fd, setTermios, t.saved)
	}
	t.saved = nil
}

func (t *terminal) handleSignals(ctx context.Context) {
	for {
		select {
		case s := <-t.signals:
			switch s {
			case unix.SIGTSTP:
				t.suspend(ctx)
			case unix.SIGCONT:
				now, err := unix.IoctlGetTermios(t.fd, getTermios)
				if err == nil && now.Lflag&unix.ICANON != 0 {
					t.saved = nil // a shell has set the terminal up for itself
				}
			case unix.SIGHUP:
				t.handler.Hangup()
			case unix.SIGQUIT: // the default action, after restoring the terminal
				t.restore()
				signal.Reset(unix.SIGQUIT)
				_ = unix.Kill(unix.Getpid(), unix.SIGQUIT)
				<-ctx.Done() // don't touch the terminal again
			}
		default:
			return
		}
	}
}

// suspend stops the process for Ctrl-Z until it is continued.
func (t *terminal) suspend(ctx context.Context) {
	if t.handler.Suspend != nil {
		defer t.handler.Suspend()()
	}
	t.restore()
	_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
	for continued := false; !continued && ctx.Err() == nil; {
		select {
		case s := <-t.signals:
			continued = s == unix.SIGCONT
		case <-ctx.Done():
		}
	}
}
