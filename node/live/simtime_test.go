package live

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/ros"
	"rsros/test/rig"
)

// A camera under simulated time warns that it doesn't follow it.
func TestSimTimeIsSaid(t *testing.T) {
	m := rig.Master(t)
	conf := ros.Config{Name: "camera", MasterURI: m.URI(), Host: "127.0.0.1"}
	start := func() string {
		var log bytes.Buffer
		live, err := Start(t.Context(), Options{
			ROS: conf, Source: SourceOptions{Device: "sim"}, Log: zerolog.New(zerolog.SyncWriter(&log)).Level(zerolog.WarnLevel),
			Streams: StreamSettings{
				{Kind: camdriver.Depth}:              {Width: 424, Height: 240, FPS: 6},
				{Kind: camdriver.Color}:              {Off: true},
				{Kind: camdriver.Infrared, Index: 1}: {Off: true},
				{Kind: camdriver.Infrared, Index: 2}: {Off: true},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := live.Close(); err != nil {
			t.Fatal(err)
		}
		return log.String()
	}
	if log := start(); strings.Contains(log, "use_sim_time") {
		t.Errorf("without simulated time it says\n%s", log)
	}
	conf.Name = "judge"
	n, err := ros.NewNode(t.Context(), conf)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close() //nolint:errcheck // at the end
	if err := n.SetParam(t.Context(), "/use_sim_time", true); err != nil {
		t.Fatal(err)
	}
	conf.Name = "camera"
	if log := start(); strings.Count(log, "/use_sim_time is true") != 1 {
		t.Errorf("under simulated time it says\n%s", log)
	}
}
