package main

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
	"rsros/test/need"
)

var update = flag.Bool("update", false, "write the help of the commands into testdata/help and the pages")

var (
	flagLine    = regexp.MustCompile(`^ {2,6}(?:-\w, )?--[a-z0-9-]+(?:\[=| )([^\s\]]+)`)
	placeholder = regexp.MustCompile(`^[A-Z0-9|=:/,….x@]+$`)
	vague       = strings.Fields("TEXT STRING STRINGS INT UINT FLOAT NUMBER WORD VALUE")
)

// TestHelpPages checks that testdata/help has the help of each command, and that -h fits on a screen. TestHelpForm checks
// what is in the files.
func TestHelpPages(t *testing.T) {
	pages := checkHelp(t, newRootCommand(&app{}))
	if files, err := texts.ReadDir("help"); err != nil || len(files) != pages {
		t.Errorf("%d texts for %d commands, %v", len(files), pages, err)
	}
}

// checkHelp compares the help of a command and its subcommands with their files, and returns how many these are.
func checkHelp(t *testing.T, cmd *cobra.Command) (pages int) {
	t.Helper()
	for _, c := range cmd.Commands() {
		if c.Name() != "help" && c.Name() != "completion" {
			pages += checkHelp(t, c)
		}
	}
	name := strings.ReplaceAll(strings.TrimPrefix(cmd.CommandPath(), "rs-ros-node "), " ", "-")
	checkGolden(t, filepath.Join("testdata/help", name+".txt"), help.Page(cmd, help.Standard, false))
	brief := help.Page(cmd, help.Standard, true)
	if n := strings.Count(brief, "\n"); n > help.Screen || !strings.Contains(brief, "Flags") {
		t.Errorf("%s -h has %d lines, want %d at most\n%s", name, n, help.Screen, brief)
	}
	return pages + 1
}

// TestHelpForm checks the widths and placeholders of all pages, of which that of rs-lerobot is one.
func TestHelpForm(t *testing.T) {
	pages, err := filepath.Glob("testdata/help/*.txt")
	if err != nil || !slices.Contains(pages, filepath.FromSlash("testdata/help/rs-lerobot.txt")) {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		need.Must(t, err)
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSuffix(line, "\n"); len([]rune(line)) > help.Standard {
				t.Errorf("%s: longer than %d columns: %s", page, help.Standard, line)
			}
		}
		flags := string(text)
		if _, examples, ok := strings.Cut(flags, "\nExamples:\n"); ok {
			_, flags, _ = strings.Cut(examples, "\n\n")
		}
		for line := range strings.Lines(flags) {
			if m := flagLine.FindStringSubmatch(line); m != nil && (!placeholder.MatchString(m[1]) || slices.Contains(vague, m[1])) {
				t.Errorf("%s: want a placeholder such as FILE or TIME: %s", page, line)
			}
		}
	}
}

// TestCommandPages checks that docs/commands has the flags of each command.
func TestCommandPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/commands/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	checkBlocks(t, pages, newRootCommand(&app{}))
}

var block = regexp.MustCompile(`(?s)<!-- flags: ([a-z-]+) -->\n.*?<!-- end -->`)

// checkBlocks compares the blocks of flags on pages with the help of a program's commands. Each command must have a block on one of the pages.
func checkBlocks(t *testing.T, pages []string, root *cobra.Command) {
	t.Helper()
	shown := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		need.Must(t, err)
		made := block.ReplaceAllStringFunc(string(text), func(part string) string {
			name := block.FindStringSubmatch(part)[1]
			shown[name] = true
			cmd, _, err := root.Find([]string{name})
			if err != nil {
				t.Errorf("%s: %v", page, err)
				return part
			}
			text := "It has the flags of all commands only."
			if flags := help.Flags(cmd, help.Widest); flags != "" {
				text = "```\n" + strings.TrimPrefix(flags, "Flags:\n") + "```"
			}
			return "<!-- flags: " + name + " -->\n" + text + "\n<!-- end -->"
		})
		if *update {
			need.Must(t, os.WriteFile(page, []byte(made), 0o644))
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

// checkGolden compares a text with a file, or writes the file with -update.
func checkGolden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		need.Must(t, os.WriteFile(file, []byte(text), 0o644))
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != text {
		t.Errorf("%s isn't what the program prints; if that is meant: go test ./cmd/... -run %s -update (%v)", file, t.Name(), err)
	}
}
