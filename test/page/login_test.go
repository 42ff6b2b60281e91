package page

import (
	"net/url"
	"testing"

	"github.com/rs/zerolog"

	"rsros/test/need"
	"rsros/viewer"
	"rsros/viewer/guard"
)

// TestLogin types the token into the form that a page without it gets. After a restart the page has the old one, says
// so, and leads to the form.
func TestLogin(t *testing.T) {
	serve := func(address string) (*guard.Listener, *url.URL) {
		s, err := viewer.New(viewer.Options{Log: zerolog.Nop()})
		need.Must(t, err)
		l, err := guard.Listen(guard.Access{Address: address}, zerolog.Nop(), s)
		need.Must(t, err)
		t.Cleanup(func() { l.Close() })
		u, err := url.Parse(l.URL().Secret())
		need.Must(t, err)
		return l, u
	}
	first, u := serve("0.0.0.0:0")
	at := "127.0.0.1:" + u.Port()
	b := newTab(t)
	for _, problem := range []string{"401", "WebSocket", "net::ERR"} {
		b.expect(problem)
	}
	login := func(u *url.URL) {
		t.Helper()
		b.await(`document.querySelector('input[name=token]') === document.activeElement`)
		b.keys(u.Query().Get("token") + enter)
		b.await(`window.viewer?.store.connected.value`)
	}
	b.open("http://" + at + "/")
	login(u)
	need.Must(t, first.Close())
	b.await(`document.querySelector('.banner')?.textContent.includes('doesn’t answer')`)
	_, u = serve("0.0.0.0:" + u.Port())
	b.await(`document.querySelector('.banner button')`)
	b.screenshot("login")
	eval[bool](b, `(document.querySelector('.banner button').click(), true)`)
	login(u)
}
