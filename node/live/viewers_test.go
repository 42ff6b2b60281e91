package live

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/node/view"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/rig"
	"rsros/test/visitor"
	"rsros/viewer/api"
	"rsros/viewer/guard"
)

// The viewer of a live node and the node's services control one machine: each sees the other's changes.
func TestViewers(t *testing.T) {
	master, dir := rig.Master(t).URI(), t.TempDir()
	live := startAt(t, master, Options{
		ROS:    ros.Config{Name: "walk"},
		Source: SourceOptions{Device: rig.MapBag(t), Loop: true}, RecordPath: dir, HTTP: view.Access{Access: guard.Access{Address: "127.0.0.1:0"}},
	})
	n := rig.NodeAt(t, master, "onlooker")
	page := visitor.DialViewer(t, live.ViewerURL())
	await := func(op string, is func(visitor.Object) bool) {
		t.Helper()
		for !is(page.Text(op)) { //nolint:revive // waits
		}
	}
	await("hello", func(m visitor.Object) bool { return m["source"].(visitor.Object)["kind"] == "file" })
	rig.SetBool(t, n, "/walk/pause_playback", true)
	await("state", func(m visitor.Object) bool { return m["playing"] == false })
	page.Must("play", nil)
	rig.SetBool(t, n, "/walk/pause_playback", true)
	rig.Trigger(t, n, "/walk/start_recording")
	await("record", func(m visitor.Object) bool { return m["on"] == true })
	page.Must("record.stop", nil)
	await("record", func(m visitor.Object) bool { return m["on"] == false })
	if made, err := filepath.Glob(filepath.Join(dir, "*.bag")); err != nil || len(made) != 1 {
		t.Errorf("recordings %v, %v", made, err)
	}
	visitor.DialFoxglove(t, "ws"+strings.TrimPrefix(live.ViewerURL(), "http")).AwaitOp("serverInfo")
	if _, ok := page.Ask("open", visitor.Object{"device": "sim"}); ok {
		t.Error("another device was opened")
	}
}

// Viewers see all cameras, also one that joins later, and can choose one: they see its streams, and record it to its
// own path.
func TestViewersChoose(t *testing.T) {
	folder := t.TempDir()
	live, n := startTestLive(t, Options{
		Devices: []string{"sim:22", "sim:11"}, Cameras: []string{"front", "rear"},
		HTTP:   view.Access{Access: guard.Access{Address: "127.0.0.1:0"}},
		Source: SourceOptions{Wait: -1, Retry: 10 * time.Millisecond},
		ROS:    ros.Config{PrivateParams: graph.Params{"rear": map[string]any{"unplugged": true, "record_path": folder + "/"}}},
	})
	page := visitor.DialViewer(t, live.ViewerURL())
	page.Source(func(s *api.Source) bool { return s.Name == "front" && s.Device == "front" })
	rig.SetBool(t, n, "/camera_node/rear/plug", true)
	list := page.Await(func(m visitor.Message) bool { return m.Op == "candidates" }).Devices
	if len(list) != 3 || list[1].ID != "front" || list[2].ID != "rear" || !strings.HasPrefix(list[2].Name, "rear (") {
		t.Fatalf("the devices to choose from are %v", list)
	}
	page.Source(func(s *api.Source) bool { return s.Name == "front, rear" && s.Device == list[0].ID })
	page.Send("open", visitor.Object{"id": -1, "device": "rear"})
	ids := page.Source(func(s *api.Source) bool {
		return s.Device == "rear" && slices.Contains(s.Info, [2]string{"Serial Number", "11"})
	})
	page.Subscribe(ids["Depth_0"])
	page.Await(func(m visitor.Message) bool { return m.Body != nil })
	page.Must("record.start", visitor.Object{"name": "turn"})
	page.Must("record.stop", nil)
	if got := serialOf(t, filepath.Join(folder, "turn.bag")); got != "11" {
		t.Errorf("the recording is of camera %s", got)
	}
	page.Must("open", visitor.Object{"device": "front"})
	if _, ok := page.Ask("open", visitor.Object{"device": "left"}); ok {
		t.Error("a camera that isn't there was opened")
	}
	late := visitor.DialViewer(t, live.ViewerURL())
	hello := late.Await(func(m visitor.Message) bool { return m.Op == "hello" })
	if len(hello.Devices) != 3 || hello.Source == nil || hello.Source.Device != "front" {
		t.Errorf("who comes late sees %+v of %v", hello.Source, hello.Devices)
	}
}
