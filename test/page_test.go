package test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// moduleImport is an import or export of another module of the page. Type-only imports aren't part of
// the program.
var moduleImport = regexp.MustCompile(`(?m)^(?:import|export) (?:[^t'][^']*|t[^y'][^']*)?'(\.[^']+)'`)

// TestPageImportsInNoCircle checks that no module of the page's sources imports itself indirectly: what
// such a module finds in the others depends on which is loaded first.
func TestPageImportsInNoCircle(t *testing.T) {
	names, err := kept()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for _, name := range names {
		if !strings.HasPrefix(name, "web/src/") || !strings.HasPrefix(path.Ext(name), ".ts") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		imports[name] = []string{}
		for _, found := range moduleImport.FindAllStringSubmatch(string(text), -1) {
			imported := path.Join(path.Dir(name), found[1])
			for _, suffix := range []string{".ts", ".tsx", "/index.ts", "/index.tsx"} {
				if slices.Contains(names, imported+suffix) {
					imports[name] = append(imports[name], imported+suffix)
				}
			}
		}
	}
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
		t.Fatal("no module found in web/src")
	}
}
