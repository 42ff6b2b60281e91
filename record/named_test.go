package record

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/program"
	"rsros/ros"
	"rsros/ros/xmlrpc"
	"rsros/test/peer"
	"rsros/test/rig"
)

// TestNobodyPublishes checks that a topic that the user has named and nobody publishes is named while it is awaited and at
// the end, and that others aren't. A publisher that can't be reached is a loss, and so is a recording without any message.
func TestNobodyPublishes(t *testing.T) {
	for name, c := range map[string]struct {
		o               Options
		early, silently string
		ends            string // the error
	}{
		"names": {Options{Topics: []string{"/chatter", "/quiet", "/chater", "/dead"}}, "nobody publishes /chater yet: ",
			"no message of /chater came: nobody published it", "publishers of /dead were never reached"},
		"nothing": {Options{Topics: []string{"/chater"}}, "nobody publishes /chater yet: ", "no message of /chater came: nobody published it", "no message came"},
		"expressions": {Options{Topics: []string{"/chat.*", "/cam.*"}, Regex: true}, "nobody publishes a topic that matches /cam.* yet: ",
			"nobody published a topic that matches /cam.*", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			master := rig.Master(t).URI()
			talker(t, master, "/chatter", "hi")
			advertise(t, master, ros.PublisherOptions{Topic: "/quiet", Type: msgs.MustType("std_msgs/String")})
			if _, err := xmlrpc.Call(t.Context(), http.DefaultClient, master, "registerPublisher", "/stranger", "/dead", "std_msgs/String", "http://127.0.0.1:1/"); err != nil {
				t.Fatal(err)
			}
			var log rig.Log
			o := config(t, master, c.o)
			o.Log = zerolog.New(&log)
			r, ended := start(t, o)
			peer.Await(t, c.early, func() bool { return log.Count(c.early) == 1 })
			peer.Await(t, "a message", func() bool { return name == "nothing" || r.Figures().Row("/chatter").Messages == 1 })
			r.Stop()
			if err := <-ended; (err == nil) != (c.ends == "") || err != nil && (!errors.Is(err, program.ErrIncomplete) || !strings.HasSuffix(err.Error(), ": "+c.ends)) {
				t.Errorf("ended with %v, want %q", err, c.ends)
			}
			if log.Count(c.silently) != 1 || log.Count("nobody publishes") != 1 || log.Count("no message of /chatter") != 0 {
				t.Errorf("log\n%s", &log)
			}
			if name == "names" && log.Count(`no message of /quiet came"`) != 1 {
				t.Errorf("log\n%s", &log)
			}
		})
	}
}
