package verify

import (
	"slices"
	"sort"
)

// step is a difference between two lists: what was at want is at got. -1 is in neither.
type step struct {
	want, got int
	moved     bool // the same thing at another place
}

// align finds how got was made of want. Things that are neither in both are paired if they are at the same
// place: they were changed. The rest was dropped (got is -1) or added (want is -1).
func align[K comparable](want, got []K) (steps []step) {
	from := 0
	for from < len(want) && from < len(got) && want[from] == got[from] {
		from++
	}
	w, g := len(want), len(got)
	for w > from && g > from && want[w-1] == got[g-1] {
		w--
		g--
	}
	if w == from && g == from {
		return nil
	}
	a := alignment{at: match(want[from:w], got[from:g])}
	a.used = make([]bool, g-from)
	for _, at := range a.at {
		if at >= 0 {
			a.used[at] = true
		}
	}
	for _, s := range a.steps() {
		if s.want >= 0 {
			s.want += from
		}
		if s.got >= 0 {
			s.got += from
		}
		steps = append(steps, s)
	}
	return steps
}

// match returns for each thing in want where it is in got, or -1.
func match[K comparable](want, got []K) []int {
	places := make(map[K][]int)
	for i, k := range got {
		places[k] = append(places[k], i)
	}
	at := make([]int, len(want))
	for i, k := range want {
		at[i] = -1
		if list := places[k]; len(list) > 0 {
			at[i], places[k] = list[0], list[1:]
		}
	}
	return at
}

type alignment struct {
	at   []int  // for each in want, where it is in got
	used []bool // of got: it is one of want
}

func (a *alignment) steps() (steps []step) {
	fixed := a.fixed()
	g := 0
	for w := 0; w <= len(a.at); {
		// What is between two things that are where they were.
		end, gotEnd := w, len(a.used)
		for end < len(a.at) && !fixed[end] {
			end++
		}
		if end < len(a.at) {
			gotEnd = a.at[end]
		}
		steps = a.between(steps, w, end, g, gotEnd)
		w, g = end+1, gotEnd+1
	}
	return steps
}

func (a *alignment) between(steps []step, w, wEnd, g, gEnd int) []step {
	free := func() int { // the next of got that is none of want
		for g < gEnd && a.used[g] {
			g++
		}
		return g
	}
	for ; w < wEnd; w++ {
		switch {
		case a.at[w] >= 0:
			steps = append(steps, step{w, a.at[w], true})
		case free() < gEnd:
			steps = append(steps, step{w, g, false})
			g++
		default:
			steps = append(steps, step{w, -1, false})
		}
	}
	for ; free() < gEnd; g++ {
		steps = append(steps, step{-1, g, false})
	}
	return steps
}

// fixed reports which of want are where they were: in a permutation those at their number, otherwise the longest
// sequence that has kept its order.
func (a *alignment) fixed() []bool {
	fixed := make([]bool, len(a.at))
	if len(a.at) == len(a.used) && !slices.Contains(a.at, -1) {
		for i, at := range a.at {
			fixed[i] = i == at
		}
		return fixed
	}
	var ends []int // ends[n]: the last of a rising sequence of n+1, with the least place
	before := make([]int, len(a.at))
	for i, at := range a.at {
		if at < 0 {
			continue
		}
		n := sort.Search(len(ends), func(n int) bool { return a.at[ends[n]] >= at })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			fixed[i] = true
		}
	}
	return fixed
}
