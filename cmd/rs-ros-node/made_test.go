package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/test/samplebag"
)

// TestLastLine checks that commands for files end with a line that says what they made, and that --quiet leaves it out.
func TestLastLine(t *testing.T) {
	whole, dir := samplebag.Walk(t, "whole.bag"), t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		line string
		args []string
	}{
		{"wrote " + at("f.bag") + ": ", []string{"filter", whole, "-o", at("f.bag")}},
		{"wrote " + at("m.bag") + ": ", []string{"merge", whole, "-o", at("m.bag")}},
		{"wrote " + at("c.mcap") + ": ", []string{"convert", whole, "-o", at("c.mcap")}},
		{"wrote " + at("l.bag") + ": ", []string{"compress", "--lz4", whole, "-o", at("l.bag")}},
		{"wrote " + at("d.bag") + ": ", []string{"decompress", whole, "-o", at("d.bag")}},
		{"wrote " + at("r.bag") + ": ", []string{"recover", whole, "-o", at("r.bag")}},
		{"wrote " + at("c.jsonl") + ": 1 recording", []string{"catalog", whole, "-o", at("c.jsonl")}},
		{"wrote " + at("m.jsonl") + ": ", []string{"catalog", "merge", at("c.jsonl"), "-o", at("m.jsonl")}},
		{"wrote " + os.DevNull + ": ", []string{"filter", whole, "-o", os.DevNull}},
		{"wrote " + os.DevNull + ": ", []string{"decompress", whole, "-o", os.DevNull}},
		{"wrote " + os.DevNull + ": ", []string{"convert", whole, "-o", os.DevNull}},
		{"wrote " + os.DevNull + ": ", []string{"export", whole, "-o", os.DevNull}},
		{"wrote " + os.DevNull + ": 1 recording", []string{"catalog", whole, "-o", os.DevNull}},
		{"wrote 2 files, " + os.DevNull + "/", []string{"split", whole, "--split-count", "150", "-o", os.DevNull}},
		{"wrote ", []string{"split", whole, "--split-count", "150", "-o", at("part")}},
		{"checked 1 recording: 1 sound, ", []string{"check", whole}},
	} {
		for _, quiet := range []bool{false, true} {
			args := append(c.args, "--overwrite")
			if c.args[0] == "check" || slices.Contains(c.args, os.DevNull) {
				args = c.args
			}
			if quiet {
				args = append(args, "-q")
			}
			code, _, log := command(t, args...)
			lines := strings.Split(strings.TrimSpace(log), "\n")
			if last := lines[len(lines)-1]; code != exitOK || !quiet && !strings.HasPrefix(last, c.line) || quiet && log != "" {
				t.Errorf("%q ends with %d and %q", args, code, last)
			}
		}
	}
}
