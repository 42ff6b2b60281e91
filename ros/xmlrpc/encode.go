package xmlrpc

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const header = "<?xml version=\"1.0\"?>\n"

func encodeCall(method string, args []any) ([]byte, error) {
	e := encoder{b: []byte(header + "<methodCall><methodName>")}
	e.text(method)
	e.raw("</methodName><params>")
	for _, arg := range args {
		e.raw("<param>")
		e.value(arg, 1)
		e.raw("</param>")
	}
	e.raw("</params></methodCall>\n")
	return e.b, e.err
}

func encodeResponse(value any) ([]byte, error) {
	e := encoder{b: []byte(header + "<methodResponse><params><param>")}
	e.value(value, 1)
	e.raw("</param></params></methodResponse>\n")
	return e.b, e.err
}

func encodeFault(f *Fault) []byte {
	e := encoder{b: []byte(header + "<methodResponse><fault>")}
	e.value(faultValue(f), 1)
	e.raw("</fault></methodResponse>\n")
	return e.b
}

func faultValue(f *Fault) map[string]any {
	return map[string]any{"faultCode": f.Code, "faultString": printable(f.Message)}
}

// encoder writes values; the first error sticks.
type encoder struct {
	b   []byte
	err error
}

func (e *encoder) raw(s string) { e.b = append(e.b, s...) }

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = &EncodeError{Reason: fmt.Sprintf(format, args...)}
	}
}

func (e *encoder) value(value any, depth int) {
	if depth > maxDepth {
		e.fail("values nested deeper than %d", maxDepth)
		return
	}
	e.raw("<value>")
	switch v := value.(type) {
	case nil:
		e.raw("<nil/>")
	case bool:
		e.scalar("boolean", map[bool]string{false: "0", true: "1"}[v])
	case int:
		e.integer(v)
	case float64:
		e.scalar("double", formatDouble(v))
	case string:
		e.raw("<string>")
		e.text(v)
		e.raw("</string>")
	case time.Time:
		e.scalar("dateTime.iso8601", v.UTC().Format(timeLayout))
	case []byte:
		e.scalar("base64", base64.StdEncoding.EncodeToString(v))
	case []string:
		array(e, v, depth)
	case []any:
		array(e, v, depth)
	case map[string]any:
		e.structure(v, depth)
	default:
		e.fail("no type for a %T", value)
	}
	e.raw("</value>")
}

func (e *encoder) scalar(name, content string) {
	e.raw("<" + name + ">" + content + "</" + name + ">")
}

// integer uses i8 only for values above 32 bits, because roscpp supports only int and i4.
func (e *encoder) integer(v int) {
	name := "int"
	if v < math.MinInt32 || v > math.MaxInt32 {
		name = "i8"
	}
	e.scalar(name, strconv.Itoa(v))
}

// formatDouble writes what Python's float() and C's strtod both read back exactly.
func formatDouble(v float64) string {
	return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+")) // nan, inf and -inf
}

func array[T any](e *encoder, values []T, depth int) {
	e.raw("<array><data>")
	for _, v := range values {
		e.value(v, depth+1)
	}
	e.raw("</data></array>")
}

func (e *encoder) structure(fields map[string]any, depth int) {
	e.raw("<struct>")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		e.raw("<member><name>")
		e.text(name)
		e.raw("</name>")
		e.value(fields[name], depth+1)
		e.raw("</member>")
	}
	e.raw("</struct>")
}

// escaper writes a carriage return as a reference, because XML parsers turn it into a line feed.
var escaper = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "\r", "&#13;")

// text writes character data.
func (e *encoder) text(s string) {
	if i := uncarried(s); i >= 0 {
		e.fail("XML can't carry byte %d of %.40q", i, s)
		return
	}
	e.raw(escaper.Replace(s))
}

// CanCarry reports whether XML can carry a text.
func CanCarry(s string) bool { return uncarried(s) < 0 }

// uncarried returns the offset of the first character that XML can't carry, or -1.
func uncarried(s string) int {
	for i, r := range s {
		if !isXMLCharacter(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], string(r)) { // the form of an invalid byte
			return i
		}
	}
	return -1
}

// printable replaces what XML can't carry, for messages to people.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !isXMLCharacter(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// Pairs returns a map as the ROS APIs answer them: a list of [key, value], sorted by key.
func Pairs[V any](m map[string]V, value func(V) any) []any {
	list := []any{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, []any{key, value(m[key])})
	}
	return list
}
