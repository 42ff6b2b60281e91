package pyexpr

import "fmt"

// atom is what no operator is in.
func (p *parser) atom() (node, error) {
	switch t := p.take(); t.kind {
	case number:
		return constant(t.value), nil
	case text:
		value := t.text
		for p.peek().kind == text { // neighbours are one string
			value += p.take().text
		}
		return constant(value), nil
	case name:
		return p.named(t)
	case operator:
		switch t.text {
		case "(":
			return p.parenthesis()
		case "[":
			return p.collection("]")
		case "{":
			return p.collection("}")
		}
		return nil, p.strange(t)
	default:
		return nil, p.strange(t)
	}
}

func constant(v any) node { return func(*Env) (any, error) { return v, nil } }

var constants = map[string]any{"True": true, "False": false, "None": nil}

func (p *parser) named(t token) (node, error) {
	if v, ok := constants[t.text]; ok {
		return constant(v), nil
	}
	switch t.text {
	case "topic":
		return func(e *Env) (any, error) { return e.Topic, nil }, nil
	case "t":
		return func(e *Env) (any, error) { return e.Time, nil }, nil
	case "m":
		return func(e *Env) (any, error) { return e.message() }, nil
	}
	f, ok := functions[t.text]
	if !ok || !p.accept("(") {
		return nil, &SyntaxError{t.at + 1, fmt.Sprintf("%s isn't understood; there are topic, m and t", t.text)}
	}
	args, err := p.list(")")
	if err != nil {
		return nil, err
	}
	if len(args) < f.least || len(args) > f.most {
		return nil, &SyntaxError{t.at + 1, fmt.Sprintf("%s with %d arguments isn't understood", t.text, len(args))}
	}
	return func(e *Env) (any, error) {
		values, err := evaluate(e, args)
		if err != nil {
			return nil, err
		}
		return f.call(values)
	}, nil
}

// parenthesis is a value in parentheses, or a tuple.
func (p *parser) parenthesis() (node, error) {
	if p.accept(")") {
		return constant([]any{}), nil
	}
	first, err := p.expression()
	if err != nil {
		return nil, err
	}
	if !p.accept(",") {
		return first, p.expect(")")
	}
	rest, err := p.list(")")
	return listOf(append([]node{first}, rest...)), err
}

func (p *parser) collection(closing string) (node, error) {
	list, err := p.list(closing)
	if err == nil && closing == "}" && len(list) == 0 {
		err = &SyntaxError{p.peek().at, "dictionaries aren't understood"}
	}
	return listOf(list), err
}

func listOf(nodes []node) node {
	return func(e *Env) (any, error) {
		values, err := evaluate(e, nodes)
		return values, err
	}
}
