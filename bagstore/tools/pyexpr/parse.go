package pyexpr

import (
	"fmt"
	"slices"
)

// maxDepth bounds parentheses within parentheses, and the like.
const maxDepth = 200

// Expr is an expression that is understood.
type Expr struct {
	source string
	root   node
}

// node computes a value.
type node func(*Env) (any, error)

// Parse reads an expression. The error is a *SyntaxError that names what isn't
// understood.
func Parse(source string) (*Expr, error) {
	tokens, err := scan(source)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	root, err := p.expression()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != end {
		return nil, p.strange(t)
	}
	return &Expr{source, root}, nil
}

// String is the expression as it was written.
func (x *Expr) String() string { return x.source }

type parser struct {
	tokens []token
	depth  int
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

func (p *parser) expect(word string) error {
	if !p.accept(word) {
		return &SyntaxError{p.peek().at + 1, fmt.Sprintf("%s is expected, not %v", word, p.peek())}
	}
	return nil
}

func (p *parser) strange(t token) error {
	if t.kind == end {
		return &SyntaxError{t.at + 1, "the expression ends too early"}
	}
	return &SyntaxError{t.at + 1, fmt.Sprintf("%v isn't understood here", t)}
}

// expression is "a if b else c" and everything below.
func (p *parser) expression() (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, &SyntaxError{p.peek().at + 1, "parts within parts too deep"}
	}
	defer func() { p.depth-- }()
	yes, err := p.or()
	if err != nil || !p.accept("if") {
		return yes, err
	}
	condition, err := p.or()
	if err != nil {
		return nil, err
	}
	if err := p.expect("else"); err != nil {
		return nil, err
	}
	no, err := p.expression()
	if err != nil {
		return nil, err
	}
	return func(e *Env) (any, error) {
		v, err := condition(e)
		if err != nil {
			return nil, err
		}
		if truth(v) {
			return yes(e)
		}
		return no(e)
	}, nil
}

func (p *parser) or() (node, error)  { return p.logical("or", true, p.and) }
func (p *parser) and() (node, error) { return p.logical("and", false, p.not) }

// logical is a chain of and, or of or. It ends with the first value that decides.
func (p *parser) logical(word string, decides bool, operand func() (node, error)) (node, error) {
	var list []node
	for {
		n, err := operand()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if !p.accept(word) {
			break
		}
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return func(e *Env) (v any, err error) {
		for _, n := range list {
			if v, err = n(e); err != nil || truth(v) == decides {
				return v, err
			}
		}
		return v, nil
	}, nil
}

func (p *parser) not() (node, error) {
	negate := false
	for p.accept("not") {
		negate = !negate
		if !p.at("not") { // as bool(x) does, also after "not not"
			operand, err := p.comparison()
			if err != nil {
				return nil, err
			}
			return func(e *Env) (any, error) {
				v, err := operand(e)
				return truth(v) != negate, err
			}, nil
		}
	}
	return p.comparison()
}

// comparisons that may follow an operand.
var comparisons = []string{"==", "!=", "<", "<=", ">", ">=", "in", "not"}

// comparison is a chain such as 0 < a <= b, of which each link must hold.
func (p *parser) comparison() (node, error) {
	first, err := p.sum()
	if err != nil {
		return nil, err
	}
	type link struct {
		op   string
		with node
	}
	var links []link
	for slices.ContainsFunc(comparisons, p.at) {
		op := p.take().text
		if op == "not" {
			if err := p.expect("in"); err != nil {
				return nil, err
			}
			op = "not in"
		}
		with, err := p.sum()
		if err != nil {
			return nil, err
		}
		links = append(links, link{op, with})
	}
	if len(links) == 0 {
		return first, nil
	}
	return func(e *Env) (any, error) {
		left, err := first(e)
		for _, l := range links {
			if err != nil {
				return nil, err
			}
			right, err := l.with(e)
			if err != nil {
				return nil, err
			}
			ok, err := compare(l.op, left, right)
			if err != nil || !ok {
				return false, err
			}
			left = right
		}
		return true, err
	}, nil
}

func (p *parser) sum() (node, error)     { return p.binary(p.product, "+", "-") }
func (p *parser) product() (node, error) { return p.binary(p.sign, "*", "/", "//", "%") }

func (p *parser) binary(operand func() (node, error), ops ...string) (node, error) {
	left, err := operand()
	for err == nil && slices.ContainsFunc(ops, p.at) {
		op, a := p.take().text, left
		b, bErr := operand()
		left, err = func(e *Env) (any, error) {
			x, err := a(e)
			if err != nil {
				return nil, err
			}
			y, err := b(e)
			if err != nil {
				return nil, err
			}
			return arithmetic(op, x, y)
		}, bErr
	}
	return left, err
}

func (p *parser) sign() (node, error) {
	negate, signs := false, 0
	for p.at("-") || p.at("+") {
		negate = negate != (p.take().text == "-")
		signs++
	}
	operand, err := p.postfix()
	if err != nil || signs == 0 {
		return operand, err
	}
	return func(e *Env) (any, error) {
		v, err := operand(e)
		if err != nil {
			return nil, err
		}
		return signed(v, negate)
	}, nil
}

// postfix is a value with fields, calls of methods and indexes after it.
func (p *parser) postfix() (node, error) {
	value, err := p.atom()
	for err == nil {
		switch {
		case p.accept("."):
			value, err = p.attribute(value)
		case p.accept("["):
			value, err = p.index(value)
		case p.at("("):
			return nil, &SyntaxError{p.peek().at + 1, "this call isn't understood"}
		default:
			return value, nil
		}
	}
	return nil, err
}

func (p *parser) attribute(of node) (node, error) {
	t := p.take()
	if t.kind != name {
		return nil, p.strange(t)
	}
	if !p.accept("(") {
		return func(e *Env) (any, error) {
			v, err := of(e)
			if err != nil {
				return nil, err
			}
			return field(v, t.text)
		}, nil
	}
	known, ok := methods[t.text]
	if !ok {
		return nil, &SyntaxError{t.at + 1, fmt.Sprintf("the method %s isn't understood", t.text)}
	}
	args, err := p.list(")")
	if err != nil {
		return nil, err
	}
	if len(args) < known.least || len(args) > known.most {
		return nil, &SyntaxError{t.at + 1, fmt.Sprintf("%s with %d arguments isn't understood", t.text, len(args))}
	}
	return func(e *Env) (any, error) {
		values, err := evaluate(e, append([]node{of}, args...))
		if err != nil {
			return nil, err
		}
		return known.call(values[0], values[1:])
	}, nil
}

func (p *parser) index(of node) (node, error) {
	at, err := p.expression()
	if err != nil {
		return nil, err
	}
	if p.at(":") {
		return nil, &SyntaxError{p.peek().at + 1, "slices aren't understood"}
	}
	if err := p.expect("]"); err != nil {
		return nil, err
	}
	return func(e *Env) (any, error) {
		values, err := evaluate(e, []node{of, at})
		if err != nil {
			return nil, err
		}
		return element(values[0], values[1])
	}, nil
}

func evaluate(e *Env, nodes []node) ([]any, error) {
	values := make([]any, len(nodes))
	for i, n := range nodes {
		var err error
		if values[i], err = n(e); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// list reads expressions up to the closing bracket, which it takes.
func (p *parser) list(closing string) ([]node, error) {
	var list []node
	for !p.accept(closing) {
		n, err := p.expression()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if !p.accept(",") {
			return list, p.expect(closing)
		}
	}
	return list, nil
}
