package test

import (
	"flag"
	"fmt"
	"go/doc"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of packages to "+architecturePage)

const (
	architecturePage    = "docs/architecture.md"
	architectureHeading = "## Packages"
)

// TestArchitectureTable checks the tables of layers and packages in the documentation. A package's
// purpose is the first sentence of its doc comment.
func TestArchitectureTable(t *testing.T) {
	table := layerTable() + "\n" + packageTable(t)
	old := tablesOf(section(t, architecturePage, architectureHeading))
	if old == table {
		return
	}
	if *update {
		name := filepath.Join(root, architecturePage)
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(page), old, table, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	is, want := strings.Split(old, "\n"), strings.Split(table, "\n")
	for _, row := range want {
		if !slices.Contains(is, row) {
			t.Errorf("%s lacks the row\n%s", architecturePage, row)
		}
	}
	for _, row := range is {
		if !slices.Contains(want, row) {
			t.Errorf("%s has an outdated row\n%s", architecturePage, row)
		}
	}
	t.Errorf("to write the tables: go test ./test -run %s -update", t.Name())
}

func layerTable() string {
	b := new(strings.Builder)
	b.WriteString("| layer | what it holds | imports none of |\n|---|---|---|\n")
	for _, l := range layers {
		fmt.Fprintf(b, "| %s | %s | %s |\n", l.name, l.purpose, strings.Join(l.without, ", "))
	}
	return b.String()
}

// packageTable leaves out internal packages: only their parent can import them.
func packageTable(t *testing.T) string {
	rows := map[string]string{}
	for _, s := range load(t) {
		if s.ast.Doc == nil || s.test || belowTest(s.folder) || isInternal(s.folder) {
			continue
		}
		if i := layerOf(s.folder); i >= 0 {
			key := fmt.Sprintf("%02d %s", i, s.folder)
			rows[key] = fmt.Sprintf("| %s | `%s` | %s |\n", layers[i].name, s.folder, purpose(s.ast.Doc.Text()))
		}
	}
	b := new(strings.Builder)
	b.WriteString("| layer | package | purpose |\n|---|---|---|\n")
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		b.WriteString(rows[key])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// purpose returns the first sentence of a package comment without its first words, "Package name" or
// "Command name".
func purpose(comment string) string {
	var p doc.Package
	words := strings.Fields(p.Synopsis(comment))
	if len(words) < 3 {
		return ""
	}
	return strings.ReplaceAll(strings.Join(words[2:], " "), "|", `\|`)
}

func isInternal(folder string) bool {
	return path.Base(folder) == "internal" || strings.Contains(folder+"/", "/internal/")
}

// tablesOf returns a section of a page, starting at its first table.
func tablesOf(section string) string {
	start := strings.Index(section, "| layer |")
	if start < 0 {
		return ""
	}
	return strings.TrimSpace(section[start:])
}

// section returns the text of a page from a heading to the next heading of the
// same level.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	start := slices.Index(lines, heading)
	if start < 0 {
		t.Fatalf("%s has no heading %q", page, heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	rest := lines[start+1:]
	if end := slices.IndexFunc(rest, func(line string) bool { return strings.HasPrefix(line, level+" ") }); end >= 0 {
		rest = rest[:end]
	}
	return strings.Join(rest, "\n")
}
