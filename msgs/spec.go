package msgs

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Kind is the kind of a field's elements.
type Kind uint8

// The kinds. The deprecated byte and char are KindInt8 and KindUint8.
const (
	KindStruct Kind = iota
	KindBool
	KindInt8
	KindUint8
	KindInt16
	KindUint16
	KindInt32
	KindUint32
	KindInt64
	KindUint64
	KindFloat32
	KindFloat64
	KindString
	KindTime
	KindDuration
)

var kinds = map[string]Kind{
	"bool": KindBool, "int8": KindInt8, "byte": KindInt8, "uint8": KindUint8, "char": KindUint8,
	"int16": KindInt16, "uint16": KindUint16, "int32": KindInt32, "uint32": KindUint32,
	"int64": KindInt64, "uint64": KindUint64, "float32": KindFloat32, "float64": KindFloat64,
	"string": KindString, "time": KindTime, "duration": KindDuration,
}

// Size returns the wire size of an element in bytes. For a string it is that of the length field, for a struct 0.
func (k Kind) Size() int { return sizes[k] }

var sizes = [...]int{
	KindBool: 1, KindInt8: 1, KindUint8: 1, KindInt16: 2, KindUint16: 2, KindInt32: 4,
	KindUint32: 4, KindInt64: 8, KindUint64: 8,
	KindFloat32: 4, KindFloat64: 8, KindString: 4, KindTime: 8, KindDuration: 8,
}

// Variable is Field.Len of an array of variable length.
const Variable = -1

// Field is a field of a definition.
type Field struct {
	Name  string
	Type  string // element type: "uint8", "std_msgs/Header"
	Kind  Kind
	Array bool
	Len   int   // of an array: fixed length or Variable
	Sub   *Spec // KindStruct only
}

// Constant is a named value of a definition.
type Constant struct {
	Type, Name, Value string
	sumName           string // Name in the text of the MD5 sum
}

// Spec is a parsed message definition. It is immutable.
type Spec struct {
	Name      string
	Text      string // without dependencies
	Fields    []Field
	Constants []Constant

	md5     string
	min     int64 // minimum wire size, at most maxSize
	fixed   bool  // all messages have size min
	stamped bool  // contains a Header at any depth
}

const (
	maxSize  = 1 << 40 // larger than any message; prevents overflow of sums
	maxDepth = 50      // of nested types
	maxFixed = 1 << 22 // elements of a fixed array; times maxSize fits an int64

	// Bounds of a definition with its dependencies.
	maxText   = 4 << 20 // bytes
	maxFields = 1 << 14 // fields and constants
)

// MD5 returns the type's MD5 sum.
func (s *Spec) MD5() string { return s.md5 }

// FixedSize returns the wire size in bytes if all messages of the type have the same.
func (s *Spec) FixedSize() (size int64, ok bool) { return s.min, s.fixed }

// FullText returns the definition with dependencies in the format of `gendeps --cat`, which connection headers use.
func (s *Spec) FullText() string {
	var b strings.Builder
	b.WriteString(s.Text)
	s.writeDeps(&b, make(map[*Spec]bool))
	return b.String()
}

// writeDeps writes each type that s needs and that wasn't seen yet, before the types that it needs.
func (s *Spec) writeDeps(b *strings.Builder, seen map[*Spec]bool) {
	for i := range s.Fields {
		if d := s.Fields[i].Sub; d != nil && !seen[d] {
			seen[d] = true
			b.WriteString("\n" + strings.Repeat("=", 80) + "\nMSG: " + d.Name + "\n" + d.Text)
			d.writeDeps(b, seen)
		}
	}
}

// Parse parses a definition in the format of connection headers: the type's own definition,
// followed by its dependencies, each after a line of '=' and a line "MSG: pkg/Type".
func Parse(typeName, definition string) (*Spec, error) {
	return ParseFrom(typeName, Split(typeName, definition).Text)
}

