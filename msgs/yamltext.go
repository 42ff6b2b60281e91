package msgs

import (
	"bufio"
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// The defaults of Python's yaml module: the column after which a line may be broken and the indentation
// of the next line.
const (
	yamlWidth  = 80
	yamlIndent = 2
)

// yamlText writes a string like Python's yaml module, as ASCII, piece by piece.
type yamlText struct {
	w      *bufio.Writer
	margin string // of further lines; it isn't counted in their width
	column int
}

// field writes a field like rostopic echo: a double-quoted scalar, broken at spaces after column 80.
func (w *yamlText) field(text []byte) {
	if len(text) == 0 {
		w.write("''")
		return
	}
	w.doubleQuoted(text)
}

// element writes an element of an array, after "- ", like rostopic echo: plain if YAML
// parses that as the same string, or else quoted.
func (w *yamlText) element(text []byte) {
	switch form := yamlForms(text); {
	case form.plain && !otherYAML(text):
		w.plain(text)
	case form.single:
		w.singleQuoted(text)
	default:
		w.doubleQuoted(text)
	}
}

// decodeRune decodes the first character like Python: invalid UTF-8 becomes one U+FFFD per
// truncated character, not per byte.
func decodeRune(s string) (r rune, n int) {
	r, n = utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		n = beginning(s)
	}
	return r, n
}

// beginning returns the number of bytes of s that form the start of a character, at least
// 1.
func beginning(s string) int {
	least, most := byte(0x80), byte(0xbf) // of the second byte
	length := 3
	switch lead := s[0]; {
	case lead == 0xe0:
		least = 0xa0
	case lead == 0xed:
		most = 0x9f
	case lead == 0xf0:
		length, least = 4, 0x90
	case lead == 0xf4:
		length, most = 4, 0x8f
	case lead > 0xf0 && lead < 0xf4:
		length = 4
	case lead < 0xe1 || lead > 0xef:
		return 1
	}
	if len(s) < 2 || s[1] < least || s[1] > most {
		return 1
	}
	if length < 4 || len(s) < 3 || s[2]&0xc0 != 0x80 {
		return 2
	}
	return 3
}

func (w *yamlText) write(s string) {
	w.w.WriteString(s)
	w.column += len(s)
}

// ascii writes text of one byte a character.
func (w *yamlText) ascii(text []byte) {
	w.w.Write(text)
	w.column += len(text)
}

func (w *yamlText) newLine() {
	w.w.WriteByte('\n')
	w.w.WriteString(w.margin)
	w.column = 0
}

func (w *yamlText) indent() {
	if w.column > 0 {
		w.newLine()
	}
	w.write(strings.Repeat(" ", yamlIndent))
}

// escapes are YAML's short escapes.
var escapes = map[rune]string{
	0: `\0`, '\a': `\a`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\v': `\v`, '\f': `\f`, '\r': `\r`, 0x1b: `\e`,
	'"': `\"`, '\\': `\\`, 0x85: `\N`, 0xa0: `\_`, 0x2028: `\L`, 0x2029: `\P`,
}

