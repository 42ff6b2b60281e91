package master

import (
	"slices"
	"strings"
	"testing"
)

func TestParams(t *testing.T) {
	m := start(t)
	tree := func(pairs ...any) map[string]any {
		s := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			s[pairs[i].(string)] = pairs[i+1]
		}
		return s
	}
	for name := range map[string]any{"run_id": 0, "rosdistro": 0, "rosversion": 0} {
		want(t, m, 0, "deleteParam", "/tool", name)
	}
	want(t, m, tree(), "getParam", "/tool", "/")
	want(t, m, 0, "setParam", "/ns/node", "~gain", 3)
	want(t, m, 0, "setParam", "/ns/node", "shared/a", []any{1.5, "x", true})
	want(t, m, 3, "getParam", "/tool", "/ns/node/gain")
	want(t, m, tree("node", tree("gain", 3), "shared", tree("a", list(1.5, "x", true))), "getParam", "/tool", "/ns")
	want(t, m, true, "hasParam", "/tool", "/ns/shared")
	want(t, m, false, "hasParam", "/tool", "/ns/shared/a/b")
	want(t, m, list("/ns/node/gain", "/ns/shared/a"), "getParamNames", "/tool")

	want(t, m, 0, "setParam", "/tool", "/ns", tree("x", 1, "empty", tree())) // a tree replaces a tree
	want(t, m, list("/ns/x"), "getParamNames", "/tool")
	want(t, m, 0, "setParam", "/tool", "/ns/x/y", 2) // a namespace replaces a value
	want(t, m, tree("empty", tree(), "x", tree("y", 2)), "getParam", "/tool", "/ns/")
	wantError(t, m, "[/ns/y] is not set", "getParam", "/tool", "/ns/y")
	wantError(t, m, "[/ns/y] is not set", "deleteParam", "/tool", "/ns/y")
	wantError(t, m, "[/ns/x/y/z] is not set", "deleteParam", "/tool", "/ns/x/y/z")
	wantError(t, m, "not set", "deleteParam", "/tool", "/")
	wantError(t, m, "non-dictionary", "setParam", "/tool", "/", 1)
	wantError(t, m, "must be specified", "setParam", "/tool", "/n", nil)
	want(t, m, 0, "setParam", "/tool", "/", tree("only", 1))
	want(t, m, tree("only", 1), "getParam", "/tool", "/")
}

// TestLargeParams checks what roslaunch may set in one call: a robot's description, or a long table.
func TestLargeParams(t *testing.T) {
	m := start(t)
	want(t, m, 0, "setParam", "/roslaunch", "/robot_description", strings.Repeat("<link/>", 350_000)) // 4.6 MB as XML
	table := make([]any, 140_000)
	for i := range table {
		table[i] = i
	}
	want(t, m, 0, "setParam", "/roslaunch", "/table", table)
}

func TestParamDepth(t *testing.T) {
	m := start(t)
	want(t, m, 0, "setParam", "/tool", strings.Repeat("/a", maxParamDepth), 1)
	wantError(t, m, "too deep", "setParam", "/tool", strings.Repeat("/b", maxParamDepth+1), 1)
	if code, _, _ := ask(t, m, "getParam", "/tool", "/"); code != 1 {
		t.Error("the tree can't be read")
	}
}

