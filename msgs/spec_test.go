package msgs

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"rsros/test/need"
)

func TestParseErrors(t *testing.T) {
	sep := "\n" + strings.Repeat("=", 80) + "\nMSG: "
	for name, c := range map[string]struct{ typ, def, want string }{
		"no package":     {"Image", "", "want package/Type"},
		"one word":       {"a/B", "uint8", "want \"type name\""},
		"three words":    {"a/B", "uint8 x y", "want \"type name\""},
		"unknown type":   {"a/B", "C c", "a/C has no definition"},
		"cycle":          {"a/B", "C c" + sep + "a/C\nB b", "a/B contains itself"},
		"self":           {"a/B", "B b", "contains itself"},
		"array length":   {"a/B", "uint8[x] b", "array type"},
		"negative":       {"a/B", "uint8[-1] b", "array type"},
		"huge":           {"a/B", "uint8[99999999999] b", "array type"},
		"unclosed":       {"a/B", "uint8[3 b", "array type"},
		"long":           {"a/B", strings.Repeat(" ", maxText+1), "more than 4194304 bytes"},
		"many fields":    {"a/B", strings.Repeat("uint8 x\n", maxFields+1), "more than 16384 fields"},
		"array of empty": {"a/B", "C[] c" + sep + "a/C\n", "the empty type a/C"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.typ, c.def)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestParseDepth(t *testing.T) {
	def := "Taa x"
	for i := range 100 {
		def += "\n" + strings.Repeat("=", 80) + "\nMSG: a/T" + itoa(i) + "\nT" + itoa(i+1) + " x"
	}
	if _, err := Parse("a/B", def); err == nil || !strings.Contains(err.Error(), "more than 50 nested types") {
		t.Fatal(err)
	}
}

func itoa(i int) string { return string(rune('a'+i/26)) + string(rune('a'+i%26)) }

// The sums are genmsg's, which takes the name of a string constant from the first space of the line on.
func TestSumsOfConstants(t *testing.T) {
	for def, want := range map[string]string{
		"string A = x": "8c2e6f931129155f561b8d3b5dea211f", "\tstring A=x": "8c2e6f931129155f561b8d3b5dea211f",
		" string A=x": "364ba9b2bcc97e59f204b1b6461081b2", " \tstring A=x": "364ba9b2bcc97e59f204b1b6461081b2",
		" string A = x\nint32 b": "ab9037784a78297cda6b2ea1477e3087", "   string   A  =  x y ": "3ec6610e0d08779dff48bf63c5c8f450",
		"string A =  x # c ": "b5bee89fa51c7dcc0e7b74955313536c", "  int32 A = 3": "c7878673c7b1960d09c9d6aa7b0dcfc5",
	} {
		s, err := Parse("p/M", def)
		need.Must(t, err)
		if got := s.MD5(); got != want || s.Constants[0].Name != "A" {
			t.Errorf("%q: %s, want %s; %+v", def, got, want, s.Constants)
		}
	}
}

func TestParseConstants(t *testing.T) {
	s, err := Parse("a/B", "string S=x # not a comment \nint32 N = 5 # comment\nfloat32[ ] v\n")
	if err == nil {
		t.Fatalf("Parse accepted a blank inside an array type: %+v", s)
	}
	s, err = Parse("a/B", "string S=x # not a comment \nint32 N = 5 # comment\n\n  uint8[3]\tv # end\r\n")
	need.Must(t, err)
	if c := s.Constants; len(c) != 2 || c[0].Value != "x # not a comment" || c[1] != (Constant{"int32", "N", "5", "N"}) {
		t.Errorf("constants %+v", c)
	}
	if f := s.Fields; len(f) != 1 || f[0].Len != 3 || f[0].Kind != KindUint8 {
		t.Errorf("fields %+v", f)
	}
}

// TestHostileWalk uses definitions whose type tree doubles at each level, so that visiting
// every branch would never end.
func TestHostileWalk(t *testing.T) {
	for _, leaf := range []string{"", "string s", "float64[4194304] f"} {
		def := "Tab a\nTab b"
		for i := 1; i < 45; i++ {
			def += "\n" + strings.Repeat("=", 80) + "\nMSG: a/T" + itoa(i) + "\nT" + itoa(i+1) + " a\nT" + itoa(i+1) + " b"
		}
		def += "\n" + strings.Repeat("=", 80) + "\nMSG: a/T" + itoa(45) + "\n" + leaf
		s, err := Parse("a/B", def)
		need.Must(t, err)
		err = s.Check(make([]byte, 1000))
		if (err == nil) != (leaf == "") {
			t.Errorf("leaf %q: %v", leaf, err)
		}
		if err := s.WriteYAML(&strings.Builder{}, make([]byte, 1000), PrintOptions{}); (err == nil) != (leaf == "") {
			t.Errorf("leaf %q: %v", leaf, err)
		}
	}
}

// TestHostileTypes parses a definition of 5000 types that need 5000 others each.
func TestHostileTypes(t *testing.T) {
	const n = 5000
	sep := "\n" + strings.Repeat("=", 80) + "\nMSG: "
	var own, deps, leaves strings.Builder
	for i := range n {
		fmt.Fprintf(&own, "T%d f\n", i)
		fmt.Fprintf(&deps, "%sa/T%d\nW w", sep, i)
		fmt.Fprintf(&leaves, "L%d f\n", i)
	}
	deps.WriteString(sep + "a/W\n" + leaves.String())
	for i := range n {
		fmt.Fprintf(&deps, "%sa/L%d\n", sep, i)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := Parse("a/B", own.String()+deps.String())
	runtime.ReadMemStats(&after)
	need.Must(t, err)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 50<<20 {
		t.Errorf("allocated %d MB", grown>>20)
	}
	if got := strings.Count(s.FullText(), "MSG: "); got != 2*n+1 {
		t.Errorf("the full text has %d types", got)
	}
}

// FuzzParse parses arbitrary definitions and processes arbitrary bytes with them.
func FuzzParse(f *testing.F) {
	for _, name := range Types() {
		f.Add(MustType(name).Definition, []byte("\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x01\x00\x00\x00x\x00"))
	}
	f.Add("Header header\nuint8[] data", make([]byte, 40))
	f.Fuzz(func(t *testing.T, def string, data []byte) {
		s, err := Parse("std_msgs/Header", def)
		if err != nil {
			return
		}
		again, err := Parse(s.Name, s.FullText())
		if err != nil || again.MD5() != s.MD5() {
			t.Fatalf("full text doesn't parse: %v", err)
		}
		n, err := s.Size(data)
		if n < 0 || n > len(data) {
			t.Fatalf("size %d of %d", n, len(data))
		}
		var out strings.Builder
		if yerr := s.WriteYAML(&out, data, PrintOptions{MaxArray: 4}); (yerr == nil) != (err == nil) {
			t.Fatalf("Size returned %v, WriteYAML %v", err, yerr)
		}
		if jerr := s.WriteJSON(&out, data, PrintOptions{MaxArray: 4}); (jerr == nil) != (err == nil) {
			t.Fatalf("Size returned %v, WriteJSON %v", err, jerr)
		}
		_, serr := s.ShiftStamps(data, 1e9)
		if s.Stamped() && (serr == nil) != (err == nil) {
			t.Fatalf("Size returned %v, ShiftStamps %v", err, serr)
		}
		s.Stamp(data)
		s.Seq(data)
	})
}
