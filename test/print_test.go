package test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// rawStreams are the files that may use the process's own standard streams. Everything else prints
// through the command line's printer, which quotes what would steer a terminal.
var rawStreams = []string{
	"cmd/rs-ros-node/main.go",        // hands them to run
	"cmd/rs-ros-node/log.go",         // quotes what a log line holds
	"cmd/rs-ros-node/progress.go",    // draws a bar
	"cmd/rs-ros-node/recordtable.go", // draws a table, and quotes its texts
	"cmd/rs-ros-node/play.go",        // the player draws its line, which holds numbers only

	"deploy/dist/main.go",                  // a program of its own
	"examples/goroslib/main.go",            // the same
	"msgs/goros/internal/generate/main.go", // the same
	"web/internal/bundle/main.go",          // the same
}

func TestNothingPrintsDirectly(t *testing.T) {
	for _, s := range load(t) {
		if s.test || belowTest(s.folder) || slices.Contains(rawStreams, s.path) {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				name := n.Sel.Name
				if x, ok := n.X.(*ast.Ident); ok && (x.Name == "os" && (name == "Stdout" || name == "Stderr") || x.Name == "fmt" && strings.HasPrefix(name, "Print")) {
					t.Errorf("%s:%d: %s.%s goes around the printer", s.path, s.line(n.Pos()), x.Name, name)
				}
				if s.folder == "cmd/rs-ros-node" && name == "raw" {
					t.Errorf("%s:%d: the raw streams go around the printer", s.path, s.line(n.Pos()))
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
					t.Errorf("%s:%d: %s goes around the printer", s.path, s.line(n.Pos()), f.Name)
				}
			}
			return true
		})
	}
}