// ParseFrom parses a type. text returns the definitions of single types.
func ParseFrom(typeName string, text func(name string) (string, bool)) (*Spec, error) {
	if pkg, name, ok := strings.Cut(typeName, "/"); !ok || pkg == "" || name == "" {
		return nil, fmt.Errorf("type name %q: want package/Type", typeName)
	}
	own, ok := text(typeName)
	if !ok {
		return nil, fmt.Errorf("type %s has no definition", typeName)
	}
	p := parser{text: text, specs: make(map[string]*Spec)}
	return p.parse(typeName, own, 0)
}

// Definitions are the definitions of single types by name.
type Definitions map[string]string

// Text returns the definition of a type.
func (d Definitions) Text(name string) (string, bool) {
	text, ok := d[name]
	return text, ok
}

// Split splits a definition in the format of connection headers into its types. The first one of a name counts.
func Split(typeName, definition string) Definitions {
	list := make(Definitions)
	name, start, pos := typeName, 0, 0
	store := func(end int) {
		if _, seen := list[name]; !seen {
			list[name] = strings.TrimSuffix(definition[start:end], "\n")
		}
	}
	for pos < len(definition) {
		line, next := lineAt(definition, pos)
		if isSeparator(line) {
			title, after := lineAt(definition, next)
			if typ, ok := strings.CutPrefix(strings.TrimSpace(title), "MSG:"); ok {
				store(pos)
				name, start, next = strings.TrimSpace(typ), after, after
			}
		}
		pos = next
	}
	store(len(definition))
	return list
}

func lineAt(s string, pos int) (line string, next int) {
	if n := strings.IndexByte(s[pos:], '\n'); n >= 0 {
		return s[pos : pos+n], pos + n + 1
	}
	return s[pos:], len(s)
}

func isSeparator(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 20 && strings.Trim(line, "=") == ""
}

// parser parses each type once.
type parser struct {
	text          func(name string) (string, bool)
	specs         map[string]*Spec // nil while being parsed, to detect cycles
	bytes, fields int              // of all types so far
}

func (p *parser) parse(name, text string, depth int) (*Spec, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("type %s: more than %d nested types", name, maxDepth)
	}
	if p.bytes += len(text); p.bytes > maxText {
		return nil, fmt.Errorf("type %s: its definition, with the types before it, has more than %d bytes", name, maxText)
	}
	p.specs[name] = nil
	s := &Spec{Name: name, Text: text}
	pkg, _, _ := strings.Cut(name, "/")
	for i, line := range strings.Split(text, "\n") {
		if err := p.line(s, pkg, line, depth); err != nil {
			return nil, fmt.Errorf("type %s, line %d: %w", name, i+1, err)
		}
	}
	s.finish()
	p.specs[name] = s
	return s, nil
}

func (p *parser) line(s *Spec, pkg, line string, depth int) error {
	clean, _, _ := strings.Cut(line, "#")
	clean = strings.TrimSpace(clean)
	if clean == "" {
		return nil
	}
	if p.fields++; p.fields > maxFields {
		return fmt.Errorf("more than %d fields in the definition", maxFields)
	}
	if typ, rest, ok := cutType(clean); ok && strings.Contains(rest, "=") {
		if typ == "string" { // a string constant includes '#'
			_, rest, _ = cutType(strings.TrimSpace(line))
		}
		name, value, _ := strings.Cut(rest, "=")
		c := Constant{typ, strings.TrimSpace(name), strings.TrimSpace(value), strings.TrimSpace(name)}
		if declared, _, _ := strings.Cut(line, "="); typ == "string" { // genmsg's name starts after the line's first space
			if _, after, ok := strings.Cut(declared, " "); ok {
				c.sumName = strings.TrimSpace(after)
			}
		}
		s.Constants = append(s.Constants, c)
		return nil
	}
	words := strings.Fields(clean)
	if len(words) != 2 {
		return fmt.Errorf("%q: want \"type name\"", clean)
	}
	f, err := p.field(pkg, words[0], words[1], depth)
	s.Fields = append(s.Fields, f)
	return err
}

