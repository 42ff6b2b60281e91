package graph

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/node/ros"
)

// TestMasterNobodyNamed: without ROS_MASTER_URI the master is the usual one: the
// one that runs there, or ours.
func TestMasterNobodyNamed(t *testing.T) {
	for _, mode := range []Mode{ROS, Auto} {
		conf := ros.Config{Host: "localhost"}
		stop, err := connect(t.Context(), mode, &conf, zerolog.Nop())
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		if got := strings.TrimRight(conf.MasterURI, "/"); got != ros.DefaultMasterURI {
			t.Errorf("%s: master at %q", mode, got)
		}
		if mode == Auto && !masterAnswers(t.Context(), conf.MasterURI) {
			t.Errorf("%s: nobody answers at %s", mode, conf.MasterURI)
		}
		stop()
	}
}

func TestListenAddress(t *testing.T) {
	for in, want := range map[string]string{
		"http://localhost:11311/": ":11311", "http://10.0.0.1:1234": ":1234", "127.0.0.1:0": ":0", ":11311": ":11311",
	} {
		if got, err := listenAddress(in); err != nil || got != want {
			t.Errorf("listenAddress(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, bad := range []string{"", "localhost", "http://localhost/", "host:port"} {
		if got, err := listenAddress(bad); err == nil {
			t.Errorf("listenAddress(%q) = %q, want an error", bad, got)
		}
	}
}
