package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// TestPlayManyTopics checks that rosmaster accepts the registrations of many topics, which are batched,
// and that they are unregistered at the end.
func TestPlayManyTopics(t *testing.T) {
	g := onRoscore(t)
	const topics = 300
	path := filepath.Join(t.TempDir(), "many.bag")
	w := samplebag.Create(t, path, bagstore.Options{})
	for i := range topics {
		w.Put(samplebag.Topic(fmt.Sprint("/many/t", i), "std_msgs/String"), bagstore.Time(1e18)+bagstore.Time(i), []byte{1, 0, 0, 0, 'x'})
	}
	w.Done()
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
}
