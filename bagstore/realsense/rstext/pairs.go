package rstext

import (
	"iter"
	"strings"
)

// Pair is a key and its value.
type Pair struct{ Key, Value string }

// Pairs splits a text as librealsense does: at every ';'; the value ends at a
// second '='; a part without '=' has no value; empty parts are passed over.
func Pairs(s string) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		for part := range strings.SplitSeq(s, ";") {
			if part == "" {
				continue
			}
			key, value, _ := strings.Cut(part, "=")
			value, _, _ = strings.Cut(value, "=")
			if !yield(Pair{key, value}) {
				return
			}
		}
	}
}

// find returns the value of a key; the last one counts.
func find(s, key string) (value string, ok bool) {
	for p := range Pairs(s) {
		if p.Key == key {
			value, ok = p.Value, true
		}
	}
	return value, ok
}

// Join writes pairs, with a ';' between two.
func Join(pairs ...Pair) string {
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(p.Key)
		b.WriteByte('=')
		b.WriteString(p.Value)
	}
	return b.String()
}

// List splits names that a ';' separates.
func List(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ";") {
		if part != "" {
			out = append(out, part)
		}
	}
	return out
}

var cleaner = strings.NewReplacer(";", ",", "=", ":", "\x00", "")

// Clean replaces what a value can't hold: ';' by ',', '=' by ':', and NUL by
// nothing. It reports whether it had to.
func Clean(s string) (clean string, changed bool) {
	clean = cleaner.Replace(s)
	return clean, clean != s
}
