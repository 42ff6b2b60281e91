package rosapi

import (
	"fmt"
	"net/url"
)

// URIs parses a master's list of publishers.
func URIs(v any) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("publishers are %T, not a list", v)
	}
	uris := make([]string, 0, len(list))
	for _, item := range list {
		text, _ := item.(string)
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" || u.Host == "" {
			return nil, fmt.Errorf("publisher %v isn't an http URI", item)
		}
		uris = append(uris, text)
	}
	return uris, nil
}
