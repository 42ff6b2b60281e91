package yaml

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	for text, want := range map[string]any{
		"": nil, "~": nil, "1": 1, "0x10": 16, "-1.5": -1.5, "1e5": 1e5, ".inf": nil, "true": true, "yes": "yes", "a:b": "a:b", "'1'": "1",
		"08": "08", "2024-01-01": "2024-01-01", "[1, a]": []any{1, "a"}, "- x\n- y": []any{"x", "y"},
		"{a: 1, 2: b, 2024-01-01: c}": map[string]any{"a": 1, "2": "b", "2024-01-01": "c"}, "\"a\\nb\"": "a\nb", "a: |\n  x\n  y\n": map[string]any{"a": "x\ny\n"},
	} {
		var got any
		if err := Decode([]byte(text), &got); err != nil || want != nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %#v, %v, want %#v", text, got, err, want)
		}
	}
}

// hostile are texts that take some libraries gigabytes or minutes.
// A text is one document.
func TestDocuments(t *testing.T) {
	for text, want := range map[string]string{"a: 1": "", "--- \na: 1\n...\n": "", "a: 1\n---\nb: 2\n": "a second document", "a: 1\n---\nb: [": "YAML: "} {
		var got any
		if err := Decode([]byte(text), &got); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func hostile(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	keys := strings.Builder{}
	for i := range size / 9 {
		fmt.Fprintf(&keys, "%07d:\n", i)
	}
	anchors := "a0: &a0 [x, x]\n"
	for i := range 40 {
		anchors += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	return map[string]string{
		"lists in lists": fill("["), "mappings in mappings": fill("{a: "), "items in items": fill("- "), "keys in keys": fill("? "),
		"anchors": anchors, "anchors of nothing": fill("&a "), "commas": "[" + fill(","), "keys": keys.String(),
		"too deep": strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1),
	}
}

// TestHostile: such texts are refused within 50 MB.
func TestHostile(t *testing.T) {
	for name, text := range hostile(100 << 10) {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var v any
			err := Decode([]byte(text), &v)
			runtime.ReadMemStats(&after)
			if err == nil || len(err.Error()) > 300 {
				t.Errorf("got %.400v", err)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 50<<20 {
				t.Errorf("allocated %d MB", grown>>20)
			}
		})
	}
	var v any
	for _, text := range []string{strings.Repeat(" ", MaxText+1), strings.Repeat("- a\n", maxParts), strings.Repeat("[],", maxParts)} {
		if err := Decode([]byte(text), &v); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("%.5q…: %v", text, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range hostile(200) {
		f.Add([]byte(text))
	}
	f.Add([]byte("a: {b: [1, 'x', \"\\n\"]}\nc: |\n  text\n- ? x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		if Decode(text, &v) != nil {
			return
		}
		var s struct {
			A []string          `yaml:"a"`
			B map[string]uint64 `yaml:"b"`
		}
		Decode(text, &s) //nolint:errcheck // it may be of another form
	})
}
