package place

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
)

// secrets has the addresses that Redact gave names to, by name. A name is no legal address: it has … in place of user
// and password. So no other address is taken for it.
var secrets = struct {
	sync.Mutex
	urls map[string]string
}{urls: make(map[string]string)}

// Redact returns a name for an address of http or https that has a user, a password or a query, which may be a
// signature: https://…@host/walk.bag, with a number after … if several addresses differ only in them. All functions of
// this package take it for the address. Other names are returned as they are.
func Redact(name string) string {
	scheme, rest, ok := strings.Cut(name, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "http" && scheme != "https" || !strings.ContainsAny(rest, "@?#") {
		return name
	}
	bare := ""
	if u, err := url.Parse(name); err == nil {
		if u.User == nil && !strings.ContainsAny(rest, "?#") {
			return name // @ is part of the path
		}
		u.Scheme, u.User, u.RawQuery, u.ForceQuery, u.Fragment = "", nil, "", false, ""
		bare = "@" + strings.TrimPrefix(u.String(), "//")
	}
	secrets.Lock()
	defer secrets.Unlock()
	if _, is := secrets.urls[name]; is {
		return name
	}
	redacted := scheme + "://…" + bare
	for n := 2; ; n++ {
		if address, taken := secrets.urls[redacted]; !taken || address == name {
			secrets.urls[redacted] = name
			return redacted
		}
		redacted = fmt.Sprintf("%s://…%d%s", scheme, n, bare)
	}
}

// secretURL returns the address that Redact gave a name to, or the name itself. Only requests may have it.
func secretURL(name string) string {
	secrets.Lock()
	defer secrets.Unlock()
	if address, ok := secrets.urls[name]; ok {
		return address
	}
	return name
}
