package test

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// declared is what a comment or a page may name: packages with their declarations, every word of the
// code, and every file that git tracks.
type declared struct {
	packages map[string]*goPackage // by folder
	words    map[string]bool       // of all packages, scripts and message definitions
	imported map[string]bool       // names of the packages that ours import
	files    map[string]bool       // files and folders from the root, with slashes
}

// goPackage is one folder of Go files, tests included.
type goPackage struct {
	name  string
	top   map[string]map[string]bool // top-level identifier → fields and methods
	words map[string]bool            // identifiers, and the words in string literals
}

var (
	wordPattern   = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
	versionSuffix = regexp.MustCompile(`/v[0-9]+$`)
)

// declarations indexes the repository once for all tests.
var declarations = sync.OnceValues(func() (*declared, error) {
	list, err := sources()
	if err != nil {
		return nil, err
	}
	files, err := kept()
	if err != nil {
		return nil, err
	}
	d := &declared{packages: map[string]*goPackage{}, words: map[string]bool{}, imported: map[string]bool{}, files: map[string]bool{}}
	for _, s := range list {
		d.addSource(s)
	}
	for _, p := range d.packages {
		maps.Copy(d.words, p.words)
	}
	for _, name := range files {
		for folder := name; folder != "."; folder = path.Dir(folder) {
			d.files[folder] = true
		}
		if !speaksOfPrograms(name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		}
		if err != nil {
			return nil, err
		}
		addWords(d.words, string(text))
	}
	return d, nil
})

// speaksOfPrograms reports whether the words of a file that isn't Go are names, too: targets and
// variables, fields of messages, arguments of launch files.
func speaksOfPrograms(name string) bool {
	return name == "Makefile" || name == "Dockerfile" || name == "docker-compose.yml" || strings.HasPrefix(name, "launch/") ||
		strings.HasPrefix(name, "msgs/definitions/") || strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".cpp") ||
		strings.HasPrefix(name, "web/src/") && (strings.HasSuffix(name, ".ts") || strings.HasSuffix(name, ".tsx"))
}

func declaredNames(t *testing.T) *declared {
	t.Helper()
	d, err := declarations()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *declared) addSource(s source) {
	p := d.packages[s.folder]
	if p == nil {
		p = &goPackage{top: map[string]map[string]bool{}, words: map[string]bool{}}
		d.packages[s.folder] = p
	}
	p.name = strings.TrimSuffix(s.ast.Name.Name, "_test")
	for _, spec := range s.ast.Imports {
		d.imported[path.Base(versionSuffix.ReplaceAllString(strings.Trim(spec.Path.Value, `"`), ""))] = true
	}
	for _, decl := range s.ast.Decls {
		p.addDecl(decl)
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			p.words[n.Name] = true
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				addWords(p.words, n.Value)
			}
		}
		return true
	})
}

func addWords(words map[string]bool, text string) {
	for _, w := range wordPattern.FindAllString(text, -1) {
		words[w] = true
	}
}

func (p *goPackage) addDecl(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			p.member(decl.Name.Name, "")
		} else {
			p.member(typeName(decl.Recv.List[0].Type), decl.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					p.member(name.Name, "")
				}
			case *ast.TypeSpec:
				p.member(spec.Name.Name, "")
				p.addFields(spec)
			}
		}
	}
}

func (p *goPackage) addFields(spec *ast.TypeSpec) {
	var fields *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			p.member(spec.Name.Name, name.Name)
		}
		if len(field.Names) == 0 { // embedded; "*" is what it promotes
			p.member(spec.Name.Name, typeName(field.Type))
			p.member(spec.Name.Name, "*")
		}
	}
}

// member adds a top-level identifier and, unless it is "", one of its fields or methods.
func (p *goPackage) member(top, name string) {
	if p.top[top] == nil {
		p.top[top] = map[string]bool{}
	}
	if name != "" {
		p.top[top][name] = true
	}
}

// typeName returns the last identifier of a type expression, without qualifiers.
func typeName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	}
	return ""
}

// named returns the packages of one name.
func (d *declared) named(name string) []*goPackage {
	var list []*goPackage
	for _, p := range d.packages {
		if p.name == name {
			list = append(list, p)
		}
	}
	return list
}

// has reports whether the package declares the first name, and the second as its field or method. Types
// of fields aren't followed, so a third name may be any.
func (p *goPackage) has(names []string) bool {
	members, ok := p.top[names[0]]
	if !ok || len(names) == 1 {
		return ok
	}
	return members[names[1]] || members["*"] && p.words[names[1]]
}

// resolve reports whether a dotted name, as seen from a package, exists: a package's declaration, a
// type's field or method, or a variable's or field's. A name from a library counts if the library is
// imported anywhere.
func (d *declared) resolve(from *goPackage, dotted string) bool {
	names := strings.Split(dotted, ".")
	if len(names) == 1 {
		return d.words[dotted]
	}
	if from != nil && from.has(names) {
		return true
	}
	if ours := d.named(names[0]); len(ours) > 0 && token.IsExported(names[1]) {
		return slices.ContainsFunc(ours, func(p *goPackage) bool { return p.has(names[1:]) })
	}
	declares := func(names []string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(d.packages)), func(p *goPackage) bool { return p.has(names) })
	}
	if token.IsExported(names[0]) && declares(names[:1]) {
		return declares(names)
	}
	if d.imported[names[0]] {
		return true
	}
	known := d.words
	if from != nil && token.IsExported(names[1]) {
		known = from.words
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !known[name] })
}
