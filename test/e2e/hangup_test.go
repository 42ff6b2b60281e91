package e2e

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"rsros/test/peer"
)

// TestHangup checks that closing the terminal ends a command as Ctrl-C does, and that a node continues
// under nohup.
func TestHangup(t *testing.T) {
	// If the tests themselves run under nohup, programs that they start would ignore SIGHUP, too.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	master := peer.Start(t, peer.Env(t, ""), peer.Program(t), "master", "--port", "0")
	master.Await("the master's address", func(out string) bool { return strings.Contains(out, "ROS_MASTER_URI=") })
	master.Signal(syscall.SIGHUP)
	if code := master.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}

	ignored := peer.Start(t, peer.Env(t, ""), "nohup", peer.Program(t), "master", "--port", "0")
	ignored.Await("the master's address", func(out string) bool { return strings.Contains(out, "ROS_MASTER_URI=") })
	ignored.Signal(syscall.SIGHUP)
	ignored.Signal(syscall.SIGHUP)
	if ignored.Ended() {
		t.Error("nohup is not heeded")
	}
	if code := ignored.Interrupt(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
