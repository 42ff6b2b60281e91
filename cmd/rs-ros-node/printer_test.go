package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
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
		if got := printable(in); got != want {
			t.Errorf("%q is printed as %q, want %q", in, got, want)
		}
		// The output doesn't depend on how the text is split into writes.
		for size := 1; size <= 3; size++ {
			var out bytes.Buffer
			p := newPrinter(&out)
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
		if got := printable(text); hidden(got) != "" {
			t.Errorf("%q is printed as %q", text, got)
		}
		whole, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		p := newPrinter(&out)
		cut = min(max(cut, 0), len(whole))
		for _, part := range [][]byte{whole[:cut], whole[cut:]} {
			if _, err := p.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		var before, after string
		if err := json.Unmarshal(whole, &before); err != nil {
			t.Fatal(err)
		}
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

// evil is text that would take over a terminal.
const evil = "\x1b]0;owned\a\u009b31m\u202e\x9bx\r"

// hostileBag has such text wherever a bag has text, including in messages.
func hostileBag(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "evil.bag")
	w, err := rosbag.Create(path, bagstore.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	text := append([]byte{byte(len(evil)), 0, 0, 0}, evil...)
	for i, c := range []bagstore.Connection{
		{Topic: "/" + evil, Type: "std_msgs/String", MD5: "992ce8a1687cec8c8bd883ec73ca41d1", Definition: "string data\n", CallerID: evil},
		{Topic: "/b" + evil, Type: evil, MD5: evil, Definition: "string data # " + evil},
		{Topic: "/c", Type: evil + "/" + evil, MD5: "*", Definition: evil},
		{Topic: "/d", Type: "sensor_msgs/Image", MD5: evil, Definition: "no " + evil},
	} {
		id, err := w.AddConnection(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(id, 1e18+bagstore.Time(i), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNothingSteersATerminal checks that no command prints control characters from a bag or a file name
// unescaped.
func TestNothingSteersATerminal(t *testing.T) {
	bag := hostileBag(t)
	dir := filepath.Dir(bag)
	out := func(name string) string { return filepath.Join(dir, evil+name) }
	for _, args := range [][]string{
		{"info", bag}, {"info", "--freq", "--sizes", "--realsense", bag}, {"info", "-y", bag}, {"info", "--json", bag},
		{"info", "-y", "-k", evil, bag}, {"info", out("nowhere")},
		{"check", bag}, {"check", "--json", bag}, {"check", out("nowhere")},
		{"recover", "--log-level=debug", "-o", out("whole.bag"), bag}, {"recover", "--json", "-o", out("2.bag"), bag},
		{"cat", bag}, {"cat", "--json", bag}, {"cat", "--topics", evil, bag}, {"cat", "-e", "--topics", evil + "[", bag},
		{"filter", bag, "-o", out("3.bag")}, {"split", "--split-count", "1", "-o", out("part"), bag}, {"merge", "-o", out("4.bag"), bag},
		{"compress", "-o", out("dir") + "/", bag}, {"export", bag, "-o", out("folder")}, {"convert", bag, "-o", out("x.mcap")},
		{"play", bag, "--topics", evil}, {evil}, {"info", "--" + evil}, {"live", "--device", evil},
	} {
		_, data, log := command(t, args...)
		if h := hidden(data); h != "" {
			t.Errorf("%q prints %s in\n%q", args, h, data)
		}
		if h := hidden(log); h != "" {
			t.Errorf("%q logs %s in\n%q", args, h, log)
		}
		if len(args) > 1 && args[1] == "--json" {
			for line := range strings.SplitSeq(strings.TrimSpace(data), "\n") {
				if args[0] != "info" && !json.Valid([]byte(line)) {
					t.Errorf("%q prints no JSON: %s", args, line)
				}
			}
		}
	}
}
