package guard

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Who may come in, by request.
func TestGuard(t *testing.T) {
	const token = "secret-token"
	for _, c := range []struct {
		name    string
		options Access
		method  string
		target  string // with the host
		header  map[string]string
		want    int
	}{
		{"loopback", Access{}, "GET", "http://127.0.0.1:8080/", nil, 200},
		{"loopback 6", Access{}, "GET", "http://[::1]:8080/", nil, 200},
		{"localhost", Access{}, "GET", "http://localhost:8080/", nil, 200},
		{"rebound name", Access{}, "GET", "http://evil.example:8080/", nil, 421},
		{"an address", Access{}, "GET", "http://192.168.1.5:8080/", nil, 200},
		{"its own name", Access{AllowHosts: []string{"robot"}}, "GET", "http://Robot:8080/", nil, 200},
		{"own page", Access{}, "GET", "http://localhost:8080/api/ws", map[string]string{"Origin": "http://localhost:8080"}, 200},
		{"other port", Access{}, "GET", "http://localhost:8080/api/ws", map[string]string{"Origin": "http://localhost:9090"}, 403},
		{"other site", Access{}, "GET", "http://localhost:8080/api/ws", map[string]string{"Origin": "https://evil.example"}, 403},
		{"no site", Access{}, "GET", "http://localhost:8080/api/ws", map[string]string{"Origin": "null"}, 403},
		{"allowed site", Access{Origins: []string{"https://app.example"}}, "GET", "http://localhost:8080/api/ws", map[string]string{"Origin": "https://app.example"}, 200},
		{"post from elsewhere", Access{}, "POST", "http://localhost:8080/x", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"a name, with the token", Access{token: token}, "GET", "http://robot:8080/api/ws?token=" + token, nil, 200},
		{"an application", Access{}, "GET", "http://localhost:8080/", map[string]string{"Origin": "file://"}, 200},
		{"an application's socket, the token", Access{token: token}, "GET", "http://robot:8080/?token=" + token, map[string]string{"Origin": "file://", "Upgrade": "websocket"}, 200},
		{"a program without the token", Access{token: token}, "GET", "http://robot:8080/", map[string]string{"Upgrade": "websocket"}, 401},
		{"a page with the token", Access{token: token}, "GET", "http://robot:8080/?token=" + token, map[string]string{"Origin": "https://evil.example"}, 403},
		{"no token", Access{token: token}, "GET", "http://localhost:8080/api/ws", nil, 401},
		{"token in the URL", Access{token: token}, "GET", "http://localhost:8080/api/ws?token=" + token, nil, 200},
		{"wrong token", Access{token: token}, "GET", "http://localhost:8080/api/ws?token=x", nil, 401},
		{"cookie", Access{token: token}, "GET", "http://localhost:8080/api/ws", map[string]string{"Cookie": "rs_ros_view_8080=" + token}, 200},
		{"wrong cookie", Access{token: token}, "GET", "http://localhost:8080/", map[string]string{"Cookie": "rs_ros_view_8080=x"}, 401},
		{"cookies of two servers", Access{token: token}, "GET", "http://localhost:8080/", map[string]string{"Cookie": "rs_ros_view_8080=" + token + "; rs_ros_view_8081=x"}, 200},
		{"another server's cookie", Access{token: token}, "GET", "http://localhost:8080/", map[string]string{"Cookie": "rs_ros_view_8081=" + token}, 401},
		{"opened with the token", Access{token: token}, "GET", "http://localhost:8080/?token=" + token, nil, 303},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := Wrap(c.options, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			r := httptest.NewRequest(c.method, c.target, nil)
			for k, v := range c.header {
				r.Header.Set(k, v)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.want {
				t.Errorf("%d %s, want %d", w.Code, w.Body, c.want)
			}
			if c.want != 403 && !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
				t.Error("no policy")
			}
		})
	}
}

func TestLogin(t *testing.T) {
	h := Wrap(Access{token: "secret"}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	login := func(token string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "http://localhost:1/login", strings.NewReader(url.Values{"token": {token}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	if w := login("other"); w.Code != 401 || len(w.Result().Cookies()) > 0 {
		t.Errorf("a wrong token: %d, cookies %v", w.Code, w.Result().Cookies())
	}
	w := login("secret")
	if w.Code != 303 || len(w.Result().Cookies()) != 1 {
		t.Fatalf("the token: %d, cookies %v", w.Code, w.Result().Cookies())
	}
	if c := w.Result().Cookies()[0]; c.Name != "rs_ros_view_1" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
		t.Errorf("cookie %v", c)
	}
}
