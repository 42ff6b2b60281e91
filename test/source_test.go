package test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	module = "rsros"
	root   = ".." // the repository, relative to this folder
)

// source is one parsed Go file. Build tags are ignored: a rule holds for every platform and every
// optional part.
type source struct {
	path   string // relative to the repository, with slashes
	folder string // path's folder, "." for the root
	test   bool
	lines  int
	fset   *token.FileSet
	ast    *ast.File
}

// imports lists what the file imports, unquoted.
func (s source) imports(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, spec := range s.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: import %s: %v", s.path, spec.Path.Value, err)
		}
		paths = append(paths, p)
	}
	return paths
}

// functions lists the functions and methods that the file declares.
func (s source) functions() []*ast.FuncDecl {
	var list []*ast.FuncDecl
	for _, decl := range s.ast.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			list = append(list, f)
		}
	}
	return list
}

func (s source) line(pos token.Pos) int { return s.fset.Position(pos).Line }

// sources parses the repository once for all tests.
var sources = sync.OnceValues(func() ([]source, error) {
	var list []source
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != root && (strings.HasPrefix(base, ".") || base == "build" || base == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		s, err := parse(name)
		list = append(list, s)
		return err
	})
	return list, err
})

func parse(name string) (source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return source{}, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		return source{}, err
	}
	rel, err := filepath.Rel(root, name)
	if err != nil {
		return source{}, err
	}
	rel = filepath.ToSlash(rel)
	return source{
		path:   rel,
		folder: path.Dir(rel),
		test:   strings.HasSuffix(rel, "_test.go"),
		lines:  bytes.Count(text, []byte("\n")),
		fset:   fset,
		ast:    tree,
	}, nil
}

func load(t *testing.T) []source {
	t.Helper()
	list, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no Go file found")
	}
	return list
}

// kept lists the files that git tracks or would add, relative to the repository.
var kept = sync.OnceValues(func() ([]string, error) {
	// The folder's owner may differ from the user who runs the test.
	git := exec.Command("git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = root
	git.Stderr = os.Stderr
	out, err := git.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	names := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	if len(names) == 0 {
		return nil, errors.New("git ls-files names no file")
	}
	return names, nil
})
