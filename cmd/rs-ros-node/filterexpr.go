package main

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"rsros/bagstore"
	"rsros/bagstore/tools/pyexpr"
	"rsros/msgs"
)

// filterExpression selects messages by a Python expression, and optionally prints
// another expression for each message, like rosbag filter.
type filterExpression struct {
	keep  *pyexpr.Expr
	print *pyexpr.Expr // may be nil
	out   *bufio.Writer
	specs map[*bagstore.Connection]*msgs.Spec // nil if the definition is invalid
}

// newFilterExpression parses the expressions; print may be empty.
func newFilterExpression(keep, print string, out io.Writer) (f *filterExpression, err error) {
	f = &filterExpression{out: bufio.NewWriter(out), specs: make(map[*bagstore.Connection]*msgs.Spec)}
	if f.keep, err = pyexpr.Parse(keep); err != nil {
		return nil, usageError{fmt.Errorf("invalid expression: %w; flags select by topic, type and time", err)}
	}
	if print == "" {
		return f, nil
	}
	if f.print, err = pyexpr.Parse(print); err != nil {
		return nil, usageError{fmt.Errorf("invalid expression of --print: %w", err)}
	}
	return f, nil
}

// message reports whether m is selected.
func (f *filterExpression) message(ctx context.Context, m bagstore.Message) (bool, error) {
	env := pyexpr.Env{Context: ctx, Topic: m.Conn.Topic, Time: msgs.Time(m.Time), Spec: f.spec(m.Conn), Data: m.Data}
	keep, err := f.keep.Holds(env)
	if err == nil && f.print != nil {
		fmt.Fprint(f.out, map[bool]string{true: "MATCH ", false: "NO MATCH "}[keep])
		err = f.print.WriteValue(f.out, env)
		fmt.Fprintln(f.out)
	}
	if err != nil {
		return false, fmt.Errorf("message of %s at %d.%09d: %w", m.Conn.Topic, m.Time.Sec(), m.Time.Nsec(), err)
	}
	return keep, nil
}

func (f *filterExpression) spec(c *bagstore.Connection) *msgs.Spec {
	spec, known := f.specs[c]
	if !known {
		spec, _ = msgs.Parse(c.Type, c.Definition) // an expression that reads fields returns the error
		f.specs[c] = spec
	}
	return spec
}
