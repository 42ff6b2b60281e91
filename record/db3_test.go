package record

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/msgs"
	"rsros/program"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/rig"
)

// TestTopicsDB3 checks that topics are recorded as rosbag2 would, and read back unchanged. What ROS 2
// has no form for is left out and named.
func TestTopicsDB3(t *testing.T) {
	python := need.Python(t, "sqlite3")
	master := rig.Master(t).URI()
	talker(t, master, "/chatter", "hi")
	_, odd := advertise(t, master, ros.PublisherOptions{Topic: "/odd", Latch: true,
		Type: msgs.Type{Name: "odd_msgs/Odd", MD5: strings.Repeat("0", 32), Definition: "nowhere_msgs/Nothing x\n"}})
	odd.Publish(msgs.Raw{Head: []byte{1}})
	o := config(t, master, Options{Topics: []string{"chatter", "odd"}, Thinning: Thinning{Limit: []string{"1"}}, Output: filepath.Join(t.TempDir(), "x.db3")})
	if err := Topics(t.Context(), o); !errors.Is(err, program.ErrIncomplete) || !strings.Contains(err.Error(), "/odd") || strings.Contains(err.Error(), "/chatter") {
		t.Errorf("ended with %v", err)
	}
	out, err := exec.Command(python, "-c", `
import sqlite3, sys
c = sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True)
print(c.execute('PRAGMA integrity_check').fetchone()[0])
for name, kind, qos, data in c.execute('SELECT name, type, offered_qos_profiles, data FROM topics, messages WHERE topic_id = topics.id'):
    print(name, kind, 'durability: 1' in qos, data.hex())
`, o.Output).CombinedOutput()
	if want := "ok\n/chatter std_msgs/msg/String True 0001000003000000686900\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
	bag, err := recording.Open(o.Output, bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close()
	v := bag.View(bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	if !it.Next() || string(it.Message().Data) != "\x02\x00\x00\x00hi" || !it.Message().Conn.Latching {
		t.Errorf("message %v, %v", it.Message(), it.Err())
	}
}

// TestTopicsDB3Options checks that options that a .db3 can't have are refused.
func TestTopicsDB3Options(t *testing.T) {
	for name, o := range map[string]Options{
		"compressed": {All: true, Output: "x.db3", Bag: bagstore.Options{Compression: bagstore.LZ4}},
		"zstd":       {All: true, Output: "x.db3", Bag: bagstore.Options{Compression: bagstore.Zstd}},
		"a bag":      {All: true, Output: "x.bag", DB3: true},
		"an MCAP":    {All: true, Output: "x.mcap", DB3: true},
		"BZ2":        {All: true, Output: "x.mcap", Bag: bagstore.Options{Compression: bagstore.BZ2}},
	} {
		if err := Topics(t.Context(), o); !errors.Is(err, program.ErrUsage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
