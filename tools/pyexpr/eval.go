package pyexpr

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"rsros/msgs"
)

// Bounds on the evaluation of an expression over one message.
const (
	maxSteps  = 5_000_000 // plus 4 for each byte of the message
	maxMemory = 64 << 20  // bytes of lists and strings that it creates
	maxDigits = 4300      // of a number, as in Python
	maxBits   = 14284     // of a number with maxDigits
)

// Env is the message for which an expression is evaluated.
type Env struct {
	Topic   string
	Time    msgs.Time
	Spec    *msgs.Spec // nil: using m fails
	Data    []byte
	Context context.Context // cancels the evaluation; may be nil
}

// Holds reports whether the expression is true for a message.
func (x *Expr) Holds(e Env) (holds bool, err error) {
	err = x.evaluate(e, func(_ *frame, v any) { holds = truth(v) })
	return holds, err
}

// WriteValue writes the expression's value as Python's print does, without the newline.
func (x *Expr) WriteValue(w io.Writer, e Env) error {
	return x.evaluate(e, func(f *frame, v any) {
		out := bufio.NewWriter(w)
		f.write(out, v, true)
		if err := out.Flush(); err != nil {
			panic(failure{err})
		}
	})
}

func (x *Expr) evaluate(e Env, use func(*frame, any)) error {
	return x.evaluateWithin(bounds{maxSteps + 4*len(e.Data), maxMemory}, e, use)
}

func (x *Expr) evaluateWithin(most bounds, e Env, use func(*frame, any)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			bad, ok := r.(failure)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("%s: %w", x.source, bad.error)
		}
	}()
	f := &frame{Env: e, variables: make([]any, x.variables), most: most, left: most}
	use(f, x.root(f))
	return nil
}

type failure struct{ error }

func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// bounds are numbers of steps, and of bytes of lists and strings.
type bounds struct{ steps, memory int }

type frame struct {
	Env
	checked    bool  // Data fits Spec
	variables  []any // by slot
	most, left bounds
}

func (f *frame) message() any {
	if f.Spec == nil {
		fail("the message's definition is invalid")
	}
	if !f.checked {
		if err := f.Spec.Check(f.Data); err != nil {
			fail("decode %s: %w", f.Spec.Name, err)
		}
		f.checked = true
	}
	return f.Spec.Value(f.Data)
}

func (f *frame) evaluate(nodes []node) []any {
	values := make([]any, len(nodes))
	for i, n := range nodes {
		values[i] = n(f)
	}
	return values
}

// work counts n steps. It checks the context every 65,536 steps.
func (f *frame) work(n int) {
	before := f.left.steps
	if f.left.steps -= n; f.left.steps>>16 != before>>16 && f.Context != nil && f.Context.Err() != nil {
		panic(failure{f.Context.Err()})
	}
	if f.left.steps < 0 {
		fail("the expression takes more than %d steps", f.most.steps)
	}
}

// spend counts n bytes of memory, and the steps to fill them.
func (f *frame) spend(n int) {
	f.work(n / 16)
	if f.left.memory -= n; n < 0 || f.left.memory < 0 {
		fail("the expression takes more than %d MiB of memory", f.most.memory>>20)
	}
}
