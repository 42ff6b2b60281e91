package replay

import (
	"fmt"
	"strings"

	"rsros/bagstore/moment"
)

// ParseRange parses FROM:TO in seconds. It returns nil for an empty text.
func ParseRange(text string) (*Range, error) {
	if text == "" {
		return nil, nil
	}
	from, to, ok := strings.Cut(text, ":")
	f, err := moment.Seconds(from)
	t, err2 := moment.Seconds(to)
	if !ok || err != nil || err2 != nil || f >= t {
		return nil, fmt.Errorf("range %q: want FROM:TO in seconds", text)
	}
	return &Range{f, t}, nil
}
