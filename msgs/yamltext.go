package msgs

import (
	"fmt"
	"regexp"
	"slices"
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

// quoteYAML formats a string field like rostopic echo: Python's yaml module's double-quoted scalar in
// ASCII, broken at spaces after column 80.
func quoteYAML(s string) string {
	if s == "" {
		return "''"
	}
	w := yamlText{}
	w.doubleQuoted(runesOf(s))
	return w.b.String()
}

// listYAML formats an element of a string array, after "- ", like rostopic echo: plain if
// YAML parses that as the same string, or else quoted.
func listYAML(s string) string {
	text := runesOf(s)
	w := yamlText{column: 1} // after the dash
	switch form := yamlForms(text); {
	case form.plain && !otherYAML(s):
		w.write(" ")
		w.plain(text)
	case form.single:
		w.write(" ")
		w.singleQuoted(text)
	default:
		w.write(" ")
		w.doubleQuoted(text)
	}
	return w.b.String()[1:]
}

// runesOf decodes s like Python: invalid UTF-8 becomes one U+FFFD per truncated character,
// not per byte.
func runesOf(s string) []rune {
	text := make([]rune, 0, len(s))
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			n = beginning(s)
		}
		text, s = append(text, r), s[n:]
	}
	return text
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

// yamlText writes a scalar.
type yamlText struct {
	b      strings.Builder
	column int
}

func (w *yamlText) write(s string) {
	w.b.WriteString(s)
	w.column += len(s)
}

func (w *yamlText) runes(text []rune) {
	w.b.WriteString(string(text))
	w.column += len(text)
}

func (w *yamlText) newLine() {
	w.b.WriteByte('\n')
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
func (w *yamlText) doubleQuoted(text []rune) {
	w.write(`"`)
	start := 0 // of unwritten text
	for i := range len(text) + 1 {
		if i == len(text) || text[i] == '"' || text[i] == '\\' || text[i] < ' ' || text[i] > '~' {
			w.runes(text[start:i])
			start = i
			if i < len(text) {
				w.write(escapeYAML(text[i]))
				start = i + 1
			}
		}
		if 0 < i && i < len(text)-1 && (text[i] == ' ' || start >= i) && w.column+i-start > yamlWidth {
			if start < i {
				w.runes(text[start:i])
				start = i
			}
			w.write(`\`)
			w.indent()
			if text[start] == ' ' {
				w.write(`\`)
			}
		}
	}
	w.write(`"`)
}

// singleQuoted doubles quotes and line feeds, and breaks long lines at single spaces.
func (w *yamlText) singleQuoted(text []rune) {
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
			w.runes(run)
			if run[n-1] == '\'' {
				w.write("'")
			}
		}
		i += n
	}
	w.write("'")
}

// plain breaks long lines at single spaces.
func (w *yamlText) plain(text []rune) {
	for i := 0; i < len(text); {
		n := runLength(text[i:])
		if text[i] == ' ' && n == 1 && w.column > yamlWidth {
			w.indent()
		} else {
			w.runes(text[i : i+n])
		}
		i += n
	}
}

// runLength returns the length of the run of spaces, line feeds or other characters at the
// start of text. A quote ends a run of other characters.
func runLength(text []rune) int {
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
func yamlForms(text []rune) yamlForm {
	if len(text) == 0 {
		return yamlForm{plain: true, single: true}
	}
	form := yamlForm{plain: true, single: true}
	whole := string(text)
	if strings.HasPrefix(whole, "---") || strings.HasPrefix(whole, "...") || strings.ContainsRune(`#,[]{}&*!|>'"%@`+"`", text[0]) {
		form.plain = false
	}
	for i, r := range text {
		blankAfter := i+1 == len(text) || blank(text[i+1])
		switch {
		case r != '\n' && (r < ' ' || r > '~'):
			return yamlForm{}
		case r == ' ' && i > 0 && text[i-1] == '\n', r == '\n' && i > 0 && text[i-1] == ' ':
			return yamlForm{}
		case r == '\n', r == ' ' && (i == 0 || i == len(text)-1):
			form.plain = false
		case r == ':' && blankAfter, (r == '-' || r == '?') && i == 0 && blankAfter, r == '#' && i > 0 && blank(text[i-1]):
			form.plain = false
		}
	}
	return form
}

func blank(r rune) bool { return slices.Contains([]rune{0, ' ', '\t', '\r', '\n'}, r) }

// otherYAML reports whether YAML 1.1 parses a plain scalar as something other than a
// string: a boolean, a number, null, a date.
func otherYAML(s string) bool {
	return s == "" || otherPlain().MatchString(strings.TrimSuffix(s, "\n"))
}

var otherPlain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + strings.Join([]string{
		`yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF`,
		`~|null|Null|NULL`, `<<|=`, `[!&*]`,
		`[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?`, `\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?`,
		`[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*`, `[-+]?\.(?:inf|Inf|INF)`, `\.(?:nan|NaN|NAN)`,
		`[-+]?0b[01_]+`, `[-+]?0[0-7_]+`, `[-+]?(?:0|[1-9][0-9_]*)`, `[-+]?0x[0-9a-fA-F_]+`, `[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+`,
		`[0-9]{4}-[0-9]{2}-[0-9]{2}`,
		`[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \t]+)[0-9][0-9]?:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::[0-9][0-9])?))?`,
	}, `|`) + `)$`)
})
