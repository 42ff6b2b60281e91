package foxglove

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	peer "github.com/coder/websocket"

	visitor "rsros/test/foxglove"
)

// TestAccess is who may connect.
func TestAccess(t *testing.T) {
	page := []string{"https://app.foxglove.dev"}
	for name, test := range map[string]struct {
		guard        guard
		host, origin string
		token        string
		status       int // 0 is let in
	}{
		"a program":              {guard{loopback: true}, "127.0.0.1:8765", "", "", 0},
		"by name":                {guard{loopback: true}, "localhost:8765", "", "", 0},
		"by IPv6":                {guard{loopback: true}, "[::1]:8765", "", "", 0},
		"a desktop application":  {guard{loopback: true}, "localhost:8765", "file://", "", 0},
		"our own page":           {guard{loopback: true}, "localhost:8765", "http://localhost:8765", "", 0},
		"another port's page":    {guard{loopback: true}, "localhost:8765", "http://localhost:80", "", http.StatusForbidden},
		"any page":               {guard{loopback: true}, "localhost:8765", "https://example.com", "", http.StatusForbidden},
		"a frame in a sandbox":   {guard{loopback: true}, "localhost:8765", "null", "", http.StatusForbidden},
		"a page that was named":  {guard{loopback: true, origins: page}, "localhost:8765", page[0], "", 0},
		"DNS rebinding":          {guard{loopback: true}, "evil.example.com:8765", "http://evil.example.com:8765", "", http.StatusForbidden},
		"without the token":      {guard{token: "secret"}, "robot:8765", "", "", http.StatusUnauthorized},
		"with a wrong token":     {guard{token: "secret"}, "robot:8765", "", "secreT", http.StatusUnauthorized},
		"with the token":         {guard{token: "secret"}, "robot:8765", "", "secret", 0},
		"a page with the token":  {guard{token: "secret"}, "robot:8765", "https://example.com", "secret", http.StatusForbidden},
		"the desktop, the token": {guard{token: "secret"}, "robot:8765", "file://", "secret", 0},
	} {
		r := &http.Request{Host: test.host, Header: http.Header{}, URL: &url.URL{RawQuery: "token=" + test.token}}
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		if status, err := test.guard.check(r); status != test.status || (err == nil) != (status == 0) {
			t.Errorf("%s: %d, %v; expected %d", name, status, err, test.status)
		}
	}
}

// TestListen serves on a port of its own, on loopback and beyond.
func TestListen(t *testing.T) {
	near, err := Listen(Access{Address: "127.0.0.1:0", ViewOnly: true}, Options{Graph: newFake("/a")})
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	c := visitor.Dial(t, near.URL())
	c.AwaitChannel("/a")
	c.Say(map[string]any{"op": "setParameters", "parameters": []map[string]any{{"name": "/p", "value": 1}}})
	c.AwaitOp("status")
	far, err := Listen(Access{Address: "0.0.0.0:0"}, Options{Graph: newFake("/a")})
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	visitor.Dial(t, far.URL()).AwaitChannel("/a")
	bare, _, _ := strings.Cut(far.URL(), "?")
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
