package replay

import (
	"fmt"
	"strings"

	"rsros/bagstore/moment"
)

// ParseRange reads FROM:TO in seconds. An empty text is no range, nil.
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
