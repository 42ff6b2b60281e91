package test

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A comment names code in these ways. Everything else in it is prose.
var (
	// dottedName is a word, or several with dots between: bagstore.Writer.Write.
	dottedName = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*`)
	// mixedCaps is a word that only code spells so: isCode, TestImportsGoDown.
	mixedCaps = regexp.MustCompile(`^[a-z]+[A-Z]|^[A-Z]+[a-z]+[A-Z]`)
	// filePath is a file of ours, or a path below one of our folders.
	filePath = regexp.MustCompile(`[A-Za-z0-9_.*/-]+`)
	// docLink is a name in brackets, from which go/doc/comment makes a link.
	docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?([A-Za-z_][A-Za-z0-9_.]*)\]`)
	// capitalised is a word that begins with a capital letter in the middle of a
	// sentence: in a package comment the name of a declaration, or a proper name.
	capitalised = regexp.MustCompile(`[a-z,;:(] ([A-Z][a-z]+)(?: ([A-Z][a-z]+))?\b`)
	address     = regexp.MustCompile(`[a-z]+://\S+|github\.com/\S+`)
)

// properNames are not declarations, though they are spelled like some.
var properNames = []string{
	"KiB", "MiB", "GiB", "RealSense", "GitHub", "SuperSpeed", "Go", "Debian", "Linux", "Python", "Noetic", "TypeScript", "Chromium", "Foxglove", "Lichtblick",
	"bcdUVC", "bcdUSB", // fields of USB descriptors
	"xxHash32",        // an algorithm
	"FrequencyStatus", // a class of diagnostic_updater
}

// TestCommentsNameWhatExists looks up the identifiers and files that comments
// name: words in mixed caps, dotted names, doc links, paths, and the capitalised
// words of package comments. A word such as "open" is prose to it.
func TestCommentsNameWhatExists(t *testing.T) {
	d := declaredNames(t)
	report := func(file string, line int, name string) {
		t.Errorf("%s:%d: the comment names %s, which doesn't exist", file, line, name)
	}
	for _, s := range load(t) {
		if ast.IsGenerated(s.ast) {
			continue
		}
		for _, group := range s.ast.Comments {
			for _, c := range group.List {
				for i, line := range strings.Split(c.Text, "\n") {
					for _, name := range staleInComment(d, s.folder, address.ReplaceAllString(line, "")) {
						report(s.path, s.line(c.Pos())+i, name)
					}
				}
			}
		}
		if s.ast.Doc == nil {
			continue
		}
		text := strings.ReplaceAll(s.ast.Doc.Text(), "\n", " ")
		for _, m := range capitalised.FindAllStringSubmatch(text, -1) {
			// Two capitalised words in a row are the name of something else.
			if m[2] == "" && !d.packages[s.folder].words[m[1]] && !slices.Contains(properNames, m[1]) {
				report(s.path, s.line(s.ast.Doc.Pos()), m[1])
			}
		}
	}
}

// staleInComment returns names in a line of a comment that don't exist.
func staleInComment(d *declared, folder, line string) []string {
	var stale []string
	from := d.packages[folder]
	for _, m := range docLink.FindAllStringSubmatch(line, -1) {
		if !token.IsKeyword(m[1]) && !d.resolve(from, m[1]) {
			stale = append(stale, "["+m[1]+"]")
		}
	}
	for _, name := range filePath.FindAllString(line, -1) {
		if name = strings.Trim(strings.TrimPrefix(name, "//"), ".*"); d.isOurFile(name) {
			if !d.hasFile(name) && !d.hasFile(path.Join(folder, name)) {
				stale = append(stale, name)
			}
			line = strings.Replace(line, name, "", 1)
		}
	}
	for _, name := range dottedName.FindAllString(line, -1) {
		first, _, dotted := strings.Cut(name, ".")
		switch {
		case slices.Contains(properNames, name):
		case dotted && len(first) > 1 && isCode(name):
			if !d.resolve(from, name) {
				stale = append(stale, name)
			}
		case !dotted && mixedCaps.MatchString(name) && !d.words[name]:
			stale = append(stale, name)
		}
	}
	return stale
}

// isCode distinguishes a dotted identifier from a host or a file of another program.
func isCode(dotted string) bool {
	switch path.Ext(dotted) {
	case ".bag", ".mcap", ".h", ".hpp", ".c", ".cpp", ".cc", ".py", ".msg", ".launch", ".rviz", ".yaml", ".yml", ".json", ".txt", ".png", ".html", ".org", ".com":
		return false
	}
	return true
}

// isOurFile reports whether a word can only be a file of this repository: Go, a script or a page, or a
// path that begins with one of our folders.
func (d *declared) isOurFile(name string) bool {
	first, _, deep := strings.Cut(strings.TrimPrefix(name, "./"), "/")
	switch path.Ext(name) {
	case ".go", ".md", ".sh":
		return !strings.HasPrefix(name, "_") // a suffix such as that of test files
	}
	return deep && d.files[first] && !strings.Contains(name, "...")
}

// hasFile reports whether a path from the root exists. It may hold a pattern, and a decision may be
// named by its number.
func (d *declared) hasFile(name string) bool {
	name = path.Clean(name)
	if d.files[name] {
		return true
	}
	if path.Dir(name) == "docs/decisions" {
		name += "-*"
	}
	if !strings.Contains(name, "*") {
		return false
	}
	for file := range d.files {
		if ok, err := path.Match(name, file); ok && err == nil {
			return true
		}
	}
	return false
}
