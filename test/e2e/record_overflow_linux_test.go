package e2e

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// TestRecordOverflow checks that the log, the summary and info report the messages that a rospy
// publisher's queue drops while the recorder is stopped, and that the bag lacks exactly those.
func TestRecordOverflow(t *testing.T) {
	python := need.Python(t, "rospy", "sensor_msgs")
	g := onMaster(t)
	script, err := filepath.Abs("testdata/overflow.py")
	need.Must(t, err)
	cmd := exec.Command(python, script)
	cmd.Env = g.env
	say, err := cmd.StdinPipe()
	need.Must(t, err)
	publisher := peer.StartCommand(t, cmd)
	bag := filepath.Join(t.TempDir(), "x.bag")
	record := g.start(peer.Program(t), "record", "-O", bag, "/images")
	g.awaitAudience(1, "/images")
	sent := 0
	publish := func(n int) {
		sent += n
		fmt.Fprintln(say, n)
		publisher.Await("images", func(out string) bool { return strings.Contains(out, fmt.Sprintf("published %d\n", sent)) })
	}

	publish(2) // as many as the queue holds: the first message arrives
	record.Signal(syscall.SIGSTOP)
	publish(200) // exceeds the sockets and the queue; of the queue, the last ones arrive
	record.Signal(syscall.SIGCONT)
	const lost = "messages were lost before arrival"
	peer.Await(t, "the log's word of a loss", func() bool { return strings.Contains(record.Output(), lost) })
	say.Close() //nolint:errcheck // the publisher ends
	if code := publisher.Wait(); code != 0 {
		t.Errorf("the publisher ended with %d", code)
	}
	if code := record.Interrupt(); code != 0 {
		t.Errorf("the recorder ended with %d", code)
	}

	gaps := gapsOf(t, bag)
	if gaps == 0 {
		t.Fatal("nothing was lost")
	}
	for _, want := range []string{fmt.Sprintf("lost=%d topic=/images", gaps), fmt.Sprintf("; %d messages were lost before arrival", gaps)} {
		if !strings.Contains(record.Output(), want) {
			t.Errorf("the recorder doesn't say %q:\n%s", want, record.Output())
		}
	}
	g.wantContains([]string{fmt.Sprintf("missing:     %d of /images from /overflow, by header.seq", gaps)}, peer.Program(t), "info", "--missing", bag)
}

// gapsOf counts the numbers missing from the messages of a bag.
func gapsOf(t *testing.T, path string) (gaps uint32) {
	t.Helper()
	b := samplebag.Open(t, path)
	last := uint32(0)
	samplebag.Each(t, func(m bagstore.Message) {
		seq := binary.LittleEndian.Uint32(m.Data)
		if last > 0 {
			gaps += seq - last - 1
		}
		last = seq
	}, b)
	return gaps
}
