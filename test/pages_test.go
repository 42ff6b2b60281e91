package test

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	codeSpan   = regexp.MustCompile("`([^`\n]+)`")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*(?:\(\))?$`)
	variable   = regexp.MustCompile(`\b[A-Z]+(?:_[A-Z]+)+\b`)
	makeCall   = regexp.MustCompile(`(?:^|\s)make((?: +[a-z][a-z0-9-]*)+)`)
	target     = regexp.MustCompile(`(?m)^([a-z0-9-]+):`)
	heading    = regexp.MustCompile(`^#{1,6} (.+)$`)
	// goTest is a go test command for some tests or benchmarks of one package.
	goTest = regexp.MustCompile(`go test .*-(run|bench) '?([A-Z][A-Za-z]+).* \./([a-z0-9/-]+)`)
)

// elsewhere are words in code spans that are spelled like our identifiers but belong to other systems.
var elsewhere = []string{
	"RawSyscall", "KEEP_SIZE", "SO_RCVLOWAT", "CLEAR_FEATURE", // kernel and Go runtime
	"Node", // goroslib's
}

// page is a Markdown file in pieces: lines, code spans with their line, and links.
type page struct {
	path  string
	lines []string
	fence []bool // whether the line is in a fenced block
}

func pages(t *testing.T) []page {
	t.Helper()
	names, err := kept()
	if err != nil {
		t.Fatal(err)
	}
	var list []page
	for _, name := range names {
		if path.Ext(name) != ".md" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		p := page{path: name}
		fenced := false
		for line := range strings.SplitSeq(string(text), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
			}
			p.lines = append(p.lines, line)
			p.fence = append(p.fence, fenced)
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		t.Fatal("no page found")
	}
	return list
}

// TestPagesNameWhatExists looks up the files, identifiers, environment variables
// and make targets that pages name in code spans and examples.
func TestPagesNameWhatExists(t *testing.T) {
	d := declaredNames(t)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, m := range target.FindAllStringSubmatch(string(makefile), -1) {
		targets = append(targets, m[1])
	}
	for _, p := range pages(t) {
		for i, line := range p.lines {
			var spans []string
			if p.fence[i] {
				spans = []string{line}
			} else {
				for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
					spans = append(spans, m[1])
				}
			}
			for _, span := range spans {
				for _, name := range staleInSpan(d, targets, path.Dir(p.path), span) {
					t.Errorf("%s:%d names %s, which doesn't exist", p.path, i+1, name)
				}
			}
		}
	}
}

// staleInSpan returns names in a code span or a line of an example that don't exist.
func staleInSpan(d *declared, targets []string, folder, span string) []string {
	var stale []string
	for _, m := range makeCall.FindAllStringSubmatch(span, -1) {
		for target := range strings.FieldsSeq(m[1]) {
			if !slices.Contains(targets, target) {
				stale = append(stale, "make "+target)
			}
		}
	}
	for _, m := range goTest.FindAllStringSubmatch(span, -1) {
		if kind := map[string]string{"run": "Test", "bench": "Benchmark"}[m[1]]; m[2] != "XXX" && !d.hasFunction(m[3], kind, m[2]) {
			stale = append(stale, "a "+kind+" named "+m[2]+" in "+m[3])
		}
	}
	for _, name := range variable.FindAllString(span, -1) {
		if !d.words[name] && !slices.Contains(elsewhere, name) {
			stale = append(stale, name)
		}
	}
	for _, word := range strings.Fields(span) {
		if name := filePath.FindString(word); name == word && d.isOurFile(word) && !d.hasFile(word) && !d.hasFile(path.Join(folder, word)) {
			stale = append(stale, word)
		}
	}
	name := strings.TrimSuffix(span, "()")
	if !identifier.MatchString(span) || d.isOurFile(span) || slices.Contains(elsewhere, name) {
		return stale
	}
	switch dotted := strings.Contains(name, "."); {
	case dotted && isCode(name) && !d.resolve(nil, name),
		!dotted && mixedCaps.MatchString(name) && !d.words[name]:
		stale = append(stale, name)
	}
	return stale
}

// hasFunction reports whether go test finds a test or benchmark by part of its name.
func (d *declared) hasFunction(folder, kind, part string) bool {
	p := d.packages[folder]
	if p == nil {
		return false
	}
	for name := range p.top {
		if strings.HasPrefix(name, kind) && strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// TestLinksLeadSomewhere checks that links between pages lead to files and headings that exist. Web
// addresses are not tried.
func TestLinksLeadSomewhere(t *testing.T) {
	anchors := map[string][]string{}
	for _, p := range pages(t) {
		for i, line := range p.lines {
			if m := heading.FindStringSubmatch(line); m != nil && !p.fence[i] {
				anchors[p.path] = append(anchors[p.path], anchor(m[1]))
			}
		}
	}
	for _, p := range pages(t) {
		for i, line := range p.lines {
			if p.fence[i] {
				continue
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				file, fragment, _ := strings.Cut(m[1], "#")
				leads := p.path
				if file != "" {
					leads = path.Join(path.Dir(p.path), file)
				}
				if _, err := os.Stat(filepath.Join(root, leads)); err != nil {
					t.Errorf("%s:%d: the link to %s leads to no file", p.path, i+1, m[1])
				} else if fragment != "" && !slices.Contains(anchors[leads], fragment) {
					t.Errorf("%s:%d: the link to %s leads to no heading of %s; there are %q", p.path, i+1, m[1], leads, anchors[leads])
				}
			}
		}
	}
}

// TestPagesAreFound checks that README is short and that every page in docs can be reached from it.
func TestPagesAreFound(t *testing.T) {
	const readme = "README.md"
	links := map[string][]string{}
	for _, p := range pages(t) {
		if n := len(p.lines) - 1; p.path == readme && n > 200 {
			t.Errorf("%s has %d lines, want at most 200", readme, n)
		}
		for i, line := range p.lines {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if file, _, _ := strings.Cut(m[1], "#"); !p.fence[i] {
					links[p.path] = append(links[p.path], path.Join(path.Dir(p.path), file))
				}
			}
		}
	}
	found := []string{readme}
	for i := 0; i < len(found); i++ {
		for _, to := range links[found[i]] {
			if !slices.Contains(found, to) {
				found = append(found, to)
			}
		}
	}
	for _, p := range pages(t) {
		if folder := path.Dir(p.path); folder == "docs" && !slices.Contains(found, p.path) {
			t.Errorf("no link leads from %s to %s", readme, p.path)
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
