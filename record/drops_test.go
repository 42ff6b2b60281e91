package record

import (
	"errors"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/recording"
	"rsros/program"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/tools/info"
)

// TestDropsAreRecorded checks that a recording, also a .db3, states what was dropped of each topic.
func TestDropsAreRecorded(t *testing.T) {
	for _, name := range []string{"x.bag", "x.db3"} {
		t.Run(name, func(t *testing.T) {
			master := rig.Master(t).URI()
			for _, topic := range []string{"/a", "/b"} {
				talker(t, master, topic, "hi")
			}
			o := config(t, master, Options{
				Topics: []string{"/a", "/b", "/silent"}, MinSpace: 1 << 60, Output: filepath.Join(t.TempDir(), name), // no disk has so much room
			})
			o.ROS.Name = "recorder"
			r, ended := start(t, o)
			peer.Await(t, "two drops", func() bool { return r.Figures().Lost == 2 })
			r.Stop()
			if err := <-ended; !errors.Is(err, program.ErrIncomplete) {
				t.Fatal(err)
			}
			bag, err := recording.Open(o.Output, bagstore.OpenOptions{})
			need.Must(t, err)
			defer bag.Close() //nolint:errcheck // only read
			list := info.Losses(t.Context(), bag)
			if len(list) != 2 || list[0] != (info.Loss{Topic: "/a", Recorder: "/recorder", Dropped: 1}) || list[1].Topic != "/b" {
				t.Errorf("the recording tells of %v", list)
			}
		})
	}
}
