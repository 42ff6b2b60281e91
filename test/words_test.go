package test

import (
	"regexp"
	"strings"
	"testing"
)

// unusual maps phrases that are understandable but that nobody would say to what to write instead. The
// list is short on purpose: only what is never right.
var unusual = []struct {
	phrase  *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bwhom\b`), "the subscriber, the caller, …"},
	{regexp.MustCompile(`(?i)\bone behind the other\b`), "one after the other"},
	{regexp.MustCompile(`(?i)\bgo(es)? on behind\b`), "continues after"},
	{regexp.MustCompile(`(?i)\bbehind (damage|the tear)\b`), "after the damage"},
}

// TestWordsAreUsual checks the comments and the pages.
func TestWordsAreUsual(t *testing.T) {
	check := func(file string, line int, text string) {
		for _, u := range unusual {
			if found := u.phrase.FindString(text); found != "" {
				t.Errorf("%s:%d: %q: write %q", file, line, found, u.instead)
			}
		}
	}
	for _, s := range load(t) {
		for _, group := range s.ast.Comments {
			for i, line := range strings.Split(group.Text(), "\n") {
				check(s.path, s.line(group.Pos())+i, line)
			}
		}
	}
	for _, p := range pages(t) {
		for i, line := range p.lines {
			check(p.path, i+1, line)
		}
	}
}
