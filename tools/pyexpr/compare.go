package pyexpr

import (
	"cmp"
	"iter"
	"math"
	"math/big"
	"slices"
	"strings"

	"rsros/msgs"
)

func (f *frame) compare(op string, a, b any) bool {
	switch op {
	case "==":
		return f.same(a, b)
	case "!=":
		return !f.same(a, b)
	case "in":
		return f.contains(b, a)
	case "not in":
		return !f.contains(b, a)
	case "is":
		return identical(a, b)
	case "is not":
		return !identical(a, b)
	}
	c, ok := f.order(a, b)
	if !ok {
		if isNumber(a) && isNumber(b) { // one of them is NaN
			return false
		}
		fail("%s %s %s is not supported", kindOf(a), op, kindOf(b))
	}
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// identical computes "is". Only None, True and False are singletons.
func identical(a, b any) bool {
	singleton := func(v any) bool {
		_, ok := v.(bool)
		return ok || v == nil
	}
	if !singleton(a) && !singleton(b) {
		fail("is takes None, True or False; use == to compare %s", kindOf(b))
	}
	return a == b
}

// order returns -1, 0 or 1. ok is false for NaN, and where Python refuses the comparison.
func (f *frame) order(a, b any) (c int, ok bool) {
	a, b = plain(a), plain(b)
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y), true
		}
	case float64:
		if y, ok := b.(float64); ok {
			return cmp.Compare(x, y), x == x && y == y
		}
	case string:
		y, ok := b.(string)
		f.work(min(len(x), len(y)) / 64)
		return strings.Compare(x, y), ok
	case msgs.Time:
		y, ok := b.(msgs.Time)
		return cmp.Compare(x, y), ok
	case msgs.Duration:
		y, ok := b.(msgs.Duration)
		return cmp.Compare(x, y), ok
	}
	x, y := exact(a), exact(b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Cmp(y), true
}

func isSequence(v any) bool {
	m, isValue := v.(msgs.Value)
	_, isList := v.(list)
	return isList || isValue && m.IsArray()
}

func isNumber(v any) bool {
	_, isFloat := v.(float64)
	return isFloat || exact(v) != nil
}

// exact returns a number without rounding; nil for other values.
func exact(v any) *big.Float {
	if n, ok := asInt(v); ok {
		return new(big.Float).SetInt(n)
	}
	if f, ok := v.(float64); ok && !math.IsNaN(f) {
		return new(big.Float).SetFloat64(f)
	}
	return nil
}

// same computes ==.
func (f *frame) same(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if isSequence(a) && isSequence(b) {
		return f.sameElements(a, b)
	}
	x, isMessage := a.(msgs.Value)
	y, isMessage2 := b.(msgs.Value)
	if isMessage && isMessage2 && !x.IsArray() && !y.IsArray() {
		return f.sameMessage(x, y)
	}
	c, ok := f.order(a, b)
	return ok && c == 0
}

// sameElements compares two collections, which differ if their kinds do, as in Python.
func (f *frame) sameElements(a, b any) bool {
	kind, n := f.collection(a)
	other, m := f.collection(b)
	if n != m || kind != other {
		return false
	}
	if kind == aSet {
		for x := range f.elements(a) {
			if !f.contains(b, x) {
				return false
			}
		}
		return true
	}
	next, stop := iter.Pull(f.elements(b))
	defer stop()
	for x := range f.elements(a) {
		if y, _ := next(); !f.same(x, y) {
			return false
		}
	}
	return true
}

// sameMessage compares messages like genpy: the same type and the same fields.
func (f *frame) sameMessage(a, b msgs.Value) bool {
	if a.Spec().Name != b.Spec().Name || a.Spec().MD5() != b.Spec().MD5() {
		return false
	}
	return !slices.ContainsFunc(a.Spec().Fields, func(field msgs.Field) bool {
		return !f.same(f.field(a, field.Name), f.field(b, field.Name))
	})
}

// contains computes "x in v".
func (f *frame) contains(v, x any) bool {
	if whole, ok := v.(string); ok {
		part, ok := x.(string)
		if !ok {
			fail("%s in a string is not supported", kindOf(x))
		}
		f.work(len(whole) / 16)
		return strings.Contains(whole, part)
	}
	for e := range f.elements(v) {
		if f.same(e, x) {
			return true
		}
	}
	return false
}
