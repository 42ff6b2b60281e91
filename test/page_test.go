package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
)

// moduleImport is an import or export of another module of the page. Type-only imports aren't part of
// the program.
var moduleImport = regexp.MustCompile(`(?m)^(?:import|export) (?:[^t'][^']*|t[^y'][^']*)?'(\.[^']+)'`)

// TestPageImportsInNoCircle checks that no module of the page's sources imports itself indirectly: what
// such a module finds in the others depends on which is loaded first.
func TestPageImportsInNoCircle(t *testing.T) {
	imports := map[string][]string{}
	err := filepath.WalkDir(filepath.Join(root, "viewer/page/src"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(filepath.Ext(name), ".ts") {
			return err
		}
		text, err := os.ReadFile(name)
		imports[name] = []string{}
		for _, found := range moduleImport.FindAllStringSubmatch(string(text), -1) {
			for _, suffix := range []string{".ts", ".tsx", "/index.ts", "/index.tsx"} {
				imported := filepath.Join(filepath.Dir(name), found[1]) + suffix
				if _, err := os.Stat(imported); err == nil {
					imports[name] = append(imports[name], imported)
				}
			}
		}
		return err
	})
	need.Must(t, err)
	var visit func(way []string, name string)
	done := map[string]bool{}
	visit = func(way []string, name string) {
		if at := slices.Index(way, name); at >= 0 {
			t.Errorf("a circle of imports: %s", strings.Join(append(way[at:], name), " → "))
			return
		}
		if done[name] {
			return
		}
		for _, imported := range imports[name] {
			visit(append(slices.Clone(way), name), imported)
		}
		done[name] = true
	}
	for name := range imports {
		visit(nil, name)
	}
	if len(imports) == 0 {
		t.Fatal("no module found in viewer/page/src")
	}
}
