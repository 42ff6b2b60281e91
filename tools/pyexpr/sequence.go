package pyexpr

import (
	"iter"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"rsros/msgs"
)

// collection returns the kind and the length of a collection, and fails for other values.
func (f *frame) collection(v any) (listKind, int) {
	switch v := v.(type) {
	case list:
		return v.kind, len(v.items)
	case msgs.Value:
		if !v.IsArray() {
			break
		}
		switch v.Kind() {
		case msgs.KindUint8:
			return aBytes, v.Len()
		case msgs.KindBool, msgs.KindString, msgs.KindTime, msgs.KindDuration, msgs.KindStruct:
			return aList, v.Len()
		}
		return aTuple, v.Len()
	}
	fail("%s has no elements", kindOf(v))
	return 0, 0
}

// elements yields the elements of a collection or generator, or a string's characters, a step each.
func (f *frame) elements(v any) iter.Seq[any] {
	return func(yield func(any) bool) {
		step := func(x any) bool {
			f.work(1)
			return yield(x)
		}
		if g, ok := v.(generator); ok {
			g(step)
			return
		}
		if s, ok := v.(string); ok {
			for _, r := range s {
				if !step(string(r)) {
					return
				}
			}
			return
		}
		f.collection(v) // fails for other values
		array, isArray := v.(msgs.Value)
		switch {
		case !isArray:
			slices.Values(v.(list).items)(step)
		case array.Kind() == msgs.KindUint8: // one pass over pixels
			for _, c := range array.Decoder().Raw(array.Len()) {
				if !step(int64(c)) {
					return
				}
			}
		default:
			for x := range array.All() {
				if !step(f.decoded(x)) {
					return
				}
			}
		}
	}
}

// tupleItems returns the items of a tuple that the expression created.
func tupleItems(v any) ([]any, bool) {
	l, ok := v.(list)
	return l.items, ok && l.kind == aTuple
}

func (f *frame) collect(kind listKind, values iter.Seq[any]) list {
	l := list{kind: kind}
	for v := range values {
		if kind == aSet && f.contains(l, v) {
			continue
		}
		f.spend(32)
		l.items = append(l.items, v)
	}
	return l
}

func (f *frame) bytes(v any) string {
	if a, ok := v.(msgs.Value); ok {
		return string(a.Decoder().Raw(a.Len()))
	}
	items := v.(list).items
	b := make([]byte, len(items))
	for i, x := range items {
		b[i] = byte(x.(int64))
	}
	return string(b)
}

func (f *frame) length(v any) int {
	if s, ok := v.(string); ok {
		f.work(len(s) / 16)
		return utf8.RuneCountInString(s)
	}
	_, n := f.collection(v)
	return n
}

// element returns v[at]. A negative index counts from the end.
func (f *frame) element(v, at any) any {
	n, ok := asInt(at)
	if !ok {
		fail("the index is %s, not an integer", kindOf(at))
	}
	size := int64(f.length(v))
	i := sliceBound(at, 0)
	if i < 0 {
		i += size
	}
	if i < 0 || i >= size {
		fail("index %v is out of range for %d elements", n, size)
	}
	switch v := v.(type) {
	case string:
		return string([]rune(v)[i])
	case list:
		if v.kind != aSet {
			return v.items[i]
		}
	case msgs.Value:
		return f.part(v, v.Index(int(i)))
	}
	fail("a set has no order")
	return nil
}

// slice returns v[from:to:step]; any of the three may be nil.
func (f *frame) slice(v, from, to, step any) any {
	size, by := int64(f.length(v)), sliceBound(step, 1)
	if by == 0 {
		fail("the step of a slice is 0")
	}
	lowest, highest, round := int64(0), size, by-1 // range of a bound
	start, stop := lowest, highest
	if by < 0 {
		lowest, highest, round = -1, size-1, by+1
		start, stop = highest, lowest
	}
	within := func(bound any, otherwise int64) int64 {
		n := sliceBound(bound, otherwise)
		if n < 0 && bound != nil {
			n += size
		}
		return min(max(n, lowest), highest)
	}
	start, stop = within(from, start), within(to, stop)
	count := max((stop-start+round)/by, 0)
	next, reverse := start, by < 0
	if reverse {
		next, by = start+(count-1)*by, -by // ascending
	}
	var items []any
	at := int64(0)
	for x := range f.elements(v) {
		if int64(len(items)) == count {
			break
		}
		if at == next {
			f.spend(32)
			items = append(items, x)
			next += by
		}
		at++
	}
	if reverse {
		slices.Reverse(items)
	}
	if _, ok := v.(string); ok {
		return f.joined("", items)
	}
	kind, _ := f.collection(v)
	if kind == aSet {
		fail("a set has no order")
	}
	return list{kind, items}
}

func sliceBound(v any, otherwise int64) int64 {
	if v == nil {
		return otherwise
	}
	n, ok := asInt(v)
	if !ok {
		fail("%s is not an integer", kindOf(v))
	}
	if n.CmpAbs(big.NewInt(math.MaxInt32)) > 0 { // longer than any message
		return math.MaxInt32 * int64(n.Sign())
	}
	return n.Int64()
}

func (f *frame) joined(separator string, items []any) string {
	parts := make([]string, len(items))
	for i, x := range items {
		s, ok := x.(string)
		if !ok {
			fail("%s is not a string", kindOf(x))
		}
		f.spend(len(s) + len(separator))
		parts[i] = s
	}
	return strings.Join(parts, separator)
}
