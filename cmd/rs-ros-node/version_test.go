package main

import (
	"bytes"
	"strings"
	"testing"

	"rsros/program"
)

// TestVersion checks that a release prints the version it was linked with, and the commit once.
func TestVersion(t *testing.T) {
	version, commit := program.Version, program.Commit
	defer func() { program.Version, program.Commit = version, commit }()
	for _, c := range []struct{ version, commit, want string }{
		{"1.2.3", "0123456789ab", "rs-ros-node 1.2.3 0123456789ab (go"},
		{"1.2.3-dev.0123456789ab", "0123456789ab", "rs-ros-node 1.2.3-dev.0123456789ab (go"},
	} {
		program.Version, program.Commit = c.version, c.commit
		var out bytes.Buffer
		cmd := newVersionCommand()
		cmd.SetOut(&out)
		cmd.SetArgs([]string{})
		if err := cmd.Execute(); err != nil || !strings.HasPrefix(out.String(), c.want) {
			t.Errorf("%q, %v, want %q", out.String(), err, c.want)
		}
	}
}
