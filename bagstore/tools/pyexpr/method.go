package pyexpr

import (
	"strings"
	"unicode/utf8"
)

// method is called on a value.
type method struct {
	least, most int // arguments
	call        func(f *frame, on any, args []any) any
}

var methods = map[string]method{
	"startswith": affix(strings.HasPrefix),
	"endswith":   affix(strings.HasSuffix),
	"lower":      {0, 0, func(f *frame, on any, _ []any) any { return strings.ToLower(f.stringOf(on)) }},
	"upper":      {0, 0, func(f *frame, on any, _ []any) any { return strings.ToUpper(f.stringOf(on)) }},
	"strip":      {0, 1, strip},
	"find":       {1, 1, func(f *frame, on any, args []any) any { return f.find(f.stringOf(on), args[0]) }},
	"index":      {1, 1, index},
	"count":      {1, 1, count},
	"split":      {0, 2, split},
	"join":       {1, 1, join},
	"format":     {0, many, func(f *frame, on any, args []any) any { return f.format(f.stringOf(on), args) }},

	"to_sec":  ofTime(seconds),
	"to_time": ofTime(seconds),
	"to_nsec": ofTime(func(ns, _, _ int64) any { return ns }),
	"is_zero": ofTime(func(ns, _, _ int64) any { return ns == 0 }),
}

func seconds(_, sec, nsec int64) any { return float64(sec) + float64(nsec)/1e9 }

// stringOf is v if it is a string, which may be copied.
func (f *frame) stringOf(v any) string {
	s, ok := v.(string)
	if !ok {
		fail("%s is no string", kindOf(v))
	}
	f.spend(len(s))
	return s
}

// affix is startswith or endswith, of a string or of one of several.
func affix(holds func(s, affix string) bool) method {
	return method{1, 1, func(f *frame, on any, args []any) any {
		s := f.stringOf(on)
		if l, ok := args[0].(list); ok && l.kind == aTuple {
			args = l.items
		}
		found := false
		for _, a := range args {
			found = found || holds(s, f.stringOf(a))
		}
		return found
	}}
}

func strip(f *frame, on any, args []any) any {
	if len(args) == 0 {
		return strings.TrimSpace(f.stringOf(on))
	}
	return strings.Trim(f.stringOf(on), f.stringOf(args[0]))
}

func (f *frame) find(s string, part any) int64 {
	at := strings.Index(s, f.stringOf(part))
	if at >= 0 {
		at = utf8.RuneCountInString(s[:at])
	}
	return int64(at)
}

func index(f *frame, on any, args []any) any {
	at := int64(0)
	if s, ok := on.(string); ok {
		if at = f.find(f.stringOf(s), args[0]); at >= 0 {
			return at
		}
	} else {
		f.collection(on)
		for x := range f.elements(on) {
			if f.same(x, args[0]) {
				return at
			}
			at++
		}
	}
	fail("the value isn't in %s", kindOf(on))
	return nil
}

func count(f *frame, on any, args []any) any {
	if s, ok := on.(string); ok {
		return int64(strings.Count(f.stringOf(s), f.stringOf(args[0])))
	}
	f.collection(on)
	n := int64(0)
	for x := range f.elements(on) {
		if f.same(x, args[0]) {
			n++
		}
	}
	return n
}

// split takes a separator, and the number of splits.
func split(f *frame, on any, args []any) any {
	s := f.stringOf(on)
	f.spend(16 * len(s)) // as many parts as it may have
	var parts []string
	most := int64(-1)
	if len(args) == 2 {
		most = sliceBound(args[1], -1)
	}
	switch {
	case len(args) > 0 && args[0] != nil:
		separator := f.stringOf(args[0])
		if separator == "" {
			fail("an empty separator")
		}
		if most >= 0 {
			most++
		}
		parts = strings.SplitN(s, separator, int(most))
	case most >= 0:
		fail("a number of splits needs a separator")
	default:
		parts = strings.Fields(s)
	}
	l := list{kind: aList}
	for _, part := range parts {
		l.items = append(l.items, part)
	}
	return l
}

func join(f *frame, on any, args []any) any {
	return f.joined(f.stringOf(on), f.collect(aList, f.elements(args[0])).items)
}

func ofTime(convert func(ns, sec, nsec int64) any) method {
	return method{0, 0, func(_ *frame, on any, _ []any) any {
		ns, sec, nsec, ok := timeOf(on)
		if !ok {
			fail("%s is no time", kindOf(on))
		}
		return convert(ns, sec, nsec)
	}}
}
