package msgs

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"rsros/test/need"
)

// genpyTexts prints each text as a field and as an element of an array.
const genpyTexts = `
import sys, json, genpy.message
texts = [bytes.fromhex(t).decode('utf-8', 'rosmsg') for t in json.load(sys.stdin)]
json.dump([[genpy.message.strify_message(t), genpy.message.strify_message([t], '    ')] for t in texts], sys.stdout)
`

// TestTextYAMLGenpy compares with the printer of rostopic echo, including line breaks.
func TestTextYAMLGenpy(t *testing.T) {
	texts := []string{
		"", "/rosout", "true", "Off", "null", "~", "12", "-0x1f", "1.5", "1e3", "1.0e+3", ".inf", "1:30", "2020-01-01", "2020-1-1 1:02:03", "=", "<<", "!", "&", "y",
		"a: b", "a:b", "a:", "- a", "-", "-a", "?", "? a", "?a", "#a", "a #b", "a#b", "a b", " a", "a ", "a  b", "[a", "{a", "a]", ",a", "a,b", "*a", "&a", "!a", "|", ">",
		"'", "it's", `say "x"`, `a\b`, "%a", "@a", "`a", "---", "--- a", "...", "a\nb", "a\n", "\na", "a\n\nb", "a\n b", "a \nb", "a\tb", "a\rb", "\x1b[31m", "é", "日本", "🤖",
		"\u0085\u00a0\u2028\u2029\ufeff", "\xff", "\xe6\x97", "\xe6\x97x", "\xf0\x9f\xa4", "\xf0\x9f", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "a\xe0\x80b", "true\n", "1\n",
		strings.Repeat("x", 200), strings.Repeat("x y", 100), strings.Repeat("ab ", 60) + "  " + strings.Repeat("cd  ", 40),
		strings.Repeat("it's ", 50), strings.Repeat("é", 60), strings.Repeat("a:: ", 50), strings.Repeat("line\n", 40), strings.Repeat("don't: ", 40),
	}
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "b", " ", " ", "  ", "\n", "'", "\"", "\\", ":", "#", "-", "1", ".", "é", "\t", "word", "longerword ", "\x1b", "\xe6", "日"}
	for range 3000 {
		var b strings.Builder
		letters := 1 + random.IntN(len(alphabet)) // so that some texts have few kinds of characters
		for range random.IntN(120) {
			b.WriteString(alphabet[random.IntN(letters)])
		}
		texts = append(texts, b.String())
	}
	var in []string
	for _, text := range texts {
		in = append(in, hex.EncodeToString([]byte(text)))
	}
	data, err := json.Marshal(in)
	need.Must(t, err)
	cmd := exec.Command("/usr/bin/python3", "-c", genpyTexts)
	cmd.Stdin = strings.NewReader(string(data))
	out, err := cmd.Output()
	if err != nil {
		need.Missing(t, "not here: genpy")
	}
	var want [][2]string
	if err := json.Unmarshal(out, &want); err != nil || len(want) != len(texts) {
		t.Fatal(len(want), err)
	}
	print := func(definition string, e Encoder) string {
		t.Helper()
		s, err := Parse("x/Text", definition)
		need.Must(t, err)
		var b strings.Builder
		need.Must(t, s.WriteYAML(&b, e.B, PrintOptions{}))
		return strings.TrimSuffix(strings.TrimPrefix(b.String(), "text: "), "\n")
	}
	for i, text := range texts {
		var field, list Encoder
		field.String(text)
		if got := print("string text\n", field); got != want[i][0] {
			t.Errorf("%q: got\n%s\ngenpy\n%s", text, got, want[i][0])
		}
		list.U32(1)
		list.String(text)
		// Fields of the message are indented by two spaces, not by four.
		if got := strings.ReplaceAll(print("string[] text\n", list), "\n", "\n  "); got != want[i][1] {
			t.Errorf("%q in an array: got\n%s\ngenpy\n%s", text, got, want[i][1])
		}
	}
}

// TestLongText: long strings are printed piece by piece, in little memory.
func TestLongText(t *testing.T) {
	s, err := Parse("x/Text", "string text\nstring[] list\n")
	need.Must(t, err)
	message := func(text string) []byte {
		var e Encoder
		e.String(text)
		e.U32(1)
		e.String(text)
		return e.B
	}
	for offset := range 8 {
		for _, letter := range []string{"é", "日", "🤖", "\xa4", "\xf0\x9f\xa4", "<\xff\n"} {
			text := strings.Repeat("x", offset) + strings.Repeat(letter, 20_000)
			want, err := json.Marshal(text)
			need.Must(t, err)
			var b strings.Builder
			need.Must(t, s.WriteJSON(&b, message(text), PrintOptions{}))
			if got := b.String(); got != `{"text":`+string(want)+`,"list":[`+string(want)+`]}` {
				t.Errorf("JSON of %d characters x and 20000 times %q: got %d bytes, want %d of each", offset, letter, len(got), len(want))
			}
		}
	}
	for _, letter := range []string{"x", "x ", "x\n", "\t"} {
		data := message(strings.Repeat(letter, 4<<20))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		need.Must(t, s.WriteYAML(io.Discard, data, PrintOptions{}))
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%d bytes allocated for %d bytes of %q", n, len(data), letter)
		}
	}
}
