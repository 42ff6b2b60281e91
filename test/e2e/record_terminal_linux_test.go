package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rsros/test/need"
	"rsros/test/peer"
)

// TestRecordTerminal: a recorder shows its table on a terminal and obeys keys, also after the
// terminal has become narrow, and leaves the terminal as it was. What was typed ahead is no key, and one that
// pauses asks first. Stock rosbag reads marks.
func TestRecordTerminal(t *testing.T) {
	t.Parallel()
	g := newJudge(t)
	bag := filepath.Join(t.TempDir(), "x.bag")
	keys, screen := need.Terminal(t)
	resize := func(columns uint16) {
		need.Must(t, unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
	}
	resize(100)
	before := termios(t, screen)
	fmt.Fprint(keys, "m")
	cmd := exec.Command(peer.Program(t), "record", "-O", bag, "/chatter")
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = g.env, screen, screen, screen
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	p := peer.StartCommand(t, cmd)
	shown := watchScreen(keys)
	shows := func(text string) func() bool { return func() bool { return strings.Contains(shown(), text) } }
	peer.Await(t, "the table", shows("pubs     Hz    MB/s messages       MB  drops    queue   lost"))
	fmt.Fprint(keys, "m")
	peer.Await(t, "a mark", shows("mark 1"))
	fmt.Fprint(keys, " ")
	peer.Await(t, "a question", shows("press space again to pause"))
	asked := time.Now()
	peer.Await(t, "the time to read it", func() bool { return time.Since(asked) > time.Second/2 })
	if strings.Contains(shown(), "paused x.bag") || strings.Contains(shown(), "mark 2") {
		t.Errorf("paused at once, or a mark that was typed ahead:\n%s", shown())
	}
	fmt.Fprint(keys, " ")
	peer.Await(t, "a pause", shows("paused x.bag"))
	peer.Await(t, "the free space", shows(" GB free, compression none"))
	resize(30)
	peer.Await(t, "a narrow table", shows("topic"+strings.Repeat(" ", 13)+"drops\r\n"))
	fmt.Fprint(keys, "\x03")
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, shown())
	}
	if after := termios(t, screen); after != before {
		t.Errorf("the terminal was left changed:\n%+v\n%+v", before, after)
	}
	g.wantContains([]string{"/recorder/marks", "std_msgs/String"}, "rosbag", "info", bag)
}