func TestSearchParam(t *testing.T) {
	m := start(t)
	for _, key := range []string{"/robot/arm", "/pr2/robot/base", "/top"} {
		want(t, m, 0, "setParam", "/tool", key, 1)
	}
	for _, c := range []struct{ caller, key, found string }{
		{"/pr2/foo", "robot", "/pr2/robot"},
		{"/pr2/foo", "robot/arm", "/pr2/robot/arm"}, // need not exist: its first part decides
		{"/pr2/foo", "top", "/top"},
		{"/pr2", "robot", "/pr2/robot"},
		{"/other/x", "robot/arm", "/robot/arm"},
		{"/x", "/pr2/robot", "/pr2/robot"},
	} {
		want(t, m, c.found, "searchParam", c.caller, c.key)
	}
	wantError(t, m, "Cannot find", "searchParam", "/pr2/foo", "missing")
	wantError(t, m, "Cannot find", "searchParam", "/pr2/foo", "/missing")
	// The answers of rosmaster to odd calls.
	for _, c := range []struct {
		caller, key string
		code        int
		status      string
		value       any
	}{
		{"/pr2/foo", "~x", 0, "Internal failure: invalid key", 0},
		{"pr2", "top", 0, "Internal failure: namespace must be global", 0},
		{"", "top", 0, "Internal failure: namespace must be global", 0},
		{"/pr2/foo", "/", 1, "Found [/]", "/"},
		{"/pr2/foo", "", -1, "ERROR: parameter [key] must be specified and non-empty", 0},
		{"/pr2/foo", "robot/", 1, "Found [/pr2/robot/]", "/pr2/robot/"},
		{"/pr2/foo", "robot//base", 1, "Found [/pr2/robot//base]", "/pr2/robot//base"},
		{"/pr2/foo", "missing", -1, "Cannot find parameter [missing] in an upwards search", ""},
	} {
		if code, status, value := ask(t, m, "searchParam", c.caller, c.key); code != c.code || status != c.status || value != c.value {
			t.Errorf("searchParam %q %q = %d, %q, %#v; rosmaster answers %d, %q, %#v", c.caller, c.key, code, status, value, c.code, c.status, c.value)
		}
	}
}

func TestParamUpdates(t *testing.T) {
	m := start(t)
	above, exact, below := startSlave(t), startSlave(t), startSlave(t)
	unset := map[string]any{}
	want(t, m, unset, "subscribeParam", "/above", above.api, "/ns")
	want(t, m, unset, "subscribeParam", "/exact", exact.api, "/ns/a")
	want(t, m, unset, "subscribeParam", "/below", below.api, "/ns/a/b")

	want(t, m, 0, "setParam", "/tool", "/ns/a", map[string]any{"b": 1})
	above.expect(t, "paramUpdate", "/master", "/ns/a/", map[string]any{"b": 1})
	exact.expect(t, "paramUpdate", "/master", "/ns/a/", map[string]any{"b": 1})
	below.expect(t, "paramUpdate", "/master", "/ns/a/b/", 1)

	want(t, m, 0, "setParam", "/exact", "/ns/a", 2) // who sets it isn't told
	above.expect(t, "paramUpdate", "/master", "/ns/a/", 2)
	below.expect(t, "paramUpdate", "/master", "/ns/a/b/", unset)

	want(t, m, 0, "deleteParam", "/exact", "/ns/a")
	above.expect(t, "paramUpdate", "/master", "/ns/a/", unset)
	exact.expect(t, "paramUpdate", "/master", "/ns/a/", unset)
	below.expect(t, "paramUpdate", "/master", "/ns/a/b/", unset)

	want(t, m, 1, "unsubscribeParam", "/above", above.api, "/ns")
	want(t, m, 1, "unsubscribeParam", "/above", above.api, "/ns") // as rosmaster: whether or not there was one
	wantError(t, m, "unknown node", "lookupNode", "/tool", "/above")
}

// TestUpdatesAreStates checks that a queue holds the newest update of each subject, in the order in
// which they were made.
func TestUpdatesAreStates(t *testing.T) {
	var waiting []update
	for _, u := range []update{
		{paramUpdate, "/a/", 1}, {paramUpdate, "/a/b/", 2}, {publisherUpdate, "/a/", nil}, {paramUpdate, "/a/", 3},
	} {
		waiting = append(withoutReplaced(waiting, u), u)
	}
	want := []update{{paramUpdate, "/a/b/", 2}, {publisherUpdate, "/a/", nil}, {paramUpdate, "/a/", 3}}
	if !slices.Equal(waiting, want) {
		t.Errorf("%v, want %v", waiting, want)
	}
}
