package viewer

import (
	"strings"
	"testing"

	"rsros/test/visitor"
)

// The marks of a recording are found while a viewer watches it, and later viewers get them at once.
func TestMarks(t *testing.T) {
	_, v, hello := start(t, Options{}, "../test/data/librealsense/sw_small_pause.bag")
	if list := hello["source"].(object)["marks"].([]any); len(list) > 0 {
		t.Errorf("marks without a search: %v", list)
	}
	depth := streams(hello["source"])["Depth_0"]
	v.Subscribe(depth)
	check := func(list any) {
		t.Helper()
		for _, m := range list.([]any) {
			m := m.(object)
			if m["kind"] == "loss" && m["stream"] == float64(depth) && strings.HasPrefix(m["text"].(string), "20 frames missing") {
				return
			}
		}
		t.Errorf("no mark for the frames that are missing: %v", list)
	}
	check(v.Text("marks")["marks"])
	check(visitor.DialViewer(t, v.Page).Text("hello")["source"].(object)["marks"])
}
