package main

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"rsros/bagstore"
)

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
	text := append([]byte{byte(len(evil)), 0, 0, 0}, evil...)
	conns := []bagstore.Connection{
		{Topic: "/" + evil, Type: "std_msgs/String", MD5: "992ce8a1687cec8c8bd883ec73ca41d1", Definition: "string data\n", CallerID: evil},
		{Topic: "/b" + evil, Type: evil, MD5: evil, Definition: "string data # " + evil},
		{Topic: "/c", Type: evil + "/" + evil, MD5: "*", Definition: evil},
		{Topic: "/d", Type: "sensor_msgs/Image", MD5: evil, Definition: "no " + evil},
	}
	writeBag(t, path, bagstore.Options{NoSync: true}, conns, func(write func(int, bagstore.Time, []byte)) {
		for i := range conns {
			write(i, 1e18+bagstore.Time(i), text)
		}
	})
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
