// Package guard decides who may talk to an HTTP server of the program: browsers that look at a page of its own, on a
// name it goes by, with the token where one is needed. It also sets the headers that tell browsers to enforce the same
// (docs/security.md), and listens within bounds of time and size.
package guard

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Access is the address for viewers and the rules of access.
type Access struct {
	// Address is host:port; port 0 is a free one. It is empty to not listen.
	Address string `setting:"http"`
	// AllowHosts are the host names, without ports, that requests without a token may use, in
	// addition to localhost and addresses. Other names are refused, against DNS rebinding.
	AllowHosts []string `setting:"allow-host"`
	// Origins are the origins of other sites whose pages may open sockets, such as https://example.org.
	Origins []string `setting:"allow-origin"`
	// NoAuth requires no token even if other machines can connect.
	NoAuth bool `setting:"no-auth"`

	token string // that viewers must send; empty if none is needed
}

// cookieOf is the name of the cookie with the token. Browsers don't tell the ports of a host apart, so the name does.
func cookieOf(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host) // none is the usual one
	return "rs_ros_view_" + port
}

// policy lets the page use nothing but its own files and its own server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; " +
	"connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// Wrap returns a handler that passes on what may come in.
func Wrap(o Access, next http.Handler) http.Handler {
	posts := http.NewCrossOriginProtection()
	for _, origin := range o.Origins {
		posts.AddTrustedOrigin(origin) //nolint:errcheck // one that isn't valid lets nobody in
	}
	return posts.Handler(&guard{o, next})
}

type guard struct {
	Access
	next http.Handler
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers send the login form with Origin: null
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	switch {
	case g.token == "" && !g.knownHost(r.Host):
		http.Error(w, "this server doesn't go by that name; see --allow-host", http.StatusMisdirectedRequest)
	case !g.sameOrigin(r):
		http.Error(w, "a page of another site may not talk to this server; see --allow-origin", http.StatusForbidden)
	case g.token != "" && r.URL.Path == "/login" && r.Method == http.MethodPost:
		g.login(w, r)
	case g.token != "" && !g.authorized(r):
		g.ask(w, r)
	case g.token != "" && r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token") &&
		r.Header.Get("Upgrade") == "":
		g.remember(w, r) // and the token leaves the address bar
		http.Redirect(w, r, "/", http.StatusSeeOther)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// knownHost reports whether the server goes by the name that a request is addressed to.
func (g *guard) knownHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	if net.ParseIP(name) != nil {
		return true // nobody's name server says what an address means
	}
	same := func(known string) bool { return strings.EqualFold(known, name) }
	return same("localhost") || slices.ContainsFunc(g.AllowHosts, same)
}

// sameOrigin reports whether a request comes from a page of this server, or from no page. Browsers let pages of any
// site open sockets, so this is the only check there.
func (g *guard) sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "file://" { // a desktop application; browsers say null for files
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) || slices.Contains(g.Origins, origin)
}

// authorized reports whether a request has the token: in its cookie, or in the URL for programs without cookies.
func (g *guard) authorized(r *http.Request) bool {
	if c, err := r.Cookie(cookieOf(r)); err == nil && g.is(c.Value) {
		return true
	}
	return g.is(r.URL.Query().Get("token"))
}

func (g *guard) is(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1
}

// ask answers a viewer without the token.
func (g *guard) ask(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusUnauthorized)
	if r.Method == http.MethodGet && r.URL.Path == "/" {
		w.Write([]byte(loginPage)) //nolint:errcheck // the viewer has gone
	}
}

// loginPage has no script and no style, so that the policy lets it work.
const loginPage = `<!doctype html><html lang="en"><title>rs-ros-node</title><h1>rs-ros-node</h1>
<form method="post" action="/login"><label>Token, as the program printed it: <input name="token" type="password" autofocus></label> <button>Open</button></form></html>
`

// maxForm bounds what is read of a login form.
const maxForm = 4096

// login exchanges the token of the form for the cookie.
func (g *guard) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if !g.is(r.PostFormValue("token")) {
		http.Error(w, "that isn't the token", http.StatusUnauthorized)
		return
	}
	g.remember(w, r)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (g *guard) remember(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieOf(r), Value: g.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}
