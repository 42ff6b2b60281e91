package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rsros/test/need"
	"rsros/test/samplebag"
)

var (
	shellWord = regexp.MustCompile(`'[^']*'|\S+`)
	logTime   = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d `)
	logInfo   = regexp.MustCompile(`(?m)^INF .*\n`)
)

// TestMistakeTexts runs the command lines of testdata/mistakes.txt, and compares what a user reads of the mistakes in
// them, and the exit codes. TAKEN is an address in use, MASTER an embedded master of the program's own.
func TestMistakeTexts(t *testing.T) {
	golden, err := filepath.Abs("testdata/mistakes.txt")
	need.Must(t, err)
	table, err := os.ReadFile(golden)
	need.Must(t, err)
	mistakesFolder(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	defer taken.Close()
	args := strings.NewReplacer("TAKEN", taken.Addr().String(), "MASTER", "--master embedded __master:=http://127.0.0.1:0/")
	var b strings.Builder
	for line := range strings.Lines(string(table)) {
		if comment := strings.HasPrefix(line, "#"); comment {
			b.WriteString(line)
		}
		line, isCommand := strings.CutPrefix(strings.TrimSpace(line), "$ rs-ros-node ")
		if !isCommand {
			continue
		}
		words := shellWord.FindAllString(args.Replace(line), -1)
		for i := range words {
			words[i] = strings.Trim(words[i], "'")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a mistake that isn't seen leaves a node running
		code, _, text := commandIn(ctx, words...)
		cancel()
		text = logInfo.ReplaceAllString(logTime.ReplaceAllString(text, ""), "")
		text = strings.ReplaceAll(text, taken.Addr().String(), "TAKEN")
		if strings.Contains(text, "strconv") || strings.Contains(text, ".partial") || strings.Contains(text, "EOF") {
			t.Errorf("%s: %s", line, text)
		}
		fmt.Fprintf(&b, "\n$ rs-ros-node %s\n%sexit code %d\n", line, text, code)
	}
	checkGolden(t, golden, b.String())
}

// mistakesFolder makes the folder of the mistakes' files the current one.
func mistakesFolder(t *testing.T) {
	walk := samplebag.Walk(t, "walk.bag")
	camera := samplebag.SDK(t, "sw_small_raw.bag", "camera.bag")
	t.Chdir(t.TempDir())
	content, err := os.ReadFile(walk)
	need.Must(t, err)
	frames, err := os.ReadFile(camera)
	need.Must(t, err)
	files := map[string][]byte{
		"walk.bag": content, "recordings/walk.bag": content, "killed.bag.active": content, "torn.bag": content[:len(content)/2], "camera.bag": frames,
		"notes.txt": []byte("hello\n"), "empty.bag": nil, "rules.yaml": []byte("recording:\n  mesages: {min: 1}\n"),
	}
	for name, content := range files {
		need.Must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		need.Must(t, os.WriteFile(name, content, 0o600))
	}
}
