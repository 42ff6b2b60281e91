package live

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/view"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/test/rig"
	"rsros/test/visitor"
	"rsros/viewer/guard"
	"rsros/viewer/wire"
)

// The viewer of a live node and the node's services control one machine: each sees the other's changes.
func TestViewers(t *testing.T) {
	m := rig.Master(t)
	dir := t.TempDir()
	live, err := Start(t.Context(), Options{
		ROS:    ros.Config{Name: "walk", MasterURI: m.URI(), Host: "127.0.0.1"},
		Source: SourceOptions{Device: rig.MapBag(t), Loop: true}, RecordPath: dir, HTTP: view.Access{Access: guard.Access{Address: "127.0.0.1:0"}}, Log: zerolog.New(zerolog.NewTestWriter(t)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := live.Close(); err != nil {
			t.Error(err)
		}
	}()
	n, err := ros.NewNode(t.Context(), ros.Config{Name: "onlooker", MasterURI: m.URI(), Host: "127.0.0.1", Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close() //nolint:errcheck // at the end
	conn, _, err := websocket.Dial(t.Context(), live.ViewerURL()+"api/ws", &websocket.DialOptions{Subprotocols: []string{wire.Subprotocol}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow() //nolint:errcheck // at the end
	conn.SetReadLimit(1 << 20)
	await := func(op string, is func(map[string]any) bool) {
		t.Helper()
		for {
			_, text, err := conn.Read(t.Context())
			var message map[string]any
			if err == nil {
				err = json.Unmarshal(text, &message)
			}
			if err != nil {
				t.Fatalf("%s: %v", op, err)
			}
			if message["op"] == op && is(message) {
				return
			}
		}
	}
	send := func(text string) {
		t.Helper()
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	await("hello", func(m map[string]any) bool { return m["source"].(map[string]any)["kind"] == "file" })
	var answer msgs.Result
	ask(t, n, "/walk/pause_playback", "std_srvs/SetBool", &msgs.Bool{Data: true}, &answer)
	await("state", func(m map[string]any) bool { return m["playing"] == false })
	send(`{"op":"play","id":1}`)
	await("answer", func(m map[string]any) bool { return m["ok"] == true })
	ask(t, n, "/walk/pause_playback", "std_srvs/SetBool", &msgs.Bool{Data: true}, &answer)
	if !answer.Success {
		t.Errorf("it plays on the page, and pausing says %+v", answer)
	}
	ask(t, n, "/walk/start_recording", "std_srvs/Trigger", nil, &answer)
	await("record", func(m map[string]any) bool { return m["on"] == true })
	send(`{"op":"record.stop","id":2}`)
	await("answer", func(m map[string]any) bool { return m["ok"] == true })
	await("record", func(m map[string]any) bool { return m["on"] == false })
	if made, err := filepath.Glob(filepath.Join(dir, "*.bag")); err != nil || len(made) != 1 {
		t.Errorf("recordings %v, %v", made, err)
	}
	foxglove, _, err := websocket.Dial(t.Context(), live.ViewerURL(), &websocket.DialOptions{Subprotocols: []string{"foxglove.sdk.v1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer foxglove.CloseNow() //nolint:errcheck // at the end
	if _, text, err := foxglove.Read(t.Context()); err != nil || !strings.Contains(string(text), `"serverInfo"`) {
		t.Errorf("Foxglove was told %s, %v", text, err)
	}
	send(`{"op":"open","id":3,"device":"sim"}`)
	await("answer", func(m map[string]any) bool { return m["ok"] == false })
}

// Viewers can choose a camera, also one that joins later: they see its streams, and record it to its
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
	page.Source(func(s *wire.Source) bool { return s.Name == "front" && s.Device == "front" })
	var answer msgs.Result
	ask(t, n, "/camera_node/rear/plug", "std_srvs/SetBool", &msgs.Bool{Data: true}, &answer)
	list := page.Await(func(m visitor.Message) bool { return m.Op == "candidates" }).Devices
	if len(list) != 2 || list[0].ID != "front" || list[1].ID != "rear" || !strings.HasPrefix(list[1].Name, "rear (") {
		t.Errorf("the devices to choose from are %v", list)
	}
	page.Send(`{"op":"open","id":1,"device":"rear"}`)
	ids := page.Source(func(s *wire.Source) bool {
		return s.Device == "rear" && slices.Contains(s.Info, [2]string{"Serial Number", "11"})
	})
	page.Subscribe(ids["Depth_0"])
	page.Await(func(m visitor.Message) bool { return m.Body != nil })
	page.Must(2, "record.start", `,"name":"turn"`)
	page.Must(3, "record.stop", "")
	if got := serialOf(t, filepath.Join(folder, "turn.bag")); got != "11" {
		t.Errorf("the recording is of camera %s", got)
	}
	page.Must(4, "open", `,"device":"front"`)
	if m := page.Ask(5, "open", `,"device":"left"`); m.OK {
		t.Error("a camera that isn't there was opened")
	}
	late := visitor.DialViewer(t, live.ViewerURL())
	hello := late.Await(func(m visitor.Message) bool { return m.Op == "hello" })
	if len(hello.Devices) != 2 || hello.Source == nil || hello.Source.Device != "front" {
		t.Errorf("who comes late sees %+v of %v", hello.Source, hello.Devices)
	}
}
