package pyexpr

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"rsros/msgs"
)

// callable is a builtin function, or a method, whose first argument is its object.
type callable struct {
	least, most int // arguments, without the object
	call        func(f *frame, args []any) any
}

const many = 100 // arguments

var functions = map[string]callable{
	"len":   {1, 1, func(f *frame, args []any) any { return int64(f.length(args[0])) }},
	"abs":   {1, 1, func(_ *frame, args []any) any { return absolute(args[0]) }},
	"min":   {1, many, func(f *frame, args []any) any { return f.extreme("<", args) }},
	"max":   {1, many, func(f *frame, args []any) any { return f.extreme(">", args) }},
	"sum":   {1, 2, sum},
	"any":   {1, 1, func(f *frame, args []any) any { return f.hasTruth(args[0], true) }},
	"all":   {1, 1, func(f *frame, args []any) any { return !f.hasTruth(args[0], false) }},
	"int":   {1, 1, func(_ *frame, args []any) any { return toInt(args[0]) }},
	"float": {1, 1, func(_ *frame, args []any) any { return toFloat(args[0]) }},
	"str":   {1, 1, func(f *frame, args []any) any { return f.text(args[0], true) }},
	"bool":  {1, 1, func(_ *frame, args []any) any { return truth(args[0]) }},
	"list":  {1, 1, func(f *frame, args []any) any { return f.collect(aList, f.elements(args[0])) }},
	"tuple": {1, 1, func(f *frame, args []any) any { return f.collect(aTuple, f.elements(args[0])) }},
	"set":   {1, 1, func(f *frame, args []any) any { return f.collect(aSet, f.elements(args[0])) }},
	"range": {1, 3, rangeOf},
}

func absolute(v any) any {
	if n, ok := asInt(v); ok {
		return integer(new(big.Int).Abs(n))
	}
	switch v := v.(type) {
	case float64:
		return math.Abs(v)
	case msgs.Duration:
		return max(v, -v)
	}
	fail("%s has no absolute value", kindOf(v))
	return nil
}

func (f *frame) extreme(op string, args []any) (best any) {
	var values any = list{items: args}
	if len(args) == 1 {
		values = args[0]
	}
	found := false
	for v := range f.elements(values) {
		if !found || f.compare(op, v, best) {
			best, found = v, true
		}
	}
	if !found {
		fail("min or max of nothing")
	}
	return best
}

func sum(f *frame, args []any) any {
	total := any(int64(0))
	if len(args) == 2 {
		total = args[1]
	}
	for v := range f.elements(args[0]) {
		total = f.arithmetic("+", total, v)
	}
	return total
}

func (f *frame) hasTruth(v any, want bool) bool {
	for x := range f.elements(v) {
		if truth(x) == want {
			return true
		}
	}
	return false
}

func toInt(v any) any {
	if n, ok := asInt(v); ok {
		return integer(n)
	}
	switch v := v.(type) {
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			n, _ := big.NewFloat(v).Int(nil)
			return integer(n)
		}
	case string:
		if n, ok := new(big.Int).SetString(strings.TrimSpace(v), 10); ok && len(v) < maxDigits {
			return integer(n)
		}
	}
	fail("%s is not an integer", kindOf(v))
	return nil
}

func toFloat(v any) any {
	if isNumber(v) {
		return asFloat(v)
	}
	if s, ok := v.(string); ok {
		if f, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
			return f
		}
	}
	fail("%s is not a number", kindOf(v))
	return nil
}

func rangeOf(_ *frame, args []any) any {
	from, to, by := int64(0), sliceBound(args[0], 0), int64(1)
	if len(args) > 1 {
		from, to = to, sliceBound(args[1], 0)
	}
	if len(args) > 2 {
		by = sliceBound(args[2], 1)
	}
	if by == 0 {
		fail("the step of a range is 0")
	}
	return generator(func(yield func(any) bool) {
		for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
			if !yield(i) {
				return
			}
		}
	})
}
