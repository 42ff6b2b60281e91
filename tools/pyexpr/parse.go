package pyexpr

import "slices"

const maxDepth = 200

// Expr is a parsed expression.
type Expr struct {
	source    string
	root      node
	variables int // of comprehensions
}

// node computes a value. It panics with a failure where Python raises an exception.
type node func(*frame) any

// Parse parses an expression. The error is a *SyntaxError.
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
		unexpected(t)
	}
	return &Expr{source, root, p.slots}, nil
}

// parser compiles tokens into nodes. Its methods panic with a *SyntaxError.
type parser struct {
	tokens []token
	depth  int
	scope  []variable // of the comprehensions around the current token
	slots  int        // number of variables so far
}

// variable is a name that a comprehension binds, and its index in frame.variables.
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

func (p *parser) at(word string) bool {
	t := p.peek()
	return t.text == word && (t.kind == operator || t.kind == name)
}

// accept takes an operator or keyword if it is next.
func (p *parser) accept(word string) bool {
	if !p.at(word) {
		return false
	}
	p.take()
	return true
}

func (p *parser) expect(word string) {
	if !p.accept(word) {
		refuse(p.peek().at, "expected %s, found %v", word, p.peek())
	}
}

func unexpected(t token) { refuse(t.at, "unexpected %v", t) }

// nest enters a level of nesting. The caller defers the function that it returns.
func (p *parser) nest() (leave func()) {
	if p.depth++; p.depth > maxDepth {
		refuse(p.peek().at, "expression nested too deeply")
	}
	return func() { p.depth-- }
}

// expression parses "a if b else c", and everything that binds tighter.
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

// logical parses a chain of and, or of or. Its value is the first whose truth is decides, or the last.
func (p *parser) logical(word string, decides bool, operand func() node) node {
	left := operand()
	for p.accept(word) {
		a, b := left, operand()
		left = func(f *frame) any {
			if v := a(f); truth(v) == decides {
				return v
			}
			return b(f)
		}
	}
	return left
}

func (p *parser) not() node {
	if !p.accept("not") {
		return p.comparison()
	}
	defer p.nest()()
	operand := p.not()
	return func(f *frame) any { return !truth(operand(f)) }
}

// comparison parses a chain such as 0 < a <= b. Each link must hold.
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

// comparing takes a comparison operator; "" if none is next.
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

// sign parses a power with signs before it: -2 ** 2 is -4.
func (p *parser) sign() node {
	if t := p.peek(); p.accept("-") || p.accept("+") {
		defer p.nest()()
		operand := p.sign()
		return func(f *frame) any { return f.signed(t.text, operand(f)) }
	}
	operand := p.postfix()
	if p.accept("**") {
		defer p.nest()()
		operand = operation("**", operand, p.sign())
	}
	return operand
}

// postfix parses an atom with fields, method calls and indexes after it.
func (p *parser) postfix() node {
	value := p.atom()
	for {
		switch {
		case p.accept("."):
			value = p.attribute(value)
		case p.accept("["):
			value = p.index(value)
		case p.at("("):
			refuse(p.peek().at, "calling this value is not supported")
		default:
			return value
		}
	}
}

func (p *parser) attribute(object node) node {
	t := p.take()
	if t.kind != name {
		unexpected(t)
	}
	if !p.accept("(") {
		return func(f *frame) any { return f.field(object(f), t.text) }
	}
	m, ok := methods[t.text]
	if !ok {
		refuse(t.at, "method %s is not supported", t.text)
	}
	return p.call(t, m, object)
}

// call parses the arguments of a function or method, and the closing parenthesis.
func (p *parser) call(t token, c callable, object ...node) node {
	var args []node
	if g := p.comprehension(")"); g != nil { // needs no parentheses of its own
		args = []node{g}
	} else {
		args = p.list(")")
	}
	if len(args) < c.least || len(args) > c.most {
		refuse(t.at, "%s with %d arguments is not supported", t.text, len(args))
	}
	args = append(object, args...)
	return func(f *frame) any { return c.call(f, f.evaluate(args)) }
}

func (p *parser) index(object node) node {
	var bounds []node // up to three; nil is left out
	for more := true; more; more = len(bounds) < 3 && p.accept(":") {
		var n node
		if !p.at(":") && !p.at("]") {
			n = p.expression()
		}
		bounds = append(bounds, n)
	}
	if len(bounds) == 1 && bounds[0] == nil {
		unexpected(p.peek())
	}
	p.expect("]")
	return func(f *frame) any {
		v := object(f)
		var at [3]any
		for i, n := range bounds {
			if n != nil {
				at[i] = n(f)
			}
		}
		if len(bounds) == 1 {
			return f.element(v, at[0])
		}
		return f.slice(v, at[0], at[1], at[2])
	}
}

// list parses expressions up to the closing bracket, and takes that.
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
