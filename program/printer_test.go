package program

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"
	"unicode/utf8"

	"rsros/test/need"
)

func TestPrinter(t *testing.T) {
	for in, want := range map[string]string{
		"/camera/color\timage\n":     "/camera/color\timage\n",
		"/größe/日本 – ok":             "/größe/日本 – ok",
		"\x1b]0;owned\a":             `\x1b]0;owned\x07`,
		"\u009b31m":                  `\u009b31m`,
		"a\u202etxt.exe\u2066\u200e": `a\u202etxt.exe\u2066\u200e`,
		"over\rwritten\b\x7f":        `over\x0dwritten\x08\u007f`,
		"bad \xff\x9b UTF-8 \xe6":    `bad \xff\x9b UTF-8 \xe6`,
		"\U000e0041tag":              `\udb40\udc41tag`,
		"\ufffd stays":               "\ufffd stays",
		"":                           "",
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q is printed as %q, want %q", in, got, want)
		}
		// The output doesn't depend on how the text is split into writes.
		for size := 1; size <= 3; size++ {
			var out bytes.Buffer
			p := NewPrinter(&out)
			for i := 0; i < len(in); i += size {
				piece := []byte(in[i:min(i+size, len(in))])
				if n, err := p.Write(piece); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := p.Close(); err != nil || out.String() != want {
				t.Errorf("%q in pieces of %d is printed as %q, want %q, %v", in, size, out.String(), want, err)
			}
		}
	}
}

// FuzzPrinter checks that only printable characters are printed, and that JSON keeps its meaning.
func FuzzPrinter(f *testing.F) {
	f.Add("\x1b[31m\u009b\u202e", 1)
	f.Add("日本\xff", 2)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if got := Printable(text); hidden(got) != "" {
			t.Errorf("%q is printed as %q", text, got)
		}
		whole, err := json.Marshal(text)
		need.Must(t, err)
		var out bytes.Buffer
		p := NewPrinter(&out)
		cut = min(max(cut, 0), len(whole))
		for _, part := range [][]byte{whole[:cut], whole[cut:]} {
			if _, err := p.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		need.Must(t, p.Close())
		var before, after string
		need.Must(t, json.Unmarshal(whole, &before))
		if err := json.Unmarshal(out.Bytes(), &after); err != nil || before != after {
			t.Errorf("%s is printed as %s: %v", whole, out.Bytes(), err)
		}
	})
}

// hidden returns the first character of a text that a terminal wouldn't display as it is.
func hidden(text string) string {
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 || r != '\n' && r != '\t' && !strconv.IsPrint(r) {
			return strconv.Quote(text[i:min(i+20, len(text))])
		}
	}
	return ""
}
