package pyexpr

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxText bounds an expression, in bytes.
const maxText = 64 << 10

// SyntaxError says what of an expression isn't understood.
type SyntaxError struct {
	Column int // of the character, counted from 1
	What   string
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
	text  string // of a string its value
	at    int    // byte in the expression
	value any    // of a number
}

func (t token) String() string {
	switch t.kind {
	case end:
		return "the end"
	case text:
		return strconv.Quote(t.text)
	}
	return t.text
}

// operators, longer ones first.
var operators = []string{"**", "//", "==", "!=", "<=", ">=", "<<", ">>", ":=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{", "}", ",", ".", ":",
	"&", "|", "^", "~", "@", "="}

// scan cuts an expression into tokens. The last one is the end.
func scan(source string) ([]token, error) {
	if len(source) > maxText {
		return nil, &SyntaxError{1, fmt.Sprintf("an expression of %d bytes; the limit is %d", len(source), maxText)}
	}
	var tokens []token
	for at := 0; ; {
		at += len(source[at:]) - len(strings.TrimLeft(source[at:], " \t\r\n\f"))
		if at == len(source) {
			return append(tokens, token{kind: end, at: at}), nil
		}
		t, n, err := next(source, at)
		if err != nil {
			return nil, err
		}
		t.at = at
		tokens = append(tokens, t)
		at += n
	}
}

// next reads the token at a place and returns its length.
func next(source string, at int) (token, int, error) {
	rest := source[at:]
	word := len(rest) - len(strings.TrimLeftFunc(rest, isWord))
	digit := rest[0] >= '0' && rest[0] <= '9' || rest[0] == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9'
	quote := word
	if word > 2 {
		quote = 0 // no prefix is longer
	}
	switch {
	case digit:
		return scanNumber(source, at)
	case quote < len(rest) && (rest[quote] == '\'' || rest[quote] == '"'):
		value, n, err := scanString(source, at, strings.ToLower(rest[:quote]))
		return token{kind: text, text: value}, n, err
	case word > 0:
		return token{kind: name, text: rest[:word]}, word, nil
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			return token{kind: operator, text: op}, len(op), nil
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return token{}, 0, &SyntaxError{at + 1, fmt.Sprintf("%q isn't understood", r)}
}

func isWord(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// scanNumber reads an integer in base 10, 16, 8 or 2, or a decimal fraction.
func scanNumber(source string, at int) (token, int, error) {
	rest := source[at:]
	n := 0
	for n < len(rest) {
		c := rune(rest[n])
		exponent := n > 0 && (rest[n-1] == 'e' || rest[n-1] == 'E') && !strings.HasPrefix(strings.ToLower(rest), "0x")
		if !isWord(c) && c != '.' && !(exponent && (c == '+' || c == '-')) {
			break
		}
		n++
	}
	word := rest[:n]
	v, err := parseNumber(word)
	if err != nil {
		return token{}, 0, &SyntaxError{at + 1, fmt.Sprintf("%s is no number", word)}
	}
	return token{kind: number, text: word, value: v}, n, nil
}

// scanString reads a string with an optional prefix, and decodes its escapes.
func scanString(source string, at int, prefix string) (string, int, error) {
	if prefix != "" && prefix != "u" && prefix != "r" {
		return "", 0, &SyntaxError{at + 1, fmt.Sprintf("a string with the prefix %s isn't understood", prefix)}
	}
	start := at + len(prefix)
	quote := source[start : start+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(source[start:], triple) {
		quote = triple
	}
	var b strings.Builder
	for i := start + len(quote); i < len(source); {
		switch {
		case strings.HasPrefix(source[i:], quote):
			return b.String(), i + len(quote) - at, nil
		case source[i] == '\n' && len(quote) == 1:
			return "", 0, &SyntaxError{at + 1, "the string doesn't end"}
		case source[i] == '\\' && i+1 < len(source):
			n, err := unescape(&b, source[i:], prefix == "r")
			if err != nil {
				return "", 0, &SyntaxError{i + 1, err.Error()}
			}
			i += n
		default:
			b.WriteByte(source[i])
			i++
		}
	}
	return "", 0, &SyntaxError{at + 1, "the string doesn't end"}
}

// unescape appends what a backslash and what follows it mean, and returns their
// length. A raw string keeps both.
func unescape(b *strings.Builder, s string, raw bool) (int, error) {
	simple := map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}
	if raw {
		b.WriteString(s[:2])
		return 2, nil
	}
	if c, ok := simple[s[1]]; ok {
		b.WriteByte(c)
		return 2, nil
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]
	switch {
	case s[1] == '\n':
		return 2, nil
	case s[1] == 'N' || s[1] >= '0' && s[1] <= '7':
		return 0, fmt.Errorf(`the escape \%c isn't understood; write \x and two digits`, s[1])
	case digits == 0: // Python keeps it
		b.WriteString(s[:2])
		return 2, nil
	case len(s) < 2+digits:
		return 0, fmt.Errorf(`the escape \%c needs %d digits`, s[1], digits)
	}
	r, err := strconv.ParseUint(s[2:2+digits], 16, 32)
	if err != nil || r > utf8.MaxRune {
		return 0, fmt.Errorf(`the escape %s is no character`, s[:2+digits])
	}
	b.WriteRune(rune(r))
	return 2 + digits, nil
}
