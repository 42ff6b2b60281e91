package live

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/test/need"
	"rsros/test/rig"
)

// A camera under simulated time warns that it doesn't follow it.
func TestSimTimeIsSaid(t *testing.T) {
	master := rig.Master(t).URI()
	start := func() string {
		var log bytes.Buffer
		live, err := Start(t.Context(), Options{Streams: small, Log: zerolog.New(zerolog.SyncWriter(&log)).Level(zerolog.WarnLevel)}.at(master))
		need.Must(t, err)
		need.Must(t, live.Close())
		return log.String()
	}
	if log := start(); strings.Contains(log, "use_sim_time") {
		t.Errorf("without simulated time it says\n%s", log)
	}
	need.Must(t, rig.NodeAt(t, master, "judge").SetParam(t.Context(), "/use_sim_time", true))
	if log := start(); strings.Count(log, "/use_sim_time is true") != 1 {
		t.Errorf("under simulated time it says\n%s", log)
	}
}
