package live

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/peer"
	"rsros/test/rig"
)

// logText is a log that can be read while it is written.
type logText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logText) holds(text string) func() bool {
	return func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return strings.Contains(l.b.String(), text)
	}
}

// TestTwoCamerasOfOneName checks that both nodes warn, and that the second leaves the services to the
// first.
func TestTwoCamerasOfOneName(t *testing.T) {
	master := rig.Master(t).URI()
	start := func(name string) *logText {
		log := &logText{}
		n, err := Start(t.Context(), Options{ROS: ros.Config{Name: name}, Streams: small, Log: zerolog.New(log)}.at(master))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := n.Close(); err != nil {
				t.Error(err)
			}
		})
		return log
	}
	onlooker, err := graph.Join(t.Context(), graph.JoinOptions{ROS: graph.Config{Name: "onlooker", MasterURI: master, Host: "127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer onlooker.Close() //nolint:errcheck // at the end
	const shared = "/camera/stereo_module/set_parameters"
	provider := func() string {
		ctx, cancel := context.WithTimeout(t.Context(), peer.Patience)
		defer cancel()
		name, err := onlooker.ServiceProvider(ctx, shared)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	first := start("first")
	peer.Await(t, "the first camera's service", func() bool { return provider() == "/first" })
	second := start("second")
	peer.Await(t, "the first camera's warning", first.holds("/second"))
	peer.Await(t, "the second camera's warning", second.holds("/first"))
	if !second.holds(shared[1:])() {
		t.Error("the second camera doesn't say that a service is left to the first one")
	}
	if by := provider(); by != "/first" {
		t.Errorf("%s is provided by %q", shared, by)
	}
}
