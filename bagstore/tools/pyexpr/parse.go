package pyexpr

import "slices"

// maxDepth bounds the nesting of an expression.
const maxDepth = 200

// Expr is a parsed expression.
type Expr struct {
	source    string
	root      node
	variables int // of comprehensions
}

// node computes a value. It panics with a failure where Python raises an exception.
type node func(*frame) any

// Parse reads an expression. The error is a *SyntaxError that names what isn't
// understood.
func Parse(source string) (x *Expr, err error) {
	defer func() {
		if r := recover(); r != nil {
			bad, ok := r.(*SyntaxError)
			if !ok {
				panic(r)
			}
			x, err = nil, bad
		}
	}()
	p := &parser{tokens: scan(source)}
	root := p.expression()
	if t := p.peek(); t.kind != end {
		p.strange(t)
	}
	return &Expr{source, root, p.slots}, nil
}

// String returns the expression as it was written.
func (x *Expr) String() string { return x.source }

// parser compiles tokens into nodes. Its methods panic with a *SyntaxError.
type parser struct {
	tokens []token
	depth  int
	scope  []variable // of the comprehensions around the current token
	slots  int        // used by variables so far
}

// variable is the name that a comprehension binds, and its place in a frame.
type variable struct {
	name string
	slot int
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) take() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

// at reports whether an operator or keyword comes next.
func (p *parser) at(word string) bool {
	t := p.peek()
	return t.text == word && (t.kind == operator || t.kind == name)
}

// accept takes an operator or keyword if it comes next.
func (p *parser) accept(word string) bool {
	if !p.at(word) {
		return false
	}
	p.take()
	return true
}

func (p *parser) expect(word string) {
	if !p.accept(word) {
		refuse(p.peek().at, "%s is expected, not %v", word, p.peek())
	}
}

func (p *parser) strange(t token) {
	if t.kind == end {
		refuse(t.at, "the expression ends too early")
	}
	refuse(t.at, "%v isn't understood here", t)
}

// nest counts a level of nesting until the function that it returns is called.
func (p *parser) nest() (leave func()) {
	if p.depth++; p.depth > maxDepth {
		refuse(p.peek().at, "the expression is nested too deeply")
	}
	return func() { p.depth-- }
}

// expression is "a if b else c", and everything that binds tighter.
func (p *parser) expression() node {
	defer p.nest()()
	yes := p.or()
	if !p.accept("if") {
		return yes
	}
	condition := p.or()
	p.expect("else")
	no := p.expression()
	return func(f *frame) any {
		if truth(condition(f)) {
			return yes(f)
		}
		return no(f)
	}
}

func (p *parser) or() node  { return p.logical("or", true, p.and) }
func (p *parser) and() node { return p.logical("and", false, p.not) }

// logical is a chain of and, or a chain of or. It ends with the first value that
// decides.
func (p *parser) logical(word string, decides bool, operand func() node) node {
	list := []node{operand()}
	for p.accept(word) {
		list = append(list, operand())
	}
	if len(list) == 1 {
		return list[0]
	}
	return func(f *frame) (v any) {
		for _, n := range list {
			if v = n(f); truth(v) == decides {
				break
			}
		}
		return v
	}
}

func (p *parser) not() node {
	if !p.at("not") {
		return p.comparison()
	}
	negate := false
	for p.accept("not") {
		negate = !negate
	}
	operand := p.comparison()
	return func(f *frame) any { return truth(operand(f)) != negate }
}

// comparison is a chain such as 0 < a <= b. Each link must hold.
func (p *parser) comparison() node {
	type link struct {
		op   string
		with node
	}
	first := p.sum()
	var links []link
	for op := p.comparing(); op != ""; op = p.comparing() {
		links = append(links, link{op, p.sum()})
	}
	if len(links) == 0 {
		return first
	}
	return func(f *frame) any {
		left := first(f)
		for _, l := range links {
			right := l.with(f)
			if !f.compare(l.op, left, right) {
				return false
			}
			left = right
		}
		return true
	}
}

