package record

import (
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

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
			var log rig.Log
			o := config(t, master, c.o)
			o.Log = zerolog.New(&log)
			r, ended := start(t, o)
			peer.Await(t, c.early, func() bool { return log.Count(c.early) == 1 })
			peer.Await(t, "a message", func() bool { return r.Figures().Row("/chatter").Messages == 1 })
			r.Stop()
			need.Must(t, <-ended)
			if log.Count(c.silently) != 1 || log.Count("nobody publishes") != 1 || log.Count("no message of /chatter") != 0 {
				t.Errorf("log\n%s", &log)
			}
			if name == "names" && log.Count(`no message of /quiet came"`) != 1 {
				t.Errorf("log\n%s", &log)
			}
		})
	}
}
