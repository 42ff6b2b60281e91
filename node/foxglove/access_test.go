package foxglove

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	peer "github.com/coder/websocket"

	visitor "rsros/test/foxglove"
)

// TestListen serves on its own port, on loopback only and on all interfaces.
func TestListen(t *testing.T) {
	near, err := Listen(Access{Address: "127.0.0.1:0", ViewOnly: true}, Options{Graph: newFake("/a")})
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	c := visitor.Dial(t, near.URL())
	c.AwaitChannel("/a")
	c.Send(map[string]any{"op": "setParameters", "parameters": []map[string]any{{"name": "/p", "value": 1}}})
	c.AwaitOp("status")
	far, err := Listen(Access{Address: "0.0.0.0:0"}, Options{Graph: newFake("/a")})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	_, token, _ := strings.Cut(far.URL(), "?")
	bare := "ws://127.0.0.1:" + port(t, far.URL()) + "/" // a machine's own name may not resolve there
	visitor.Dial(t, bare+"?"+token).AwaitChannel("/a")
	if _, answer, err := peer.Dial(t.Context(), bare, nil); err == nil || answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %v", err)
	}
	if _, err := Listen(Access{Address: "127.0.0.1:" + port(t, near.URL())}, Options{Graph: newFake()}); err == nil {
		t.Error("two listen on one port")
	}
	near.Close()
}

func port(t *testing.T, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}
