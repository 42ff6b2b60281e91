package pyexpr

import (
	"iter"
	"slices"
)

// atom parses an expression without operators outside brackets.
func (p *parser) atom() node {
	t := p.take()
	switch t.kind {
	case number:
		return constant(t.value)
	case text:
		value := t.text
		for p.peek().kind == text { // adjacent strings are one
			value += p.take().text
		}
		return constant(value)
	case name:
		return p.named(t)
	}
	switch t.text {
	case "(":
		return p.parenthesis()
	case "[":
		return p.collection(aList, "]")
	case "{":
		if p.at("}") {
			refuse(t.at+1, "dictionaries are not supported")
		}
		return p.collection(aSet, "}")
	}
	unexpected(t)
	return nil
}

func constant(v any) node { return func(*frame) any { return v } }

var constants = map[string]any{"True": true, "False": false, "None": nil}

func (p *parser) named(t token) node {
	for _, v := range slices.Backward(p.scope) {
		if v.name == t.text {
			return func(f *frame) any { return f.variables[v.slot] }
		}
	}
	if v, ok := constants[t.text]; ok {
		return constant(v)
	}
	switch t.text {
	case "topic":
		return func(f *frame) any { return f.Topic }
	case "t":
		return func(f *frame) any { return bagTime(f.Time) }
	case "m":
		return (*frame).message
	}
	fn, ok := functions[t.text]
	if !ok || !p.accept("(") {
		refuse(t.at, "%s is not supported; use topic, m and t", t.text)
	}
	return p.call(t, fn)
}

// parenthesis parses an expression in parentheses, a tuple or a generator.
func (p *parser) parenthesis() node {
	if g := p.comprehension(")"); g != nil {
		return g
	}
	if p.accept(")") {
		return constant(list{aTuple, nil})
	}
	first := p.expression()
	if !p.accept(",") {
		p.expect(")")
		return first
	}
	return display(aTuple, append([]node{first}, p.list(")")...))
}

func (p *parser) collection(kind listKind, closing string) node {
	if g := p.comprehension(closing); g != nil {
		return func(f *frame) any { return f.collect(kind, iter.Seq[any](g(f).(generator))) }
	}
	return display(kind, p.list(closing))
}

func display(kind listKind, nodes []node) node {
	return func(f *frame) any { return f.collect(kind, slices.Values(f.evaluate(nodes))) }
}

// keywords can't be variables.
var keywords = []string{"and", "else", "for", "if", "in", "is", "lambda", "not", "or", "True", "False", "None"}

// clause is "for a in b if c if d" of a comprehension.
type clause struct {
	slot       int
	in         node
	conditions []node
}

// comprehension parses "a for b in c" and the closing bracket. Its node yields a generator. If
// there is no comprehension, it returns nil and takes nothing.
func (p *parser) comprehension(closing string) node {
	start, length := p.tokens, p.untilFor()
	if length == 0 {
		return nil
	}
	defer p.nest()()
	outer := len(p.scope)
	p.tokens = start[length:]
	var clauses []clause
	for p.accept("for") {
		clauses = append(clauses, p.clause())
	}
	p.expect(closing)
	rest := p.tokens
	p.tokens = start // the body, now that its variables are known
	body := p.expression()
	if len(p.tokens) != len(start)-length {
		unexpected(p.peek())
	}
	p.tokens, p.scope = rest, p.scope[:outer]
	return func(f *frame) any {
		return generator(func(yield func(any) bool) { f.run(clauses, body, yield) })
	}
}

// untilFor counts the tokens before the next "for" at this level of brackets; 0: there is none.
func (p *parser) untilFor() int {
	depth := 0
	for i, t := range p.tokens {
		switch {
		case t.kind == name && t.text == "for" && depth == 0:
			return i
		case t.kind != operator:
		case slices.Contains([]string{"(", "[", "{"}, t.text):
			depth++
		case slices.Contains([]string{")", "]", "}"}, t.text):
			depth--
		}
		if depth < 0 || depth == 0 && t.kind == operator && t.text == "," {
			break
		}
	}
	return 0
}

func (p *parser) clause() clause {
	t := p.take()
	if t.kind != name || slices.Contains(keywords, t.text) {
		unexpected(t)
	}
	c := clause{slot: p.slots}
	p.slots++
	p.expect("in")
	c.in = p.or()
	p.scope = append(p.scope, variable{t.text, c.slot})
	for p.accept("if") {
		c.conditions = append(c.conditions, p.or())
	}
	return c
}

// run yields the body's value for each combination that fulfils the clauses, until yield returns false.
func (f *frame) run(clauses []clause, body node, yield func(any) bool) bool {
	if len(clauses) == 0 {
		return yield(body(f))
	}
	c := clauses[0]
	for v := range f.elements(c.in(f)) {
		f.variables[c.slot] = v
		holds := !slices.ContainsFunc(c.conditions, func(n node) bool { return !truth(n(f)) })
		if holds && !f.run(clauses[1:], body, yield) {
			return false
		}
	}
	return true
}
