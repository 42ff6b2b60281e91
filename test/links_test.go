package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"rsros/test/need"
)

var (
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
)

// TestLinks checks that links between pages lead to files and headings that exist, and that every page in docs can be
// reached from README.md. Web addresses aren't tried.
func TestLinks(t *testing.T) {
	links, anchors := map[string][]string{}, map[string][]string{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "build" || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(name)
		text = fenced.ReplaceAll(text, nil)
		links[name] = nil
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			links[name] = append(links[name], m[1])
		}
		for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
			anchors[name] = append(anchors[name], anchor(m[1]))
		}
		return err
	})
	need.Must(t, err)
	readme := filepath.Join(root, "README.md")
	reached := []string{readme}
	for i := 0; i < len(reached); i++ {
		for _, to := range links[reached[i]] {
			if file, _, _ := strings.Cut(to, "#"); file != "" {
				if file = filepath.Join(filepath.Dir(reached[i]), file); !slices.Contains(reached, file) {
					reached = append(reached, file)
				}
			}
		}
	}
	for page, list := range links {
		for _, to := range list {
			if strings.Contains(to, "://") {
				continue
			}
			file, fragment, _ := strings.Cut(to, "#")
			leads := page
			if file != "" {
				leads = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(leads); err != nil {
				t.Errorf("%s: the link to %s leads to no file", page, to)
			} else if fragment != "" && !slices.Contains(anchors[leads], fragment) {
				t.Errorf("%s: the link to %s leads to no heading; there are %q", page, to, anchors[leads])
			}
		}
		if strings.HasPrefix(page, filepath.Join(root, "docs")) && !slices.Contains(reached, page) {
			t.Errorf("no link leads from README.md to %s", page)
		}
	}
}

// anchor returns the fragment that GitHub assigns to a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, heading)
}
