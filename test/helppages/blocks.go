package helppages

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"rsros/program/help"
)

var block = regexp.MustCompile(`(?s)<!-- flags: ([a-z-]*) ?-->\n.*?<!-- end -->`)

// CheckBlocks compares the blocks of flags on pages with the help of a program's commands. A block without a name
// has the flags of all commands. Each command must have a block on one of the pages.
func CheckBlocks(t *testing.T, pages []string, root *cobra.Command) {
	t.Helper()
	shown := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		made := block.ReplaceAllStringFunc(string(text), func(part string) string {
			name := block.FindStringSubmatch(part)[1]
			shown[name] = true
			cmd, _, err := root.Find([]string{name})
			if name == "" {
				cmd, err = root, nil
			}
			if err != nil {
				t.Errorf("%s: %v", page, err)
				return part
			}
			flags, global, _ := strings.Cut(help.Flags(cmd), "Global flags:\n")
			if name == "" {
				flags = global
			} else if name += " "; flags == "" {
				return "<!-- flags: " + name + "-->\nIt has the flags of all commands only.\n<!-- end -->"
			}
			flags = strings.TrimPrefix(strings.TrimRight(flags, "\n"), "Flags:\n")
			return "<!-- flags: " + name + "-->\n```\n" + flags + "\n```\n<!-- end -->"
		})
		if *update {
			if err := os.WriteFile(page, []byte(made), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if made != string(text) {
			t.Errorf("%s: the flags aren't those of --help; if these are right: go test ./cmd/... -run TestCommandPages -update", page)
		}
	}
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && cmd.Name() != "help" && cmd.Name() != "completion" && !shown[cmd.Name()] {
			t.Errorf("no page has the flags of %s", cmd.Name())
		}
	}
}
