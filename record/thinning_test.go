package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/rig"
)

// TestThinning checks that a topic is recorded at no more than a rate, and as one message in N.
func TestThinning(t *testing.T) {
	absolute := func(name string) (string, error) {
		if strings.Contains(name, "-") {
			return "", errors.New("a bad name")
		}
		return "/" + strings.TrimPrefix(name, "/"), nil
	}
	thin, err := Thinning{Limit: []string{"imu=10", "7"}, Every: []string{"/points=3"}}.parse(absolute)
	need.Must(t, err)
	for topic, want := range map[string]string{"/imu": "0 10 20 30 40 50 60", "/points": "0 3 6 9 12 15 18", "/tf": "0 1 2 3 4 5 6"} {
		f, got := thin.of(topic), ""
		for n := range 100 {
			ok, full := f.passes(int64(n) * 1e7)
			if ok {
				got += fmt.Sprintf(" %d", n)
			}
			if ok && full != (strings.Count(got, " ") == 7) {
				t.Errorf("%s is full: %v at %d", topic, full, n)
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s: recorded%s, want %s", topic, got, want)
		}
	}
	for _, bad := range []Thinning{{Limit: []string{"x"}}, {Limit: []string{"/x=0"}}, {Limit: []string{"-1"}}, {Limit: []string{"a-b=1"}}, {Every: []string{"/x"}}, {Every: []string{"/x=0"}}, {Every: []string{"a-b=1"}}} {
		if _, err := bad.parse(absolute); !errors.Is(err, program.ErrUsage) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestStampsAsTimes checks that with header stamps as record times, messages without a header keep
// their arrival time.
func TestStampsAsTimes(t *testing.T) {
	master := rig.Master(t).URI()
	talker(t, master, "/chatter", "hi")
	_, p := advertise(t, master, ros.PublisherOptions{Topic: "/point", Type: msgs.MustType("geometry_msgs/PointStamped"), Latch: true})
	at := binary.LittleEndian.AppendUint32([]byte{1, 0, 0, 0}, 1_600_000_000)
	p.Publish(msgs.Raw{Head: append(at, make([]byte, 32)...)})
	before := bagstore.TimeOf(time.Now())
	o := config(t, master, Options{Topics: []string{"/point", "/chatter"}, Thinning: Thinning{Limit: []string{"1"}}, Time: "stamp"})
	need.Must(t, Topics(t.Context(), o))
	each(t, o.Output, func(m bagstore.Message) {
		stamped := m.Conn.Topic == "/point"
		if stamped != (m.Time == bagstore.NewTime(1_600_000_000, 0)) || !stamped && m.Time < before {
			t.Errorf("%+v at %v", m.Conn, m.Time)
		}
	})
}

// TestKeep checks that the oldest files are removed when the recording exceeds its limit.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	s := secondsOf(t, Options{Split: true, MaxTime: time.Hour, Keep: 25}, filepath.Join(dir, "walk"), zerolog.Nop())
	for range 6 {
		need.Must(t, s.next())
		s.say("ten bytes!")
	}
	need.Must(t, s.end())
	left, _ := os.ReadDir(dir)
	if len(left) != 3 || left[0].Name() != "walk_3.bag" {
		t.Errorf("left %v", left)
	}
}
