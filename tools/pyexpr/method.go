package pyexpr

import (
	"slices"
	"strings"
	"unicode/utf8"
)

var methods = map[string]callable{
	"startswith": affix(strings.HasPrefix),
	"endswith":   affix(strings.HasSuffix),
	"lower":      {0, 0, func(f *frame, args []any) any { return strings.ToLower(f.stringOf(args[0])) }},
	"upper":      {0, 0, func(f *frame, args []any) any { return strings.ToUpper(f.stringOf(args[0])) }},
	"strip":      {0, 1, strip},
	"find":       {1, 1, func(f *frame, args []any) any { return f.find(f.stringOf(args[0]), args[1]) }},
	"index":      {1, 1, index},
	"count":      {1, 1, count},
	"split":      {0, 2, split},
	"join": {1, 1, func(f *frame, args []any) any {
		return f.joined(f.stringOf(args[0]), f.collect(aList, f.elements(args[1])).items)
	}},
	"format": {0, many, func(f *frame, args []any) any { return f.format(f.stringOf(args[0]), args[1:]) }},

	"to_sec":  ofTime(seconds),
	"to_time": ofTime(seconds),
	"to_nsec": ofTime(func(ns, _, _ int64) any { return ns }),
	"is_zero": ofTime(func(ns, _, _ int64) any { return ns == 0 }),
}

func seconds(_, sec, nsec int64) any { return float64(sec) + float64(nsec)/1e9 }

// stringOf returns v, which must be a string. It counts the memory of a copy.
func (f *frame) stringOf(v any) string {
	s, ok := v.(string)
	if !ok {
		fail("%s is not a string", kindOf(v))
	}
	f.spend(len(s))
	return s
}

// affix returns startswith or endswith, which take a string or a tuple of strings.
func affix(has func(s, affix string) bool) callable {
	return callable{1, 1, func(f *frame, args []any) any {
		s, list := f.stringOf(args[0]), args[1:]
		if tuple, ok := tupleItems(args[1]); ok {
			list = tuple
		}
		return slices.ContainsFunc(list, func(a any) bool { return has(s, f.stringOf(a)) })
	}}
}

func strip(f *frame, args []any) any {
	if len(args) == 1 {
		return strings.TrimSpace(f.stringOf(args[0]))
	}
	return strings.Trim(f.stringOf(args[0]), f.stringOf(args[1]))
}

func (f *frame) find(s string, part any) int64 {
	at := strings.Index(s, f.stringOf(part))
	if at >= 0 {
		at = utf8.RuneCountInString(s[:at])
	}
	return int64(at)
}

func index(f *frame, args []any) any {
	at := int64(0)
	if s, ok := args[0].(string); ok {
		if at = f.find(f.stringOf(s), args[1]); at >= 0 {
			return at
		}
	} else {
		f.collection(args[0])
		for x := range f.elements(args[0]) {
			if f.same(x, args[1]) {
				return at
			}
			at++
		}
	}
	fail("the value is not in %s", kindOf(args[0]))
	return nil
}

func count(f *frame, args []any) any {
	if s, ok := args[0].(string); ok {
		return int64(strings.Count(f.stringOf(s), f.stringOf(args[1])))
	}
	f.collection(args[0])
	n := int64(0)
	for x := range f.elements(args[0]) {
		if f.same(x, args[1]) {
			n++
		}
	}
	return n
}

// split takes an optional separator and the number of splits.
func split(f *frame, args []any) any {
	s := f.stringOf(args[0])
	f.spend(16 * len(s)) // for as many parts as there may be
	var parts []string
	most := int64(-1)
	if len(args) == 3 {
		most = sliceBound(args[2], -1)
	}
	switch {
	case len(args) > 1 && args[1] != nil:
		separator := f.stringOf(args[1])
		if separator == "" {
			fail("empty separator")
		}
		if most >= 0 {
			most++
		}
		parts = strings.SplitN(s, separator, int(most))
	case most >= 0:
		fail("split by a number needs a separator")
	default:
		parts = strings.Fields(s)
	}
	l := list{kind: aList}
	for _, part := range parts {
		l.items = append(l.items, part)
	}
	return l
}

func ofTime(convert func(ns, sec, nsec int64) any) callable {
	return callable{0, 0, func(_ *frame, args []any) any {
		ns, sec, nsec, ok := timeOf(args[0])
		if !ok {
			fail("%s is not a time", kindOf(args[0]))
		}
		return convert(ns, sec, nsec)
	}}
}
