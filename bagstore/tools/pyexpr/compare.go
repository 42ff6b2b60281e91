package pyexpr

import (
	"cmp"
	"math"
	"math/big"
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
		fail("%s and %s can't be compared by %s", kindOf(a), kindOf(b), op)
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

// identical is "is". Only None, True and False are one object each.
func identical(a, b any) bool {
	for _, v := range []any{a, b} {
		if _, ok := v.(bool); ok || v == nil {
			x, isBool := a.(bool)
			y, isBool2 := b.(bool)
			return isBool == isBool2 && x == y && (a == nil) == (b == nil)
		}
	}
	fail("is takes None, True or False; compare %s by ==", kindOf(b))
	return false
}

// order compares two values: -1, 0 or 1. ok is false where Python refuses it, and
// for NaN.
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

// exact is a number without rounding, or nil.
func exact(v any) *big.Float {
	if n, ok := asInt(v); ok {
		return new(big.Float).SetInt(n)
	}
	if f, ok := v.(float64); ok && !math.IsNaN(f) {
		return new(big.Float).SetFloat64(f)
	}
	return nil
}

// same is ==.
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

// sameElements compares two collections. In Python a list, a tuple and a bytes
// object differ whatever they hold.
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
	for x, y := range f.pairs(a, b) {
		if !f.same(x, y) {
			return false
		}
	}
	return true
}

// sameMessage is == of genpy's messages: of the same type with the same fields.
func (f *frame) sameMessage(a, b msgs.Value) bool {
	if a.Spec().Name != b.Spec().Name || a.Spec().MD5() != b.Spec().MD5() {
		return false
	}
	for _, field := range a.Spec().Fields {
		x, y := f.field(a, field.Name), f.field(b, field.Name)
		if !f.same(x, y) {
			return false
		}
	}
	return true
}

// contains is "x in v".
func (f *frame) contains(v, x any) bool {
	if whole, ok := v.(string); ok {
		part, ok := x.(string)
		if !ok {
			fail("a string doesn't hold %s", kindOf(x))
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
