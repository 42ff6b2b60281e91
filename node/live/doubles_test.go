package live

import (
	"context"
	"testing"

	"github.com/rs/zerolog"

	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// TestTwoCamerasOfOneName checks that both nodes warn, and that the second leaves the services to the
// first.
func TestTwoCamerasOfOneName(t *testing.T) {
	master := rig.Master(t).URI()
	start := func(name string) *rig.Log {
		log := new(rig.Log)
		n, err := Start(t.Context(), Options{ROS: ros.Config{Name: name}, Streams: small, Log: zerolog.New(log)}.at(master))
		need.Must(t, err)
		t.Cleanup(func() {
			need.Must(t, n.Close())
		})
		return log
	}
	onlooker, err := graph.Join(t.Context(), graph.JoinOptions{ROS: graph.Config{Name: "onlooker", MasterURI: master, Host: "127.0.0.1"}})
	need.Must(t, err)
	defer onlooker.Close() //nolint:errcheck // at the end
	const shared = "/camera/stereo_module/set_parameters"
	provider := func() string {
		ctx, cancel := context.WithTimeout(t.Context(), peer.Patience)
		defer cancel()
		name, err := onlooker.ServiceProvider(ctx, shared)
		need.Must(t, err)
		return name
	}
	first := start("first")
	peer.Await(t, "the first camera's service", func() bool { return provider() == "/first" })
	second := start("second")
	peer.Await(t, "the first camera's warning", func() bool { return first.Count("/second") > 0 })
	peer.Await(t, "the second camera's warning", func() bool { return second.Count("/first") > 0 })
	if second.Count(shared[1:]) == 0 {
		t.Error("the second camera doesn't say that a service is left to the first one")
	}
	if by := provider(); by != "/first" {
		t.Errorf("%s is provided by %q", shared, by)
	}
}
