package main

import (
	"bytes"
	"strings"
	"testing"

	"rsros/test/need"
)

// TestFeatures checks that each line has an answer.
func TestFeatures(t *testing.T) {
	var out bytes.Buffer
	need.Must(t, printFeatures(&out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range lines {
		name, how, _ := strings.Cut(line, "  ")
		if how = strings.TrimSpace(how); name == "" || !strings.HasPrefix(how, "yes") && !strings.HasPrefix(how, "no") {
			t.Errorf("%q says neither yes nor no", line)
		}
	}
	if len(lines) != 11 {
		t.Errorf("%d features", len(lines))
	}
}
