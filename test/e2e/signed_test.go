package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"rsros/test/bucket"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
	"rsros/test/visitor"
	"rsros/viewer/api"
)

// TestSignedAddress: nodes that play a recording from a signed address show the signature nowhere: in their logs, their
// topics and parameters, the page and what it is told, and to Foxglove.
func TestSignedAddress(t *testing.T) {
	need.Programs(t, stockTools...)
	b, g := bucket.Start(t), newGraph(t)
	g.startRoscore()
	b.Put("walk.bag", samplebag.Data(t, "sw_small_lz4.bag"))
	signed := b.Signed(t, "walk.bag")
	rosout := g.start("rostopic", "echo", "/rosout")
	peer.Await(t, "two subscribers of /rosout", func() bool { return len(g.nodesOf(subscribers, "/rosout")) == 2 })
	for name, args := range map[string][]string{
		"play":      {"play", "--loop", signed, "--http=127.0.0.1:0", "__name:=node"},
		"live":      {"live", "--device", signed, "--loop", "--http=127.0.0.1:0", "__name:=node"},
		"parameter": {"live", "_device:=" + signed, "--loop", "--http=127.0.0.1:0", "__name:=node"},
		"view":      {"view", "--no-open", signed},
	} {
		t.Run(name, func(t *testing.T) {
			g := g.in(t)
			before := len(rosout.Output())
			node := g.start(peer.Program(t), append(args, "--log-level=debug")...)
			page := "http" + strings.TrimPrefix(foxgloveURL(t, node), "ws")
			said := map[string]string{"page": get(t, page), "list": get(t, page+"api/files"), "socket": told(t, page)}
			if name != "view" {
				said["parameters"] = g.run("rosparam", "dump")
				said["status"] = g.run("rostopic", "echo", "-n1", "/node/status")
				said["node"] = g.run("rosnode", "info", "/node")
				c := visitor.DialFoxglove(t, foxgloveURL(t, node))
				c.Send(map[string]any{"op": "getParameters", "id": "all", "parameterNames": []string{}})
				c.Await("the parameters", func(e visitor.Event) bool { said["foxglove"] += string(e.Text); return e.Op == "parameterValues" })
				// view is in no graph.
				peer.Await(t, "its log on /rosout", func() bool { return strings.Contains(rosout.Output()[before:], "/node") })
				said["rosout"] = rosout.Output()
			}
			if code := node.Interrupt(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			said["log"] = node.Output()
			for where, text := range said {
				if text == "" || strings.Contains(text, "X-Amz") {
					t.Errorf("%s:\n%.3000s", where, text)
				}
			}
		})
	}
}

// get returns what a server answers.
func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url) //nolint:noctx // it ends with the server
	need.Must(t, err)
	defer r.Body.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(r.Body)
	need.Must(t, err)
	return string(text)
}

// told returns the texts that a viewer gets until it knows the source.
func told(t *testing.T, page string) (all string) {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), page+"api/ws", &websocket.DialOptions{Subprotocols: []string{api.Subprotocol}})
	need.Must(t, err)
	defer conn.CloseNow() //nolint:errcheck // at the end
	conn.SetReadLimit(16 << 20)
	for {
		_, text, err := conn.Read(t.Context())
		need.Must(t, err)
		if all += string(text); strings.Contains(string(text), "walk.bag") {
			return all
		}
	}
}
