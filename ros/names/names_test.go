package names

import (
	"errors"
	"testing"

	"rsros/test/need"
)

func TestResolve(t *testing.T) {
	n, err := New("node1", "/wg", map[string]string{"chatter": "/other", "~depth": "dist", "/tf": "tf_old"})
	need.Must(t, err)
	for _, c := range []struct{ in, want string }{
		{"bar", "/wg/bar"}, {"foo/bar", "/wg/foo/bar"}, {"/bar", "/bar"}, {"~bar", "/wg/node1/bar"},
		{"~", "/wg/node1"}, {"~/a", "/wg/node1/a"}, {"", "/wg"}, {"/", "/"}, {"//a//b/", "/a/b"},
		{"chatter", "/other"}, {"/wg/chatter", "/other"}, {"/chatter", "/chatter"},
		{"~depth", "/wg/dist"}, {"/wg/node1/depth", "/wg/dist"}, {"/tf", "/wg/tf_old"}, {"tf", "/wg/tf"},
	} {
		if got, err := n.Resolve(c.in); err != nil || got != c.want {
			t.Errorf("resolve(%q) = %q, %v; want %q", c.in, got, err, c.want)
		}
	}
}

func TestBadNames(t *testing.T) {
	for _, name := range []string{"1a", "_a", "a b", "a-b", "a~b", "/a.b", "/device_0/sensor_0/notification/Frames Timeout", "é"} {
		var bad *Error
		if err := Check(name); !errors.As(err, &bad) {
			t.Errorf("Check(%q) = %v", name, err)
		}
	}
	for _, c := range []struct{ node, ns string }{{"", "/"}, {"a/b", "/"}, {"~a", "/"}, {"a", "~x"}, {"a", "/x y"}, {"0", ""}} {
		if _, err := New(c.node, c.ns, nil); err == nil {
			t.Errorf("node %q in %q was accepted", c.node, c.ns)
		}
	}
	if _, err := New("a", "", map[string]string{"b c": "d"}); err == nil {
		t.Error("bad remap was accepted")
	}
	if n, err := New("a", "", nil); err != nil || n.Node != "/a" {
		t.Errorf("empty namespace: %v %v", n, err)
	}
}
