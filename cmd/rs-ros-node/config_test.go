package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"rsros/node/settings"
	"rsros/test/need"
)

func writeText(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "robot.yaml")
	need.Must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// What --print-config prints, --config reads back, and flags win.
func TestConfigRoundTrip(t *testing.T) {
	for _, c := range []struct {
		line, more string
		want       []string
	}{
		{"record -a -x /a|b:#c -x .* --lz4 --split-size 1.5G --ring=10s /foo /bar", "-j /baz",
			[]string{"all: true", "bz2: true", "exclude: ['/a|b:#c', .*]", "ring: 10s", "split-size: 1.5G", "topics: /baz"}},
		{"play a.bag b.bag --rate 2 --clock-per-message=false --topics /a /b", "--rate 3",
			[]string{"bags: [a.bag, b.bag]", "clock-per-message: false", "rate: 3", "topics: [/a, /b]"}},
		{"live --device sim:007 --depth off --color 640x480@30 --http", "--device usb",
			[]string{"color: 640x480@30", "depth: off", "device: usb", "http: 127.0.0.1:8765"}},
	} {
		args := strings.Fields(c.line)
		code, first, log := command(t, append(args, "--print-config")...)
		if code != exitOK {
			t.Fatalf("%s: %d: %s", c.line, code, log)
		}
		config := writeText(t, first)
		if code, again, log := command(t, args[0], "--config", config, "--print-config"); code != exitOK || again != first {
			t.Errorf("%s: %d: %s\n%s\nwant\n%s", c.line, code, log, again, first)
		}
		_, merged, _ := command(t, append([]string{args[0], "--config", config, "--print-config"}, strings.Fields(c.more)...)...)
		var set []string
		for line := range strings.Lines(merged) {
			if !strings.HasPrefix(line, "#") {
				set = append(set, strings.TrimSpace(line))
			}
		}
		if strings.Join(set, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s, then %s: %q", c.line, c.more, set)
		}
	}
}

// TestConfigTexts: texts that YAML could take for something else are read back, or not printed.
func TestConfigTexts(t *testing.T) {
	for _, text := range []string{"", " ", "007", "off", "null", "~", "@60", "a: b", "#x", "- a", "!!str x", "&a", "line\nbreak", "a\u2028b", "a\u2029b", "a\u0085b", "\x01", "1:30", "<<"} {
		args := []string{"live", "--camera", text, "--print-config"}
		first := want(t, exitOK, args...)
		if again := want(t, exitOK, "live", "--config", writeText(t, first), "--print-config"); again != first || strings.Contains(first, "# camera:") {
			t.Errorf("%q: %s\nwant\n%s", text, again, first)
		}
	}
	has(t, wantLog(t, exitFailed, "live", "--camera", "\xff", "--print-config"), `--camera "\xff": YAML has text in UTF-8 only`)
}

func TestConfigMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"lz4: true\nsplit_size: 1G\n": `robot.yaml: line 2: found the key "split_size", want some of the`,
		"splitsize: 1G":               "did you mean split-size?",
		"all: true\nbuffsize: much":   `line 2: buffsize: "much": want a size`,
		"lz4: true\nbz2: true":        "line 2: bz2: \"true\": contradicts",
		"- lz4":                       "line 1: found a list",
		"lz4: [true, false]":          "line 1: lz4: found a list, want a text",
		"topics: {a: b}":              "line 1: topics: found keys",
		"lz4: true\nlz4: true":        "line 2: found the key lz4 again",
		"a: &a b":                     "anchors are not supported",
	} {
		has(t, wantLog(t, exitUsage, "record", "--config", writeText(t, text)), want)
	}
}

// A flag counts before a parameter, that before the file, and the file before the default.
func TestConfigPrecedence(t *testing.T) {
	set := settings.Set{{Flag: "camera", Params: []string{"camera"}, Kind: settings.Text, Default: "camera"}}
	for _, c := range []struct{ flag, param, file, want string }{
		{"", "", "", "camera"}, {"", "", "file", "file"}, {"", "param", "file", "param"}, {"flag", "param", "file", "flag"}, {"flag", "", "file", "flag"},
	} {
		var value string
		targets := settings.Fields{"camera": &value}
		cmd := &cobra.Command{}
		given := jobFlags(cmd, set, targets)
		if c.flag != "" {
			need.Must(t, cmd.ParseFlags([]string{"--camera", c.flag}))
		}
		if c.file != "" {
			need.Must(t, settings.ReadFile(writeText(t, "camera: "+c.file), set.Fields(targets), given, settings.Values{}))
		}
		set.Fill(settings.NewReader(map[string]any{"camera": c.param}), given, targets)
		set.Complete(given, targets)
		if value != c.want {
			t.Errorf("%+v: %s", c, value)
		}
	}
}
