package test

import (
	"bytes"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines     = 800 // look for a split at 500
	maxFunctionLines = 100 // usually below 50
)

// decoders are the packages that read bytes from outside. Each needs a fuzz target.
var decoders = []string{"bagstore", "bagstore/internal/lz4", "bagstore/realsense/rsbag", "camdriver/d400", "msgs", "node/foxglove", "node/ros", "node/websocket", "node/xmlrpc"}

// foreign are words that belong to one developer's machine; no committed file may contain them. Each is
// split in two so that this file doesn't contain it.
var foreign = []string{
	"/wor" + "k/", "/tmp/pla" + "n",
	"proxy.go" + "lang.org", "deb.deb" + "ian.org", "registry.np" + "mjs", "gopr" + "oxy=",
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, s := range load(t) {
		if s.lines > maxFileLines {
			t.Errorf("%s has %d lines; the limit is %d", s.path, s.lines, maxFileLines)
		}
		for _, f := range s.functions() {
			if n := s.line(f.End()) - s.line(f.Pos()) + 1; n > maxFunctionLines && !s.test {
				t.Errorf("%s:%d: %s has %d lines; the limit is %d", s.path, s.line(f.Pos()), f.Name.Name, n, maxFunctionLines)
			}
		}
	}
}

func TestNoInit(t *testing.T) {
	for _, s := range load(t) {
		for _, f := range s.functions() {
			if f.Name.Name == "init" && f.Recv == nil {
				t.Errorf("%s:%d: init() hides an order of things; wire it where it is used", s.path, s.line(f.Pos()))
			}
		}
	}
}

// TestNoExpressionIsCompiledAtStart checks that no regular expression is compiled at start, which would
// delay every command, even one that prints a version. sync.OnceValue compiles on first use.
func TestNoExpressionIsCompiledAtStart(t *testing.T) {
	for _, s := range load(t) {
		if s.test || belowTest(s.folder) || strings.HasPrefix(s.folder, "deploy/") {
			continue
		}
		for _, decl := range s.ast.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if _, later := n.(*ast.FuncLit); later {
					return false
				}
				if f, ok := n.(*ast.SelectorExpr); ok && f.Sel.Name == "MustCompile" {
					t.Errorf("%s:%d: compiled when the program starts", s.path, s.line(n.Pos()))
				}
				return true
			})
		}
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range load(t) {
		documented[s.folder] = documented[s.folder] || s.ast.Doc != nil
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("package %s has no doc comment: what comes in, what goes out, who owns the memory, what isn't safe concurrently", folder)
		}
	}
}

// TestCommentsBeginWithTheName finds doc comments that don't begin with the name of their function,
// type or method, as after a rename.
func TestCommentsBeginWithTheName(t *testing.T) {
	for _, s := range load(t) {
		if s.test {
			continue // a test's name may suffice
		}
		check := func(name string, doc *ast.CommentGroup) {
			if doc == nil || strings.HasPrefix(doc.List[0].Text, "/*") {
				return
			}
			words := strings.Fields(doc.Text())
			if len(words) > 0 && strings.Trim(words[0], ".,:'s") != strings.Trim(name, "s") && words[0] != "A" && words[0] != "An" && words[0] != "The" {
				t.Errorf("%s:%d: the comment of %s begins with %q", s.path, s.line(doc.Pos()), name, words[0])
			}
		}
		for _, decl := range s.ast.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				check(decl.Name.Name, decl.Doc)
			case *ast.GenDecl:
				if len(decl.Specs) != 1 || decl.Tok != token.TYPE {
					continue
				}
				check(decl.Specs[0].(*ast.TypeSpec).Name.Name, decl.Doc)
			}
		}
	}
}

func TestDecodersAreFuzzed(t *testing.T) {
	exists, fuzzed := map[string]bool{}, map[string]bool{}
	for _, s := range load(t) {
		exists[s.folder] = true
		for _, f := range s.functions() {
			if s.test && strings.HasPrefix(f.Name.Name, "Fuzz") {
				fuzzed[s.folder] = true
			}
		}
	}
	for _, folder := range decoders {
		if exists[folder] && !fuzzed[folder] {
			t.Errorf("package %s decodes bytes from outside and has no fuzz target", folder)
		}
	}
}

// TestNothingLeansOnOneMachine reads every text file that git tracks.
func TestNothingLeansOnOneMachine(t *testing.T) {
	names, err := kept()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(text, 0) >= 0 {
			continue // not a text
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			lower := string(bytes.ToLower(line))
			if slices.ContainsFunc(foreign, func(word string) bool { return strings.Contains(lower, word) }) {
				t.Errorf("%s:%d leans on one machine: %s", name, i+1, line)
			}
		}
	}
}

// TestSkipsAreNeeds checks that only package need skips tests, so that RS_NO_SKIP
// covers all of them.
func TestSkipsAreNeeds(t *testing.T) {
	for _, s := range load(t) {
		if !s.test && !belowTest(s.folder) || s.folder == "test/need" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if f, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, f.Sel.Name) {
				if x, ok := f.X.(*ast.Ident); ok && slices.Contains([]string{"t", "b", "f", "tb"}, x.Name) {
					t.Errorf("%s:%d: %s.%s; use package test/need", s.path, s.line(n.Pos()), x.Name, f.Sel.Name)
				}
			}
			return true
		})
	}
}
