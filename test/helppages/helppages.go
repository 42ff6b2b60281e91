// Package helppages compares the help of commands with the files in cmd/rs-ros-node/testdata/help.
package helppages

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"rsros/program/help"
)

var update = flag.Bool("update", false, "write the help of the commands into testdata/help")

var (
	flagLine    = regexp.MustCompile(`^ +(?:-\w, )?--[a-z0-9-]+(?:\[=| )([^\s\]]+)`)
	placeholder = regexp.MustCompile(`^[A-Z0-9|=:/,….x@]+$`)
	vague       = strings.Fields("TEXT STRING STRINGS INT UINT FLOAT NUMBER WORD VALUE")
)

// Check compares the help of a command and its subcommands with the files in a folder, and checks their widths and
// placeholders.
func Check(t *testing.T, folder string, cmd *cobra.Command) {
	t.Helper()
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" && c.Name() != "completion" {
			Check(t, folder, c)
		}
	}
	name := strings.ReplaceAll(strings.TrimPrefix(cmd.CommandPath(), "rs-ros-node "), " ", "-")
	page := help.Page(cmd)
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if len([]rune(line)) > help.Width {
			t.Errorf("%s --help: longer than %d columns: %s", name, help.Width, line)
		}
	}
	for line := range strings.Lines(help.Flags(cmd)) {
		if m := flagLine.FindStringSubmatch(line); m != nil && (!placeholder.MatchString(m[1]) || slices.Contains(vague, m[1])) {
			t.Errorf("%s --help: want a placeholder such as FILE or TIME: %s", name, line)
		}
	}
	Golden(t, filepath.Join(folder, name+".txt"), page)
}

// Golden compares a text with a file, or writes the file with -update.
func Golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != text {
		t.Errorf("%s isn't what the program prints; if that is meant: go test ./cmd/... -run %s -update (%v)", file, t.Name(), err)
	}
}
