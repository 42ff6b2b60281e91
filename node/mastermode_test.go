package node

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/node/ros"
)

// TestMasterNobodyNamed: without ROS_MASTER_URI the master is the usual one: the
// one that runs there, or ours.
func TestMasterNobodyNamed(t *testing.T) {
	for _, mode := range []MasterMode{MasterROS, MasterAuto} {
		conf := ros.Config{Host: "localhost"}
		stop, err := connectMaster(t.Context(), mode, &conf, zerolog.Nop())
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		if got := strings.TrimRight(conf.MasterURI, "/"); got != ros.DefaultMasterURI {
			t.Errorf("%s: master at %q", mode, got)
		}
		if mode == MasterAuto && !masterAnswers(t.Context(), conf.MasterURI) {
			t.Errorf("%s: nobody answers at %s", mode, conf.MasterURI)
		}
		stop()
	}
}
