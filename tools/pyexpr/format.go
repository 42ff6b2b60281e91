package pyexpr

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"rsros/msgs"
)

// maxWidth bounds the width and the precision of a formatted value.
const maxWidth = 1000

// The last groups of both are flags, width, precision and verb.
var (
	percentField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`%(?:%|([-+ 0]*)(\d{0,4})(?:\.(\d{1,4}))?([a-zA-Z]))|%`)
	})
	braceField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`\{\{|\}\}|\{(\d{0,4})(?:!([rs]))?(?::([<>]?[-+ ]?0?)(\d{0,4})(?:\.(\d{1,4}))?([a-zA-Z]?))?\}|[{}]`)
	})
)

func (f *frame) percent(pattern string, v any) string {
	args := []any{v}
	if tuple, ok := tupleItems(v); ok {
		args = tuple
	}
	next := 0
	text := f.replaced(pattern, percentField(), func(m []string) string {
		if m[0] == "%%" {
			return "%"
		}
		if next++; m[4] == "" || next > len(args) {
			fail("%q: field %s is not supported, or beyond the %d values", pattern, m[0], len(args))
		}
		v, verb := args[next-1], m[4]
		switch verb {
		case "s", "r":
			v, verb = f.text(v, verb == "s"), "s"
		case "d", "i":
			if f, ok := v.(float64); ok {
				v = toInt(f)
			}
			verb = "d"
		}
		return formatted(v, m[1], m[2], m[3], verb)
	})
	if next < len(args) {
		fail("%q: fewer fields than the %d values", pattern, len(args))
	}
	return text
}

// format computes str.format with fields such as {}, {0}, {!r} and {:>8.3f}.
func (f *frame) format(pattern string, args []any) string {
	next, numbered := 0, false
	return f.replaced(pattern, braceField(), func(m []string) string {
		switch {
		case m[0] == "{{" || m[0] == "}}":
			return m[0][:1]
		case len(m[0]) == 1:
			fail("format %q is not supported; use fields such as {}, {0} and {:>8.3f}", pattern)
		}
		at, err := strconv.Atoi(m[1])
		if numbered = numbered || err == nil; err != nil {
			at = next
			next++
		}
		if at >= len(args) || numbered && next > 0 {
			fail("format %q has more fields than the %d values, or mixes fields with and without numbers", pattern, len(args))
		}
		v, flags := args[at], m[3]
		if m[2] != "" || flags+m[4]+m[5]+m[6] == "" {
			v = f.text(v, m[2] != "r")
		}
		if _, ok := v.(string); ok && !strings.HasPrefix(flags, ">") {
			flags += "-" // to the left
		}
		return formatted(v, strings.Replace(flags, "<", "-", 1), m[4], m[5], m[6])
	})
}

func (f *frame) replaced(pattern string, find *regexp.Regexp, with func(groups []string) string) string {
	return find.ReplaceAllStringFunc(pattern, func(field string) string {
		text := with(find.FindStringSubmatch(field))
		f.spend(len(text) + len(pattern)/16)
		return text
	})
}

// formatted formats a value by a verb of Python. flags are those of Go, and > to align right.
func formatted(v any, flags, width, precision, verb string) string {
	for _, text := range []string{width, precision} {
		if n, _ := strconv.Atoi(text); n > maxWidth {
			fail("width or precision %s; the limit is %d", text, maxWidth)
		}
	}
	flags = strings.ReplaceAll(flags, ">", "")
	n, whole := asInt(v)
	_, isText := v.(string)
	switch {
	case isText && (verb == "s" || verb == ""):
		flags, verb = strings.Trim(flags, "+ 0"), "s"
	case whole && precision == "" && (verb == "" || strings.Contains("bdoxX", verb)):
		v, verb = n, cmp.Or(verb, "d")
	case isNumber(v) && verb != "" && strings.Contains("eEfFgG", verb):
		v, precision = asFloat(v), cmp.Or(precision, "6")
		if x := asFloat(v); math.IsInf(x, 0) || math.IsNaN(x) {
			v, flags, precision, verb = msgs.FormatFloat(x), strings.Trim(flags, "+ 0"), "", "s"
		}
	case isNumber(v) && precision == "" && verb == "" && strings.Trim(flags, "-") == "":
		v, verb = msgs.FormatFloat(asFloat(v)), "s"
	default:
		fail("formatting %s as %q is not supported", kindOf(v), flags+width+precision+verb)
	}
	if precision != "" {
		precision = "." + precision
	}
	return fmt.Sprintf("%"+flags+width+precision+verb, v)
}
