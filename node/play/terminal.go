package play

import (
	"context"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"rsros/node/replay"
)

// terminal makes the terminal at fd hand over each key at once, without echo,
// and leaves the rest as it is: Ctrl-C still interrupts, lines of the log still
// begin at the left. Whoever gets the terminal next finds it as it was: the shell
// after Ctrl-Z, a user after Ctrl-\. Where fd is no terminal it does nothing.
//
// It belongs to one goroutine.
type terminal struct {
	fd      int
	player  *replay.Player
	signals chan os.Signal // nil if fd is no terminal
	saved   *unix.Termios  // as it was; nil while the terminal isn't ours
}

func newTerminal(fd int, p *replay.Player) *terminal {
	t := &terminal{fd: fd, player: p}
	if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
		t.signals = make(chan os.Signal, 8)
		signal.Notify(t.signals, unix.SIGTSTP, unix.SIGCONT, unix.SIGQUIT, unix.SIGHUP)
	}
	return t
}

// close restores the terminal.
func (t *terminal) close() {
	if t.signals != nil {
		signal.Stop(t.signals)
	}
	t.restore()
}

// claim tells whether fd may be read, and sets the terminal up if it is ours anew.
// A job in the background that touches the terminal is stopped by the kernel.
func (t *terminal) claim() bool {
	if t.signals == nil || t.saved != nil && t.foreground() {
		return true
	}
	if t.saved = nil; !t.foreground() {
		return false
	}
	saved, err := unix.IoctlGetTermios(t.fd, unix.TCGETS)
	if err != nil {
		return true // reading says what is wrong
	}
	keys := *saved
	keys.Lflag &^= unix.ICANON | unix.ECHO
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME] = 1, 0
	if unix.IoctlSetTermios(t.fd, unix.TCSETS, &keys) == nil {
		t.saved = saved
	}
	return true
}

func (t *terminal) foreground() bool {
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

func (t *terminal) restore() {
	if t.saved != nil && t.foreground() {
		_ = unix.IoctlSetTermios(t.fd, unix.TCSETS, t.saved)
	}
	t.saved = nil
}

// heed does what the signals ask for that came since it was last called.
func (t *terminal) heed(ctx context.Context) {
	for {
		select {
		case s := <-t.signals:
			switch s {
			case unix.SIGTSTP:
				t.suspend(ctx)
			case unix.SIGCONT:
				now, err := unix.IoctlGetTermios(t.fd, unix.TCGETS)
				if err == nil && now.Lflag&unix.ICANON != 0 {
					t.saved = nil // a shell has set the terminal up for itself
				}
			case unix.SIGHUP:
				t.player.Submit(replay.Stop{})
			case unix.SIGQUIT: // what it does otherwise, at a restored terminal
				t.restore()
				signal.Reset(unix.SIGQUIT)
				_ = unix.Kill(unix.Getpid(), unix.SIGQUIT)
				<-ctx.Done() // nor touch the terminal again
			}
		default:
			return
		}
	}
}

// suspend stops the process as Ctrl-Z asks, until it is continued. Bag time stands
// still meanwhile.
func (t *terminal) suspend(ctx context.Context) {
	playing := t.player.Status().State != replay.Paused
	if playing {
		t.player.Submit(replay.Pause{})
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
	if playing {
		t.player.Submit(replay.Resume{})
	}
}
