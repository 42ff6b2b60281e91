package main

import (
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// printer carries all text to the user. Topics, types and texts come from files
// and from strangers in the graph: whatever isn't printable in them (escape
// sequences, C1 controls, marks that turn the direction of text) is written as
// Go writes it in a string, "\x1b" or "\u202e", so that no bag steers a terminal.
//
// Line feeds and tabs pass. JSON stays the same JSON: its writer leaves nothing
// below U+0020, and a longer escape means the same there.
//
// It belongs to one goroutine. Close writes what is held back of a character
// that was written in pieces.
type printer struct {
	w    io.Writer
	tail []byte // the beginning of a character
}

func newPrinter(w io.Writer) *printer { return &printer{w: w} }

func (p *printer) Write(b []byte) (int, error) {
	text := b
	if len(p.tail) > 0 {
		text = append(p.tail, b...)
		p.tail = nil
	}
	whole := len(text) - unfinished(text)
	p.tail = append(p.tail, text[whole:]...)
	if _, err := p.w.Write(appendPrintable(nil, text[:whole])); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close doesn't close the writer below.
func (p *printer) Close() error {
	if len(p.tail) == 0 {
		return nil
	}
	_, err := p.w.Write(appendPrintable(nil, p.tail))
	p.tail = nil
	return err
}

// unfinished is the length of a character that text ends in the middle of.
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

// printable is the text as a printer writes it.
func printable(text string) string { return string(appendPrintable(nil, []byte(text))) }

// appendPrintable returns text itself if it has nothing to hide and to is nil.
func appendPrintable(to, text []byte) []byte {
	plain := 0 // text[plain:i] passes
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		if r >= ' ' && r < 0x7f || r == '\n' || r == '\t' || r >= utf8.RuneSelf && !(r == utf8.RuneError && size == 1) && strconv.IsPrint(r) {
			i += size
			continue
		}
		to = append(to, text[plain:i]...)
		switch {
		case r == utf8.RuneError && size == 1:
			to = fmt.Appendf(to, `\x%02x`, text[i])
		case r < ' ':
			to = fmt.Appendf(to, `\x%02x`, r)
		case r > 0xffff: // as JSON has it
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

// printableEvent does the same for a log line. The console quotes fields that are
// text, but neither messages nor lists.
func printableEvent(event map[string]any) error {
	for key, v := range event {
		switch v := v.(type) {
		case string:
			if key == "message" {
				event[key] = printable(v)
			}
		case []any:
			for i := range v {
				if text, ok := v[i].(string); ok {
					v[i] = printable(text)
				}
			}
		}
	}
	return nil
}
