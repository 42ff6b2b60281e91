package record

import (
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/ros"
	"rsros/test/peer"
	"rsros/test/rig"
)

// TestDuplicatesAreSaid checks that a recording of all topics says once what comes twice.
func TestDuplicatesAreSaid(t *testing.T) {
	master := rig.Master(t).URI()
	n, _ := advertise(t, master, ros.PublisherOptions{Topic: "/image", Type: msgs.MustType("sensor_msgs/Image")})
	if _, err := n.Advertise(ros.PublisherOptions{Topic: "/image/compressed", Type: msgs.MustType("sensor_msgs/CompressedImage")}); err != nil {
		t.Fatal(err)
	}
	var log rig.Log
	o := config(t, master, Options{All: true})
	o.Log = zerolog.New(&log)
	r, ended := start(t, o)
	const want = "such as /image/compressed from /image: leave them out with -x '.*/compressed'"
	peer.Await(t, want, func() bool { return log.Count(want) == 1 && len(r.Figures().Advice) == 1 })
	talker(t, master, "/later", "hi") // the list changes, and is looked at again
	peer.Await(t, "another topic", func() bool { return r.Figures().Row("/later").Messages == 1 })
	r.Stop()
	if err := <-ended; err != nil || log.Count(want) != 1 {
		t.Errorf("%v, log\n%s", err, &log)
	}
}
