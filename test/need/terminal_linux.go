package need

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Terminal opens a pseudo terminal: what is written to keys is typed at screen.
func Terminal(t testing.TB) (keys, screen *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		Missing(t, "%v", err)
	}
	t.Cleanup(func() { keys.Close() }) //nolint:errcheck // nothing is lost
	fd := int(keys.Fd())
	Must(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	Must(t, err)
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	Must(t, err)
	t.Cleanup(func() { screen.Close() }) //nolint:errcheck // nothing is lost
	return keys, screen
}
