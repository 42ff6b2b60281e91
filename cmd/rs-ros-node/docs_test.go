package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rsros/test/need"
)

// foreignFlags belong to other programs that the pages mention, or to what is between --ros-args and --.
var foreignFlags = []string{"--device-cgroup-rule", "--use-aliases", "--rm", "--user", "--group-add", "--task", "--robot", "--images",
	"--ros-args", "--params-file"}

var (
	codeSpan      = regexp.MustCompile("`([^`\n]+)`")
	nodeArguments = regexp.MustCompile(`\sargs="([a-z][^"]*)"`)
	// commandLines finds our command lines, by the kind of file.
	commandLines = map[string]*regexp.Regexp{
		".md":     regexp.MustCompile(`(?:^|[\s/])rs-ros-node ([a-z_-][^#|&;>)\x60]*)`),
		".launch": nodeArguments,
		".xml":    nodeArguments,
		".yml":    regexp.MustCompile(`^\s+command: ((?:live|play|record) .*)`),
	}
)

// TestDocsNameFlagsThatExist reads the command lines and flags in the pages, the
// launch files, docker-compose.yml and the commands' own examples.
func TestDocsNameFlagsThatExist(t *testing.T) {
	root := newRootCommand(&app{})
	found := 0
	report := func(where, text string, stale []string) {
		found++
		for _, name := range stale {
			t.Errorf("%s: %s isn't understood by this program: %s", where, name, strings.TrimSpace(text))
		}
	}
	for _, page := range docFiles(t) {
		text, err := os.ReadFile(page)
		need.Must(t, err)
		fenced := false
		for line := range strings.SplitSeq(string(text), "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if strings.Contains(line, " gone: ") { // the CHANGELOG names what was there
				continue
			}
			texts := []string{line}
			if !fenced && filepath.Ext(page) == ".md" {
				texts = nil
				for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
					texts = append(texts, m[1])
					if strings.HasPrefix(m[1], "--") {
						report(page, m[1], staleFlag(root, m[1]))
					} else if cmd, _, err := root.Find(strings.Fields(m[1])); err == nil && cmd != root {
						report(page, m[1], staleArguments(root, m[1]))
					}
				}
			}
			for _, text := range texts {
				for _, m := range commandLines[filepath.Ext(page)].FindAllStringSubmatch(text, -1) {
					report(page, text, staleArguments(root, m[1]))
				}
			}
		}
	}
	for _, cmd := range root.Commands() {
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			for _, m := range commandLines[".md"].FindAllStringSubmatch(line, -1) {
				report(cmd.Name()+" --help", line, staleArguments(root, m[1]))
			}
		}
	}
	if found == 0 {
		t.Fatal("no command line found")
	}
}

// docFiles lists the files, apart from the code, that show command lines.
func docFiles(t *testing.T) []string {
	t.Helper()
	const top = "../.."
	files := []string{top + "/docker-compose.yml"}
	for _, folder := range []string{top + "/docs", top + "/launch"} {
		err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if ext := filepath.Ext(name); commandLines[ext] != nil {
				files = append(files, name)
			}
			return err
		})
		need.Must(t, err)
	}
	pages, err := filepath.Glob(top + "/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("pages: %v, %v", pages, err)
	}
	return append(files, pages...)
}

// staleArguments returns the flags of a command line that its command doesn't have.
func staleArguments(root *cobra.Command, line string) []string {
	var stale []string
	words := slices.DeleteFunc(strings.Fields(line), func(word string) bool { return strings.Contains(word, ":=") })
	cmd, _, err := root.Find(words)
	if err != nil {
		return []string{err.Error()}
	}
	if cmd == root { // a command line without a command is a live node
		cmd, _, _ = root.Find([]string{"live"})
	}
	if i := slices.Index(words, "--"); i > 1 && cmd.Name() == "batch" {
		stale = staleArguments(root, strings.Join(append(words[1:2:2], words[i+1:]...), " "))
		words = words[:i]
	}
	for _, word := range words {
		name, _, _ := strings.Cut(word, "=")
		if len(name) > 1 && name[0] == '-' && !slices.Contains(foreignFlags, name) && !hasFlag(cmd, name) {
			stale = append(stale, name)
		}
	}
	return stale
}

// staleFlag returns the first word of a code span if no command has that flag.
func staleFlag(root *cobra.Command, span string) []string {
	name, _, _ := strings.Cut(strings.Fields(span)[0], "=")
	if slices.Contains(foreignFlags, name) || slices.ContainsFunc(append(root.Commands(), root), func(c *cobra.Command) bool { return hasFlag(c, name) }) {
		return nil
	}
	return []string{name}
}

// hasFlag reports whether a command understands --name, -n, or several such letters in one word, the
// last of which may be followed by its value.
func hasFlag(cmd *cobra.Command, name string) bool {
	cmd.InitDefaultHelpFlag()
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return lookup(cmd, func(f *pflag.FlagSet) *pflag.Flag { return f.Lookup(long) }) != nil || isShortened(cmd, long)
	}
	for _, letter := range strings.TrimLeft(name, "-") {
		flag := lookup(cmd, func(f *pflag.FlagSet) *pflag.Flag { return f.ShorthandLookup(string(letter)) })
		if flag == nil {
			return false
		}
		if flag.NoOptDefVal == "" {
			return true
		}
	}
	return true
}

// isShortened reports whether exactly one flag begins with a name.
func isShortened(cmd *cobra.Command, name string) bool {
	n := 0
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, name) {
			n++
		}
	})
	return n == 1
}

func lookup(cmd *cobra.Command, find func(*pflag.FlagSet) *pflag.Flag) *pflag.Flag {
	if flag := find(cmd.Flags()); flag != nil {
		return flag
	}
	return find(cmd.InheritedFlags())
}
