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

var update = flag.Bool("update", false, "write the table of packages to "+architecturePage)

const (
	architecturePage = "docs/architecture.md"
	tableHeading     = "## Packages"
)

// TestArchitectureTable holds the table of packages in the documentation against
// its sources: what a package is for is the first sentence of its doc comment,
// and what it may import is its row in mayImport.
func TestArchitectureTable(t *testing.T) {
	table := packageTable(t)
	old := tableOf(section(t, architecturePage, tableHeading))
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
	t.Errorf("to write the table: go test ./test -run %s -update", t.Name())
}

// packageTable is the table as it should be. Internal packages are left out: only
// their parent can import them.
func packageTable(t *testing.T) string {
	synopsis := map[string]string{}
	for _, s := range load(t) {
		if s.ast.Doc != nil && !s.test {
			synopsis[s.folder] = purpose(s.ast.Doc.Text())
		}
	}
	b := new(strings.Builder)
	b.WriteString("| package | purpose | may import |\n|---|---|---|\n")
	for _, folder := range slices.Sorted(maps.Keys(mayImport)) {
		if isInternal(folder) {
			continue
		}
		imports := slices.DeleteFunc(slices.Sorted(slices.Values(mayImport[folder])), isInternal)
		for i, imported := range imports {
			imports[i] = "`" + imported + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", folder, synopsis[folder], strings.Join(imports, ", "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// purpose is the first sentence of a package comment without its first words,
// "Package name" or "Command name".
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

// tableOf is the table in a section of a page, without what is around it.
func tableOf(section string) string {
	start := strings.Index(section, "| package |")
	if start < 0 {
		return "| package |"
	}
	table, _, _ := strings.Cut(section[start:], "\n\n")
	return strings.TrimSpace(table)
}
