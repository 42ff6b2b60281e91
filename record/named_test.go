package record

import (
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros"
	"rsros/test/peer"
	"rsros/test/rig"
)

// lines has a recording's log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

// TestNobodyPublishes checks that a topic that the user has named and nobody publishes is named while it is awaited and at
// the end, and that others aren't.
func TestNobodyPublishes(t *testing.T) {
	for name, c := range map[string]struct {
		o               Options
		early, silently string
	}{
		"names": {Options{Topics: []string{"/chatter", "/quiet", "/chater"}}, "nobody publishes /chater yet: ",
			"no message of /chater came: nobody published it"},
		"expressions": {Options{Topics: []string{"/chat.*", "/cam.*"}, Regex: true}, "nobody publishes a topic that matches /cam.* yet: ",
			"nobody published a topic that matches /cam.*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			master := rig.Master(t).URI()
			talker(t, master, "/chatter", "hi")
			advertise(t, master, ros.PublisherOptions{Topic: "/quiet", Type: msgs.MustType("std_msgs/String")})
			var log lines
			o := config(t, master, c.o)
			o.Log = zerolog.New(&log)
			r, ended := start(t, o)
			peer.Await(t, c.early, func() bool { return log.count(c.early) == 1 })
			peer.Await(t, "a message", func() bool { return r.Figures().Row("/chatter").Messages == 1 })
			r.Stop()
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if log.count(c.silently) != 1 || log.count("nobody publishes") != 1 || log.count("no message of /chatter") != 0 {
				t.Errorf("log\n%s", &log.text)
			}
			if name == "names" && log.count(`no message of /quiet came"`) != 1 {
				t.Errorf("log\n%s", &log.text)
			}
		})
	}
}
