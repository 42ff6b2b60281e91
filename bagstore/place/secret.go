package place

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
)

// secrets has the addresses that Conceal gave names to, by name.
var (
	secretsMu sync.Mutex
	secrets   = make(map[string]string)
)

// Conceal returns a name for an address of http or https that has a user, a password or a query, which may be a
// signature. The name is the address without them, with a number if several addresses differ only in them. All
// functions of this package take it for the address. Other names are returned as they are.
func Conceal(name string) string {
	scheme, rest, ok := strings.Cut(name, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "http" && scheme != "https" || !strings.ContainsAny(rest, "@?#") {
		return name
	}
	bare := scheme + "://…"
	if u, err := url.Parse(name); err == nil {
		if u.User == nil && !strings.ContainsAny(rest, "?#") {
			return name // @ is part of the path
		}
		u.User, u.RawQuery, u.ForceQuery, u.Fragment = nil, "", false, ""
		bare = u.String()
	}
	secretsMu.Lock()
	defer secretsMu.Unlock()
	if _, is := secrets[name]; is {
		return name
	}
	for n, concealed := 1, bare; ; n++ {
		if n > 1 {
			concealed = fmt.Sprintf("%s#%d", bare, n)
		}
		if address, taken := secrets[concealed]; !taken || address == name {
			secrets[concealed] = name
			return concealed
		}
	}
}

// Whole returns the address that Conceal gave a name to, or the name itself. Only requests may have it.
func Whole(name string) string {
	secretsMu.Lock()
	defer secretsMu.Unlock()
	if address, ok := secrets[name]; ok {
		return address
	}
	return name
}
