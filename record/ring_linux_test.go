package record

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// numbers returns the numbers that the messages of a folder's bags begin with.
func numbers(t *testing.T, dir string) map[uint32]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.bag"))
	need.Must(t, err)
	got := map[uint32]bool{}
	for _, path := range files {
		each(t, path, func(m bagstore.Message) { got[binary.LittleEndian.Uint32(m.Data[4:])] = true })
	}
	return got
}

// TestRingOnASmallDisk checks that a ring becomes shorter, and nothing is dropped, on a disk that has no
// room for it, and that a trigger keeps what is left, without a gap up to the end.
func TestRingOnASmallDisk(t *testing.T) {
	dir := need.SmallDisk(t, "64m")
	master := rig.Master(t).URI()
	n, p := advertise(t, master, ros.PublisherOptions{Topic: "/count", Type: msgs.MustType("std_msgs/String")})
	var log strings.Builder
	o := config(t, master, Options{
		Topics: []string{"/count"}, Output: filepath.Join(dir, "walk.bag"), MinSpace: 32 << 20, Ring: Ring{Before: 20 * time.Second, After: 10 * time.Second}})
	o.ROS.Name, o.Log = "recorder", zerolog.New(zerolog.SyncWriter(&log))
	r, ended := start(t, o)
	peer.Await(t, "the recorder", func() bool { return p.Subscribers() == 1 })
	message := make([]byte, 400_000) // 8 MB/s: four seconds fill what may be filled
	binary.LittleEndian.PutUint32(message, uint32(len(message)-4))
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	const sent = 240
	for i := range uint32(sent) {
		<-tick.C
		binary.LittleEndian.PutUint32(message[4:], i)
		p.Publish(msgs.Raw{Head: append([]byte(nil), message...)})
	}
	rig.Trigger(t, n, "/recorder/trigger")
	var got map[uint32]bool
	// The service may be called before the last messages have arrived.
	peer.Await(t, "the last message in the kept files", func() bool {
		got = numbers(t, dir)
		return got[sent-1]
	})
	r.Stop()
	need.Must(t, <-ended)
	for i := range uint32(len(got)) {
		if !got[sent-1-i] {
			t.Fatalf("%d of the last %d messages is missing", sent-1-i, len(got))
		}
	}
	if len(got) < 20 || len(got) > sent/2 {
		t.Errorf("kept %d of %d messages", len(got), sent)
	}
	if !strings.Contains(log.String(), "the ring becomes shorter") {
		t.Errorf("log: %s", log.String())
	}
}
