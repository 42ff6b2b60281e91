package rstext

import (
	"iter"
	"slices"
	"strings"
)

// Pair is a key and its value.
type Pair struct{ Key, Value string }

// Pairs splits a text at each ';' as librealsense does. A second '=' ends the value.
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

// find returns the last value of a key.
func find(s, key string) (value string, ok bool) {
	for p := range Pairs(s) {
		if p.Key == key {
			value, ok = p.Value, true
		}
	}
	return value, ok
}

// Join joins pairs with ';'.
func Join(pairs ...Pair) string {
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		parts[i] = p.Key + "=" + p.Value
	}
	return strings.Join(parts, ";")
}

// List splits names that are separated by ';'.
func List(s string) []string {
	return slices.DeleteFunc(strings.Split(s, ";"), func(name string) bool { return name == "" })
}

var cleaner = strings.NewReplacer(";", ",", "=", ":", "\x00", "")

// Clean replaces ';' by ',' and '=' by ':', and removes NUL. It reports whether s had any.
func Clean(s string) (clean string, changed bool) {
	clean = cleaner.Replace(s)
	return clean, clean != s
}
