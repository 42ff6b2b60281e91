package program

import (
	"slices"
	"testing"
	"time"
)

func TestProgressLines(t *testing.T) {
	clock := time.Unix(1000, 0)
	var lines []string
	report := ProgressLines("walk.bag", func() time.Time { return clock }, func(line string) { lines = append(lines, line) })
	for _, step := range []struct {
		after       time.Duration
		done, total uint64
	}{
		{4 * time.Second, 100, 1000}, // too early
		{time.Second, 250, 1000},
		{4 * time.Second, 300, 1000},
		{time.Second, 500, 1000},
		{10 * time.Second, 0, 0},  // unknown
		{time.Second, 1200, 1000}, // more than there is
		{time.Second, 1000, 1000}, // all
	} {
		clock = clock.Add(step.after)
		report(step.done, step.total)
	}
	want := []string{"walk.bag: 25 % after 5s, about 15s left", "walk.bag: 50 % after 10s, about 10s left"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}
