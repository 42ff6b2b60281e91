package help

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"rsros/test/need"
)

// TestWidth checks the pages of terminals, and that a brief one has the usual flags only, if all need more than a screen.
func TestWidth(t *testing.T) {
	cmd := &cobra.Command{Use: "tool", Short: strings.Repeat("word ", 60), Run: func(*cobra.Command, []string) {}}
	f := cmd.Flags()
	f.Bool("usual", false, strings.Repeat("text ", 60))
	for i := range Screen {
		f.Bool(fmt.Sprintf("other%d", i), false, "")
		Group(f, "Time", fmt.Sprintf("other%d", i))
	}
	_, screen := need.Terminal(t)
	for _, c := range []struct{ terminal, longest int }{{40, 40}, {64, 64}, {90, 90}, {200, Widest}} {
		need.Must(t, unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(c.terminal)}))
		page := Page(cmd, columns(screen), true)
		longest := 0
		for line := range strings.SplitSeq(page, "\n") {
			longest = max(longest, len(line))
		}
		if longest > c.longest || longest < c.longest-10 {
			t.Errorf("%d columns: %d, want %d\n%s", c.terminal, longest, c.longest, page)
		}
		if strings.Contains(page, "--other") || !strings.Contains(page, "tool --help") || strings.Count(page, "\n") > Screen {
			t.Errorf("brief:\n%s", page)
		}
	}
	if columns(nil) != Standard || !strings.Contains(Page(cmd, Standard, false), "--other9") {
		t.Errorf("%d columns without a terminal\n%s", columns(nil), Page(cmd, Standard, false))
	}
}
