package record

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// TestTopicStatus checks that ~status has how the file is written and what never arrived, and that
// --all doesn't record ~status.
func TestTopicStatus(t *testing.T) {
	master := rig.Master(t).URI()
	n, _ := points(t, master, 1, 2, 5)
	var said atomic.Pointer[map[string]string]
	_, err := n.Subscribe(ros.SubscriberOptions{Topic: "/recorder/status"}, func(m ros.Received) {
		var s msgs.DiagnosticStatus
		if err := msgs.Unmarshal(m.Data, &s); err != nil {
			t.Error(err)
		}
		values := map[string]string{"": s.Message}
		for _, kv := range s.Values {
			values[kv.Key] = kv.Value
		}
		said.Store(&values)
	})
	need.Must(t, err)
	o := config(t, master, Options{All: true})
	o.ROS.Name = "recorder"
	r, ended := start(t, o)
	peer.Await(t, "a status with what is missing", func() bool {
		s := said.Load()
		return s != nil && strings.HasSuffix((*s)["/point"], " 2 lost before arrival") && strings.Contains((*s)["/point"], " 3 messages, ")
	})
	if s := *said.Load(); !strings.Contains(s["Written"], "the page cache") || s["Dropped"] != "0" || s["Files"] != "1" || s[""] != (&Recording{}).lostBefore() {
		t.Errorf("status %q", s)
	}
	if s := *said.Load(); s["Compression"] != "none" || s["Free bytes"] == "" || !strings.Contains(s["/point"], "geometry_msgs/PointStamped, 1 publisher, ") || !strings.HasSuffix(s["Total"], " 2 lost before arrival") {
		t.Errorf("figures %q", s)
	}
	if n := strings.Count(strings.Join(slices.Collect(maps.Keys(*said.Load())), " "), "Lost"); n != 0 {
		t.Errorf("a loss is named by itself, too: %q", *said.Load())
	}
	r.Stop()
	need.Must(t, <-ended)
	if got := recorded(t, o.Output); got["/point"] != 3 || got["/recorder/status"] != 0 {
		t.Errorf("recorded %v", got)
	}
}