// comparing takes an operator that compares; "" if none comes next.
func (p *parser) comparing() string {
	switch {
	case slices.ContainsFunc([]string{"==", "!=", "<", "<=", ">", ">=", "in"}, p.at):
		return p.take().text
	case p.accept("not"):
		p.expect("in")
		return "not in"
	case p.accept("is"):
		if p.accept("not") {
			return "is not"
		}
		return "is"
	}
	return ""
}

func (p *parser) sum() node     { return p.binary(p.product, "+", "-") }
func (p *parser) product() node { return p.binary(p.sign, "*", "/", "//", "%") }

func (p *parser) binary(operand func() node, ops ...string) node {
	left := operand()
	for slices.ContainsFunc(ops, p.at) {
		left = operation(p.take().text, left, operand())
	}
	return left
}

func operation(op string, a, b node) node {
	return func(f *frame) any {
		x := a(f)
		return f.arithmetic(op, x, b(f))
	}
}

// sign is a power with signs before it: -2 ** 2 is -4.
func (p *parser) sign() node {
	negate, signs := false, 0
	for p.at("-") || p.at("+") {
		negate = negate != (p.take().text == "-")
		signs++
	}
	operand := p.postfix()
	if p.accept("**") {
		defer p.nest()()
		operand = operation("**", operand, p.sign())
	}
	if signs == 0 {
		return operand
	}
	return func(f *frame) any { return signed(operand(f), negate) }
}

// postfix is an atom with fields, calls of methods, and indexes after it.
func (p *parser) postfix() node {
	value := p.atom()
	for {
		switch {
		case p.accept("."):
			value = p.attribute(value)
		case p.accept("["):
			value = p.index(value)
		case p.at("("):
			refuse(p.peek().at, "this call isn't understood")
		default:
			return value
		}
	}
}

func (p *parser) attribute(of node) node {
	t := p.take()
	if t.kind != name {
		p.strange(t)
	}
	if !p.accept("(") {
		return func(f *frame) any { return f.field(of(f), t.text) }
	}
	m, ok := methods[t.text]
	if !ok {
		refuse(t.at, "the method %s isn't understood", t.text)
	}
	args := p.arguments(t, m.least, m.most)
	return func(f *frame) any {
		on := of(f)
		return m.call(f, on, f.evaluate(args))
	}
}

// arguments reads those of the function or method t up to the parenthesis.
func (p *parser) arguments(t token, least, most int) []node {
	var args []node
	if g := p.comprehension(")"); g != nil { // without parentheses of its own
		args = []node{func(f *frame) any { return g(f) }}
	} else {
		args = p.list(")")
	}
	if len(args) < least || len(args) > most {
		refuse(t.at, "%s with %d arguments isn't understood", t.text, len(args))
	}
	return args
}

func (p *parser) index(of node) node {
	var bounds [3]node
	parts := 0
	for ; parts < 3; parts++ {
		if !p.at(":") && !p.at("]") {
			bounds[parts] = p.expression()
		}
		if parts == 2 || !p.accept(":") {
			break
		}
	}
	if parts == 0 && bounds[0] == nil {
		p.strange(p.peek())
	}
	p.expect("]")
	if parts == 0 {
		return func(f *frame) any {
			v := of(f)
			return f.element(v, bounds[0](f))
		}
	}
	return func(f *frame) any {
		v := of(f)
		var at [3]any
		for i, n := range bounds {
			if n != nil {
				at[i] = n(f)
			}
		}
		return f.slice(v, at[0], at[1], at[2])
	}
}

// list reads expressions up to the closing bracket, which it takes.
func (p *parser) list(closing string) (list []node) {
	for !p.accept(closing) {
		list = append(list, p.expression())
		if !p.accept(",") {
			p.expect(closing)
			break
		}
	}
	return list
}
