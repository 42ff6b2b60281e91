package topicfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/ros"
	"rsros/test/need"
)

// TestFormats writes messages of both ROS into each format, and reads them. What the format can't represent is left out
// and counted, and every message is given back.
func TestFormats(t *testing.T) {
	one := ros.Header{"type": "std_msgs/String", "md5sum": msgs.MustType("std_msgs/String").MD5, "message_definition": "string data\n", "callerid": "/one", "latching": "1"}
	definition, hash, _ := ros2.Describe("std_msgs/msg/String")
	two := Header(bagstore.Topic{Type: "std_msgs/msg/String", Hash: hash, CallerID: "/two", QoS: "- durability: 1\n", Schema: bagstore.Schema{Text: definition}})
	odd := Header(bagstore.Topic{Type: "odd_msgs/msg/Odd", Hash: "RIHS01_1", CallerID: "/odd"})
	if !IsROS2(two) || IsROS2(one) || two["latching"] != "1" {
		t.Fatalf("headers %v, %v", one, two)
	}
	cdr := []byte("\x00\x01\x00\x00\x03\x00\x00\x00hi\x00\x00") // with RTPS's padding
	plain := []byte("\x02\x00\x00\x00hi")
	for _, c := range []struct {
		ext  string
		ros2 bool
		left int // topics that are left out
	}{{Bag, true, 1}, {DB3, true, 0}, {MCAP, true, 0}, {MCAP, false, 0}} {
		t.Run(fmt.Sprint(c.ext, c.ros2), func(t *testing.T) {
			left := bagstore.Losses{}
			path := filepath.Join(t.TempDir(), "x"+c.ext)
			f, err := Create(path, c.ext, Options{ROS2: c.ros2, Left: left, IDs: IDs{}, Bag: bagstore.Options{NoSync: true}})
			need.Must(t, err)
			lent := 0
			write := func(topic string, h ros.Header, at bagstore.Time, data []byte) error {
				lent++
				return f.Message(topic, h, at, func() { lent-- }, data)
			}
			want := map[string]int{"/one": 2, "/two": 1}
			need.Must(t, write("/one", one, 1e9, plain))
			if c.ros2 {
				need.Must(t, write("/two", two, 2e9, cdr))
				if err := write("/odd", odd, 3e9, cdr); (err != nil) != (c.left > 0) || err != nil && !errors.Is(err, camdriver.ErrUnsupported) {
					t.Errorf("a type without a definition: %v", err)
				} else if err == nil {
					want["/odd"] = 1
				}
			} else {
				delete(want, "/two")
			}
			need.Must(t, write("/one", one, 4e9, plain))
			need.Must(t, f.CheckpointIfDue())
			need.Must(t, f.Close())
			if kept := f.Kept(); lent != 0 || fmt.Sprint(kept.Topics) != fmt.Sprint(want) || len(left) != c.left {
				t.Errorf("%d messages are still lent, %v kept of %v, left out: %s", lent, kept.Topics, want, left)
			}
			bag, err := recording.Open(path, bagstore.OpenOptions{})
			need.Must(t, err)
			defer bag.Close() //nolint:errcheck // only read
			v := bag.View(bagstore.Query{})
			it := v.Iterator()
			defer it.Close() //nolint:errcheck // only read
			var got []string
			for it.Next() {
				m := it.Message()
				if m.Conn.Topic == "/odd" {
					continue
				}
				if string(m.Data) != string(plain) || m.Conn.Type != "std_msgs/String" || !m.Conn.Latching {
					t.Errorf("%s: %q, %+v", m.Conn.Topic, m.Data, m.Conn)
				}
				got = append(got, fmt.Sprint(m.Conn.Topic, int64(m.Time)/1e9))
			}
			need.Must(t, it.Err())
			text := "/one1 /two2 /one4"
			if !c.ros2 {
				text = "/one1 /one4"
			}
			if strings.Join(got, " ") != text {
				t.Errorf("read %q, want %q", got, text)
			}
		})
	}
}