func cutType(line string) (typ, rest string, ok bool) {
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, "", false
	}
	return line[:i], line[i+1:], true
}

func (p *parser) field(pkg, typ, name string, depth int) (Field, error) {
	f := Field{Name: name}
	var err error
	if f.Type, f.Array, f.Len, err = splitArray(typ); err != nil {
		return f, err
	}
	if k, ok := kinds[f.Type]; ok {
		f.Kind = k
		return f, nil
	}
	if f.Type == "Header" {
		f.Type = "std_msgs/Header"
	} else if !strings.Contains(f.Type, "/") {
		f.Type = pkg + "/" + f.Type
	}
	sub, seen := p.specs[f.Type]
	if seen && sub == nil {
		return f, fmt.Errorf("%s contains itself", f.Type)
	}
	if !seen {
		text, ok := p.text(f.Type)
		if !ok {
			return f, fmt.Errorf("type %s has no definition", f.Type)
		}
		if sub, err = p.parse(f.Type, text, depth+1); err != nil {
			return f, err
		}
	}
	f.Sub = sub
	if f.Array && sub.min == 0 {
		return f, fmt.Errorf("%s is an array of the empty type %s", name, f.Type)
	}
	return f, nil
}

// splitArray parses types such as "float64[9]".
func splitArray(typ string) (elem string, array bool, n int, err error) {
	elem, rest, array := strings.Cut(typ, "[")
	if !array {
		return elem, false, 0, nil
	}
	if rest == "]" {
		return elem, true, Variable, nil
	}
	count, ok := strings.CutSuffix(rest, "]")
	n, err = strconv.Atoi(count)
	if !ok || err != nil || n < 0 || n > maxFixed {
		return "", false, 0, fmt.Errorf("invalid array type %q", typ)
	}
	return elem, true, n, nil
}

// finish computes MD5 and minimum size.
func (s *Spec) finish() {
	s.fixed, s.stamped = true, s.isHeader()
	for i := range s.Fields {
		f := &s.Fields[i]
		s.min = min(s.min+f.MinSize(), maxSize)
		s.fixed = s.fixed && f.fixedElem() && !(f.Array && f.Len == Variable)
		if f.Sub != nil {
			s.stamped = s.stamped || f.Sub.stamped
		}
	}
	sum := md5.Sum([]byte(s.md5Text()))
	s.md5 = hex.EncodeToString(sum[:])
}

// md5Text returns the input of the MD5 sum: constants, then fields, with the MD5 of a struct instead of its name.
func (s *Spec) md5Text() string {
	var lines []string
	for _, c := range s.Constants {
		lines = append(lines, c.Type+" "+c.sumName+"="+c.Value)
	}
	for i := range s.Fields {
		lines = append(lines, s.Fields[i].md5Line())
	}
	return strings.Join(lines, "\n")
}

func (f *Field) md5Line() string {
	if f.Kind == KindStruct {
		return f.Sub.md5 + " " + f.Name
	}
	// Type is as written, so it may be byte or char.
	switch {
	case !f.Array:
		return f.Type + " " + f.Name
	case f.Len == Variable:
		return f.Type + "[] " + f.Name
	}
	return fmt.Sprintf("%s[%d] %s", f.Type, f.Len, f.Name)
}

// elemSize returns the minimum wire size of an element.
func (f *Field) elemSize() int64 {
	if f.Kind == KindStruct {
		return f.Sub.min
	}
	return int64(f.Kind.Size())
}

// MinSize returns the minimum wire size of the field in bytes. MinSize zeros are a valid field.
func (f *Field) MinSize() int64 {
	switch {
	case !f.Array:
		return f.elemSize()
	case f.Len == Variable:
		return 4
	}
	return min(int64(f.Len)*f.elemSize(), maxSize)
}

// fixedElem reports whether all elements have the size elemSize.
func (f *Field) fixedElem() bool {
	if f.Kind == KindStruct {
		return f.Sub.fixed
	}
	return f.Kind != KindString
}