func escapeYAML(r rune) string {
	if short, ok := escapes[r]; ok {
		return short
	}
	switch {
	case r < 0x100:
		return fmt.Sprintf(`\x%02X`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04X`, r)
	}
	return fmt.Sprintf(`\U%08X`, r)
}

// doubleQuoted breaks long lines before a space or after an escape, with a backslash at the
// end of the line and before a leading space of the next one.
func (w *yamlText) doubleQuoted(text []byte) {
	w.write(`"`)
	start := 0 // of unwritten text
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '"' || c == '\\' || c < ' ' || c > '~' {
			w.ascii(text[start:i])
			r, n := decodeRune(string(text[i:min(i+utf8.UTFMax, len(text))]))
			w.write(escapeYAML(r))
			i += n - 1
			start = i + 1
		}
		if i < len(text)-1 && (text[i] == ' ' || start >= i) && w.column+i-start > yamlWidth {
			if start < i {
				w.ascii(text[start:i])
				start = i
			}
			w.write(`\`)
			w.indent()
			if text[start] == ' ' {
				w.write(`\`)
			}
		}
	}
	w.ascii(text[start:])
	w.write(`"`)
}

// singleQuoted doubles quotes and line feeds, and breaks long lines at single spaces.
func (w *yamlText) singleQuoted(text []byte) {
	w.write("'")
	for i := 0; i < len(text); {
		n := runLength(text[i:])
		run := text[i : i+n]
		switch {
		case run[0] == ' ' && n == 1 && w.column > yamlWidth && i > 0 && i+n < len(text):
			w.indent()
		case run[0] == '\n':
			w.newLine()
			for range run {
				w.newLine()
			}
			w.indent()
		default:
			w.ascii(run)
			if run[n-1] == '\'' {
				w.write("'")
			}
		}
		i += n
	}
	w.write("'")
}

// plain breaks long lines at single spaces.
func (w *yamlText) plain(text []byte) {
	for i := 0; i < len(text); {
		n := runLength(text[i:])
		if text[i] == ' ' && n == 1 && w.column > yamlWidth {
			w.indent()
		} else {
			w.ascii(text[i : i+n])
		}
		i += n
	}
}

// runLength returns the length of the run of spaces, line feeds or other characters at the
// start of text. A quote ends a run of other characters.
func runLength(text []byte) int {
	for n := 1; n < len(text); n++ {
		if first := text[0]; first == ' ' || first == '\n' {
			if text[n] != first {
				return n
			}
		} else if text[n] == ' ' || text[n] == '\n' || text[n-1] == '\'' {
			return n
		}
	}
	return len(text)
}

// yamlForm is the set of allowed forms without escapes.
type yamlForm struct{ plain, single bool }

// yamlForms returns the forms that Python's yaml module allows for text.
func yamlForms(text []byte) yamlForm {
	if len(text) == 0 {
		return yamlForm{plain: true, single: true}
	}
	form := yamlForm{plain: true, single: true}
	if bytes.HasPrefix(text, []byte("---")) || bytes.HasPrefix(text, []byte("...")) ||
		strings.IndexByte(`#,[]{}&*!|>'"%@`+"`", text[0]) >= 0 {
		form.plain = false
	}
	for i, c := range text {
		blankAfter := i+1 == len(text) || blank(text[i+1])
		switch {
		case c != '\n' && (c < ' ' || c > '~'):
			return yamlForm{}
		case c == ' ' && i > 0 && text[i-1] == '\n', c == '\n' && i > 0 && text[i-1] == ' ':
			return yamlForm{}
		case c == '\n', c == ' ' && (i == 0 || i == len(text)-1):
			form.plain = false
		case c == ':' && blankAfter, (c == '-' || c == '?') && i == 0 && blankAfter, c == '#' && i > 0 && blank(text[i-1]):
			form.plain = false
		}
	}
	return form
}

func blank(c byte) bool { return strings.IndexByte("\x00 \t\r\n", c) >= 0 }

// otherYAML reports whether YAML 1.1 parses a plain scalar as something other than a
// string: a boolean, a number, null, a date.
func otherYAML(text []byte) bool {
	return len(text) == 0 || otherPlain().Match(bytes.TrimSuffix(text, []byte("\n")))
}

var otherPlain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + strings.Join([]string{
		`yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF`,
		`~|null|Null|NULL`, `<<|=`, `[!&*]`,
		`[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?`, `\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?`,
		`[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*`, `[-+]?\.(?:inf|Inf|INF)`, `\.(?:nan|NaN|NAN)`,
		`[-+]?0b[01_]+`, `[-+]?0[0-7_]+`, `[-+]?(?:0|[1-9][0-9_]*)`, `[-+]?0x[0-9a-fA-F_]+`,
		`[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+`,
		`[0-9]{4}-[0-9]{2}-[0-9]{2}`,
		`[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \t]+)[0-9][0-9]?:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::[0-9][0-9])?))?`,
	}, `|`) + `)$`)
})
