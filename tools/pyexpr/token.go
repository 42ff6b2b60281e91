package pyexpr

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxText bounds an expression, in bytes.
const maxText = 64 << 10

// SyntaxError is an error in an expression, or a part that is not supported.
type SyntaxError struct {
	Column int // in bytes, counted from 1
	What   string
}

func refuse(at int, format string, args ...any) {
	panic(&SyntaxError{at + 1, fmt.Sprintf(format, args...)})
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.What) }

type tokenKind int

const (
	end tokenKind = iota
	name
	number
	text
	operator
)

type token struct {
	kind  tokenKind
	text  string // the value of a string, else as written
	at    int    // offset in the expression
	value any    // of a number
}

func (t token) String() string {
	switch t.kind {
	case end:
		return "end of expression"
	case text:
		return strconv.Quote(t.text)
	}
	return t.text
}

// tokenForm matches a number in base 10, 16, 8 or 2 or what may be meant for one, the beginning of a string, a name or
// an operator.
var tokenForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(?:(0[xX][\w.]*|\.?[0-9](?:[eE][+-]|[\w.])*)|(\w{0,2})['"]|(\w+)|\*\*|//|[=!<>:]=|<<|>>|[-<>+*/%()[\]{},.:&|^~@=])`)
})

// scan splits an expression into tokens. The last one is the end.
func scan(source string) (tokens []token) {
	if len(source) > maxText {
		refuse(0, "expression of %d bytes; the limit is %d", len(source), maxText)
	}
	for at := 0; ; {
		at += len(source[at:]) - len(strings.TrimLeft(source[at:], " \t\r\n\f"))
		if at == len(source) {
			return append(tokens, token{kind: end, at: at})
		}
		t, n := next(source, at)
		t.at = at
		tokens = append(tokens, t)
		at += n
	}
}

// next returns the token at an offset, and its length.
func next(source string, at int) (token, int) {
	m := tokenForm().FindStringSubmatchIndex(source[at:])
	if m == nil {
		r, _ := utf8.DecodeRuneInString(source[at:])
		refuse(at, "unexpected %q", r)
	}
	word := source[at : at+m[1]]
	switch {
	case m[2] >= 0:
		v, err := parseNumber(word)
		if err != nil {
			refuse(at, "invalid number %s", word)
		}
		return token{kind: number, text: word, value: v}, len(word)
	case m[4] >= 0:
		value, n := scanString(source, at, strings.ToLower(word[:len(word)-1]))
		return token{kind: text, text: value}, n
	case m[6] >= 0:
		return token{kind: name, text: word}, len(word)
	}
	return token{kind: operator, text: word}, len(word)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// parseNumber parses a number as Python writes it in programs.
func parseNumber(word string) (any, error) {
	if n, ok := new(big.Int).SetString(word, 0); ok && len(word) < maxDigits {
		if octal := len(word) > 1 && word[0] == '0' && (isDigit(word[1]) || word[1] == '_'); octal && n.Sign() != 0 {
			return nil, strconv.ErrSyntax
		}
		return integer(n), nil
	}
	if strings.Trim(word, "0123456789.eE+-") != "" { // Go reads 0x1p-2, too
		return nil, strconv.ErrSyntax
	}
	v, err := strconv.ParseFloat(word, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // infinite, as in Python
	}
	return v, err
}

// scanString reads a string with an optional prefix, and decodes its escapes.
func scanString(source string, at int, prefix string) (string, int) {
	if prefix != "" && prefix != "u" && prefix != "r" {
		refuse(at, "string prefix %s is not supported", prefix)
	}
	start := at + len(prefix)
	quote := source[start : start+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(source[start:], triple) {
		quote = triple
	}
	var b strings.Builder
	for i := start + len(quote); i < len(source) && (source[i] != '\n' || len(quote) == 3); {
		switch {
		case strings.HasPrefix(source[i:], quote):
			return b.String(), i + len(quote) - at
		case source[i] == '\\' && i+1 < len(source):
			i += unescape(&b, source, i, prefix == "r")
		default:
			b.WriteByte(source[i])
			i++
		}
	}
	refuse(at, "unterminated string")
	return "", 0
}

// unescape appends the meaning of the escape sequence at an offset, and returns its length. A raw string keeps it.
func unescape(b *strings.Builder, source string, at int, raw bool) int {
	s := source[at:]
	switch c := s[1]; {
	case raw || !strings.ContainsRune("\n'\"abfnrtv\\xuUN01234567", rune(c)): // Python keeps an unknown sequence
		b.WriteString(s[:2])
	case c == '\n':
	case c == '\'' || c == '"':
		b.WriteByte(c)
	case c == 'N' || isDigit(c):
		refuse(at, `escape \%c is not supported; use \x and two digits`, c)
	default:
		r, _, rest, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			refuse(at, `invalid escape \%c`, c)
		}
		b.WriteRune(r)
		return len(s) - len(rest)
	}
	return 2
}
