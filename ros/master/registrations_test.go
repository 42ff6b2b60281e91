package master

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestCounts makes random changes to registrations and checks after each that the counts match the
// registries.
func TestCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	name := func(kind string) string { return fmt.Sprintf("/%s%d", kind, random.IntN(4)) }
	g := newRegistrations()
	for step := range 20000 {
		n, key := name("node"), name("key")
		r := []registry{g.publishers, g.subscribers, g.paramSubscribers}[random.IntN(3)]
		switch random.IntN(4) {
		case 0, 1:
			g.enter(n, name("api"))
			if random.IntN(3) == 0 {
				g.addService(key, n, name("api"))
			} else {
				g.add(r, key, n)
			}
		case 2:
			g.remove(r, key, n)
		case 3:
			g.removeService(key)
		}
		counts := map[string]int{}
		for _, r := range []registry{g.publishers, g.subscribers, g.paramSubscribers} {
			for key, names := range r {
				if len(names) == 0 {
					t.Fatalf("step %d: empty entry %s", step, key)
				}
				for _, n := range names {
					counts[n]++
				}
			}
		}
		for _, p := range g.services {
			counts[p.node]++
		}
		if len(counts) != len(g.nodes) {
			t.Fatalf("step %d: %d nodes known, %d registered", step, len(g.nodes), len(counts))
		}
		for n, count := range counts {
			if g.nodes[n].registrations != count {
				t.Fatalf("step %d: %s counts %d, has %d", step, n, g.nodes[n].registrations, count)
			}
		}
	}
}

func TestTypes(t *testing.T) {
	type word struct {
		typeName  string
		publisher bool
	}
	for _, c := range []struct {
		words []word
		want  string
	}{
		{[]word{{"*", false}}, ""},
		{[]word{{"a/B", false}}, "a/B"},
		{[]word{{"a/B", false}, {"c/D", false}}, "a/B"},
		{[]word{{"a/B", false}, {"c/D", true}}, "c/D"},
		{[]word{{"a/B", true}, {"*", true}, {"c/D", false}}, "a/B"},
		{[]word{{"*", true}}, "*"},
		{[]word{{"*", true}, {"a/B", false}}, "a/B"},
	} {
		g := newRegistrations()
		for _, w := range c.words {
			g.setType("/t", w.typeName, w.publisher)
		}
		if g.types["/t"] != c.want {
			t.Errorf("%v gives %q, want %q", c.words, g.types["/t"], c.want)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ name, caller, want string }{
		{"x", "/node", "/x"}, {"x", "/ns/node", "/ns/x"}, {"/x", "/ns/node", "/x"}, {"~x", "/ns/node", "/ns/node/x"},
		{"", "/ns/node", "/ns"}, {"", "/node", "/"}, {"//a///b/", "", "/a/b"}, {"x", "node", "/x"}, {"~x/", "node", "/node/x"}, {"/", "/a/b", "/"},
	} {
		if got := resolve(c.name, c.caller); got != c.want {
			t.Errorf("resolve(%q, %q) = %q, want %q", c.name, c.caller, got, c.want)
		}
	}
	for _, c := range []struct {
		name, space string
		want        bool
	}{{"/a/b", "/a", true}, {"/a", "/a", true}, {"/ab", "/a", false}, {"/a", "/", true}, {"/", "/", true}, {"/a", "/a/b", false}} {
		if got := within(c.name, c.space); got != c.want {
			t.Errorf("within(%q, %q) = %v", c.name, c.space, got)
		}
	}
}
