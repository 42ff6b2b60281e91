package rewrite

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/tools/pyexpr"
)

// Expression selects messages by a Python expression, and optionally prints another expression for each message, like
// rosbag filter. It is for one goroutine.
type Expression struct {
	ctx   context.Context
	keep  *pyexpr.Expr
	print *pyexpr.Expr // may be nil
	out   *bufio.Writer
	specs map[*bagstore.Connection]*msgs.Spec // nil if the definition is invalid
	cache msgs.Cache[*msgs.Spec]
}

// NewExpression parses the expressions; print may be empty. What is printed goes to out, at the latest with Flush.
func NewExpression(ctx context.Context, keep, print string, out io.Writer) (e *Expression, err error) {
	e = &Expression{ctx: ctx, out: bufio.NewWriter(out), specs: make(map[*bagstore.Connection]*msgs.Spec)}
	if e.keep, err = pyexpr.Parse(keep); err != nil {
		return nil, fmt.Errorf("invalid expression: %w; flags select by topic, type and time", err)
	}
	if print == "" {
		return e, nil
	}
	if e.print, err = pyexpr.Parse(print); err != nil {
		return nil, fmt.Errorf("invalid expression of --print: %w", err)
	}
	return e, nil
}

// Flush writes what is printed.
func (e *Expression) Flush() error { return e.out.Flush() }

// Keep reports whether the expression is true for a message. It is a function for Options.Keep.
func (e *Expression) Keep(m bagstore.Message) (bool, error) {
	env := pyexpr.Env{Context: e.ctx, Topic: m.Conn.Topic, Time: msgs.Time(m.Time), Spec: e.spec(m.Conn), Data: m.Data}
	keep, err := e.keep.Holds(env)
	if err == nil && e.print != nil {
		fmt.Fprint(e.out, map[bool]string{true: "MATCH ", false: "NO MATCH "}[keep])
		err = e.print.WriteValue(e.out, env)
		fmt.Fprintln(e.out)
	}
	if err != nil {
		return false, fmt.Errorf("message of %s at %d.%09d: %w", m.Conn.Topic, m.Time.Sec(), m.Time.Nsec(), err)
	}
	return keep, nil
}

func (e *Expression) spec(c *bagstore.Connection) *msgs.Spec {
	spec, known := e.specs[c]
	if !known {
		spec, _ = e.cache.Get(c.Type, c.Definition, msgs.Parse) // an expression that reads fields returns the error
		e.specs[c] = spec
	}
	return spec
}
