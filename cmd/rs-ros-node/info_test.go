package main

import (
	"encoding/json"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/samplebag"
)

// The RealSense part is printed on request only, so that parsers of rosbag info's text can read ours;
// JSON always includes it.
func TestInfoOfARealSenseBag(t *testing.T) {
	bag := samplebag.SDK(t, "sw_small_raw.bag", "walk.bag")
	stock := want(t, exitOK, "info", bag)
	if strings.Contains(stock, "sensor 0") {
		t.Errorf("unasked:\n%s", stock)
	}
	rest, ok := strings.CutPrefix(want(t, exitOK, "info", "--realsense", bag), stock)
	if !ok || !strings.Contains(rest, "sensor 0:  Stereo Module") || !strings.Contains(rest, "Depth_0 Z16 64x48@30: ") {
		t.Errorf("with --realsense:\n%s", rest)
	}
	var all struct {
		Messages  int
		RealSense *struct {
			Version int
			Sensors []struct {
				Streams []struct {
					Stream  string
					Frames  int
					Missing *int
				}
			}
		}
	}
	read := func(args ...string) {
		t.Helper()
		all.RealSense = nil
		need.Must(t, json.Unmarshal([]byte(want(t, exitOK, append([]string{"info", "--json"}, args...)...)), &all))
	}
	read(bag)
	if rs := all.RealSense; all.Messages == 0 || rs == nil || rs.Sensors[0].Streams[0].Stream != "Depth_0" ||
		rs.Sensors[0].Streams[0].Frames == 0 || rs.Sensors[0].Streams[0].Missing != nil {
		t.Errorf("%+v", all)
	}
	read("--realsense", bag)
	if rs := all.RealSense; rs == nil || rs.Sensors[0].Streams[0].Missing == nil {
		t.Errorf("with --realsense: %+v", all)
	}
	other := samplebag.Walk(t, "other.bag")
	if out := want(t, exitOK, "info", "--json", other); strings.Contains(out, "realsense") {
		t.Errorf("of a bag without the layout:\n%s", out)
	}
	has(t, want(t, exitOK, "info", "--realsense", other), "no topics of that layout")
}
