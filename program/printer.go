package program

import (
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Printer writes text to the user. Because topics, types and texts come from files and other nodes, it escapes what
// isn't printable (escape sequences, C1 controls, marks that change the direction of text) as in a Go string, "\x1b" or
// "\u202e", so that no bag can control the terminal. Line feeds and tabs pass. JSON keeps its meaning.
//
// A Printer must not be used concurrently. Close writes the rest of an incomplete character.
type Printer struct {
	w    io.Writer
	tail []byte // the beginning of a character
	err  error  // the first failure to write, which stays
}

// NewPrinter returns a Printer that writes to w.
func NewPrinter(w io.Writer) *Printer { return &Printer{w: w} }

func (p *Printer) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	text := b
	if len(p.tail) > 0 {
		text = append(p.tail, b...)
		p.tail = nil
	}
	whole := len(text) - unfinished(text)
	p.tail = append(p.tail, text[whole:]...)
	if _, p.err = p.w.Write(appendPrintable(nil, text[:whole])); p.err != nil {
		return 0, p.err
	}
	return len(b), nil
}

// Close writes what is left, and returns the first error of all writes, so that callers needn't check each. It doesn't
// close the underlying writer.
func (p *Printer) Close() error {
	if p.err == nil && len(p.tail) > 0 {
		_, p.err = p.w.Write(appendPrintable(nil, p.tail))
		p.tail = nil
	}
	return p.err
}

// unfinished returns the length of the incomplete character at the end of text.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		last := text[len(text)-n:]
		if utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Printable returns text as a Printer writes it.
func Printable(text string) string { return string(appendPrintable(nil, []byte(text))) }

// appendPrintable returns text itself if it is printable and to is nil.
func appendPrintable(to, text []byte) []byte {
	plain := 0 // text[plain:i] passes
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		if r >= ' ' && r < 0x7f || r == '\n' || r == '\t' ||
			r >= utf8.RuneSelf && !(r == utf8.RuneError && size == 1) && strconv.IsPrint(r) {
			i += size
			continue
		}
		to = append(to, text[plain:i]...)
		switch {
		case r == utf8.RuneError && size == 1:
			to = fmt.Appendf(to, `\x%02x`, text[i])
		case r < ' ':
			to = fmt.Appendf(to, `\x%02x`, r)
		case r > 0xffff: // as in JSON
			high, low := utf16.EncodeRune(r)
			to = fmt.Appendf(to, `\u%04x\u%04x`, high, low)
		default:
			to = fmt.Appendf(to, `\u%04x`, r)
		}
		i += size
		plain = i
	}
	if plain == 0 && to == nil {
		return text
	}
	return append(to, text[plain:]...)
}

// PrintableEvent escapes the message and the lists of a log line, as zerolog.ConsoleWriter.FormatPrepare. The
// console quotes only text fields.
func PrintableEvent(event map[string]any) error {
	for key, v := range event {
		switch v := v.(type) {
		case string:
			if key == "message" {
				event[key] = Printable(v)
			}
		case []any:
			for i := range v {
				if text, ok := v[i].(string); ok {
					v[i] = Printable(text)
				}
			}
		}
	}
	return nil
}
