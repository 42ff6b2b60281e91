package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/peer"
)

// TestPlayManyTopics checks that rosmaster accepts the registrations of many topics, which are batched,
// and that they are unregistered at the end.
func TestPlayManyTopics(t *testing.T) {
	onEachMaster(t, func(t *testing.T, g *graph) {
		const topics = 300
		path := filepath.Join(t.TempDir(), "many.bag")
		w, err := rosbag.Create(path, bagstore.Options{})
		need.Must(t, err)
		text := msgs.MustType("std_msgs/String")
		for i := range topics {
			id, err := w.AddConnection(bagstore.Connection{Topic: fmt.Sprint("/many/", "t", i), Type: text.Name, MD5: text.MD5, Definition: text.Definition})
			need.Must(t, err)
			need.Must(t, w.Write(id, bagstore.Time(1e18)+bagstore.Time(i), []byte{1, 0, 0, 0, 'x'}))
		}
		need.Must(t, w.Close())
		count := func() int {
			list, _ := g.ask("getPublishedTopics", "/many").([]any)
			return len(list)
		}
		play := g.start(peer.Program(t), "play", "--keep-alive", path)
		peer.Await(t, "all topics", func() bool { return count() == topics })
		if code := play.Interrupt(); code != 0 {
			t.Errorf("play ended with %d: %s", code, play.Output())
		}
		if n := count(); n != 0 {
			t.Errorf("the master still has %d topics", n)
		}
	})
}
