package main

import (
	"strings"
	"testing"

	"rsros/test/samplebag"
)

// TestMistakes checks what a user reads after a mistake. BAG is a good recording.
func TestMistakes(t *testing.T) {
	bag := samplebag.Walk(t, "walk.bag")
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"live --align_depth", exitUsage, "unknown flag: --align_depth; did you mean --align-depth?"},
		{"live --clock", exitUsage, "unknown flag: --clock; did you mean --clock-drift?"},
		{"live -device sim", exitUsage, "did you mean --device?"},
		{"view sim --record x.bag", exitUsage, "unknown flag: --record; did you mean"},
		{"info --frq BAG", exitUsage, "unknown flag: --frq; did you mean --freq?"},
		{"info --ya BAG", exitUsage, "unknown flag: --ya; did you mean --yaml?"},
		{"info --wobble BAG", exitUsage, "unknown flag: --wobble; see rs-ros-node info --help"},
		{"recover --out x BAG", exitUsage, "unknown flag: --out; did you mean"},
		{"record --output x /a", exitUsage, "--output may mean --output-prefix, --output-name"},
		{"play --s 4 BAG", exitUsage, "--s may mean --start, --skip-empty"},
		{"play --sta x BAG", exitUsage, `invalid argument "x" for "-s, --start" flag: want a number of seconds`},
		{"play --nam wrapper BAG", exitUsage, "unknown flag: --nam; did you mean --naming?"},
		{"batch check --in x --out y -- --jso", exitUsage, "unknown flag: --jso; did you mean --json?"},
		{"pley BAG", exitUsage, "unknown command \"pley\"; did you mean play?\ncommands: batch, cat, "},
		{"--verbose wobble BAG", exitUsage, "unknown command \"wobble\"\ncommands: batch, cat, "},
		{"cat --max-array x BAG", exitUsage, `invalid argument "x" for "--max-array" flag: want a whole number`},
		{"export --rate x --as tum BAG out", exitUsage, `invalid argument "x" for "--rate" flag: want a number`},
		{"info --yaml=x BAG", exitUsage, `invalid argument "x" for "--yaml" flag: want true or false`},
		{"record -a --size 1x", exitUsage, `invalid argument "1x" for "--size" flag: want a number of MB, or one with k, M or G`},
		{"info --message-limit x BAG", exitUsage, "want a number of MB, or one with k, M or G"},
	} {
		args := strings.Fields(strings.ReplaceAll(c.line, "BAG", bag))
		code, out, log := command(t, args...)
		if code != c.code || !strings.Contains(log, c.want) || strings.Contains(log, "strconv") {
			t.Errorf("%s: %d, want %d and %q\n%s%s", c.line, code, c.code, c.want, out, log)
		}
	}
}

// TestVersionFlag checks that --version is the command version.
func TestVersionFlag(t *testing.T) {
	if flag, word := want(t, exitOK, "--version"), want(t, exitOK, "version"); flag != word {
		t.Errorf("%q, want %q", flag, word)
	}
}
