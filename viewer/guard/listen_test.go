package guard

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/test/need"
)

// TestListen serves on loopback and beyond, to those who may come in, until it is closed.
func TestListen(t *testing.T) {
	name, _ := os.Hostname()
	for address, c := range map[string]struct {
		access Access
		host   string
		token  bool
	}{
		"127.0.0.1:0":        {Access{}, "127.0.0.1", false},
		"localhost:0":        {Access{}, "127.0.0.1", false},
		"0.0.0.0:0":          {Access{}, name, true},
		":0":                 {Access{}, name, true},
		"[::ffff:0.0.0.0]:0": {Access{NoAuth: true}, name, false},
	} {
		t.Run(address, func(t *testing.T) {
			c.access.Address = address
			l, err := Listen(c.access, zerolog.Nop(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			need.Must(t, err)
			defer l.Close() //nolint:errcheck // closed below
			u, err := url.Parse(l.URL().Secret())
			if err != nil || u.Scheme != "http" || u.Hostname() != c.host || u.Query().Has("token") != c.token {
				t.Errorf("URL %q, %v", l.URL().Secret(), err)
			}
			u.Scheme, u.Host = "http", net.JoinHostPort("127.0.0.1", u.Port()) // a machine's own name need not be known to it
			if got := get(t, u); got != http.StatusOK && got != http.StatusSeeOther {
				t.Errorf("with the URL: %d", got)
			}
			u.RawQuery = ""
			if got := get(t, u); (got == http.StatusUnauthorized) != c.token {
				t.Errorf("without a token: %d", got)
			}
			for range 2 {
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
			if err := l.Wait(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

// The panic of a handler is in the program's log.
func TestPanicIsLogged(t *testing.T) {
	var lines bytes.Buffer
	l, err := Listen(Access{Address: "127.0.0.1:0"}, zerolog.New(&lines), http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("torn") }))
	need.Must(t, err)
	if _, err := http.Get(l.URL().Secret()); err == nil {
		t.Error("the handler that panicked has answered")
	}
	need.Must(t, l.Close())
	if text := lines.String(); !strings.HasPrefix(text, `{"level":"error"`) || !strings.Contains(text, "torn") {
		t.Errorf("the log has %q", text)
	}
}

// get returns the status of an answer, without following it.
func get(t *testing.T, u *url.URL) int {
	t.Helper()
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Get(u.String())
	need.Must(t, err)
	io.Copy(io.Discard, answer.Body) //nolint:errcheck // the status was read
	answer.Body.Close()              //nolint:errcheck // it was only read
	return answer.StatusCode
}
