package msgs

import (
	"fmt"
	"strings"
	"testing"
)

// TestCache: each definition is parsed once, and only as many as the bound allows.
func TestCache(t *testing.T) {
	var c Cache[*Spec]
	calls := 0
	parse := func(name, definition string) (*Spec, error) {
		calls++
		return Parse(name, definition)
	}
	const fields = 1 << 14
	large := "# a comment\n\n" + strings.Repeat("uint8 x # more\n", fields)
	const fit = maxAllFields / fields
	for i := range fit + 1 {
		name := fmt.Sprint("a/T", i)
		s, err := c.Get(name, large, parse)
		again, errAgain := c.Get(name, large, parse)
		switch {
		case i == fit:
			if err == nil || errAgain == nil || !strings.Contains(err.Error(), "type a/T16: the definitions of the recording have more than 262144 fields") {
				t.Errorf("one more type: %v, again %v", err, errAgain)
			}
		case err != nil || s != again || errAgain != nil || len(s.Fields) != fields:
			t.Fatalf("type %d: %v, again %v", i, err, errAgain)
		}
	}
	if calls != fit {
		t.Errorf("parsed %d times, want %d", calls, fit)
	}

	c = Cache[*Spec]{}
	for i := range maxAllFields / minFields {
		if _, err := c.Get(fmt.Sprint("a/T", i), "uint8", parse); err == nil || !strings.Contains(err.Error(), "want \"type name\"") {
			t.Fatalf("small type %d: %v", i, err)
		}
	}
	if _, err := c.Get("a/B", "uint8 x", parse); err == nil {
		t.Error("small types have no bound")
	}
}
