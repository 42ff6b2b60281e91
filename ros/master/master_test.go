package master

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"rsros/ros/xmlrpc"
	"rsros/test/need"
	"rsros/test/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds waits; only a failing test reaches it.
const patience = peer.Patience

func start(t *testing.T) *Master {
	t.Helper()
	m, err := Start(Config{Address: "127.0.0.1:0", Host: "127.0.0.1", Log: zerolog.New(zerolog.NewTestWriter(t))})
	need.Must(t, err)
	t.Cleanup(func() {
		need.Must(t, m.Close())
	})
	return m
}

// ask calls the master as a node would, and returns code, message and value.
func ask(t *testing.T, m *Master, method string, args ...any) (int, string, any) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	result, err := xmlrpc.Call(t.Context(), client, m.URI(), method, args...)
	need.Must(t, err)
	r := result.([]any)
	return r[0].(int), r[1].(string), r[2]
}

// want makes a call that must succeed, and compares the value.
func want(t *testing.T, m *Master, value any, method string, args ...any) {
	t.Helper()
	code, message, got := ask(t, m, method, args...)
	if code != 1 || !reflect.DeepEqual(got, value) {
		t.Errorf("%s%v = %d %q %#v, want %#v", method, args, code, message, got, value)
	}
}

// wantError makes a call that must fail.
func wantError(t *testing.T, m *Master, text, method string, args ...any) {
	t.Helper()
	if code, message, _ := ask(t, m, method, args...); code != -1 || !strings.Contains(message, text) {
		t.Errorf("%s%v = %d %q", method, args, code, message)
	}
}

// slave is a node's slave API: calls receives what the master calls.
type slave struct {
	api   string
	calls chan []any // method, then arguments
}

func startSlave(t *testing.T) *slave {
	s := &slave{calls: make(chan []any, 100)}
	server := httptest.NewServer(xmlrpc.NewHandler(func(_ context.Context, method string, args []any) (any, error) {
		s.calls <- append([]any{method}, args...)
		return []any{1, "", 0}, nil
	}, zerolog.Nop()))
	t.Cleanup(server.Close)
	s.api = server.URL + "/"
	return s
}

// expect waits for the next call and compares it.
func (s *slave) expect(t *testing.T, call ...any) {
	t.Helper()
	select {
	case got := <-s.calls:
		if !reflect.DeepEqual(got, call) {
			t.Errorf("master called %v, want %v", got, call)
		}
	case <-time.After(patience):
		t.Fatalf("master did not call %v", call)
	}
}

func list(values ...any) []any { return append([]any{}, values...) }

func TestIdentity(t *testing.T) {
	m := start(t)
	want(t, m, m.URI(), "getUri", "/tool")
	if code, _, pid := ask(t, m, "getPid", "/tool"); code != 1 || pid.(int) <= 0 {
		t.Error(code, pid)
	}
	want(t, m, "noetic\n", "getParam", "/tool", "/rosdistro")
	if _, _, id := ask(t, m, "getParam", "/tool", "/run_id"); len(id.(string)) != 36 {
		t.Error(id)
	}
	select {
	case <-m.ShutdownAsked():
		t.Error("shutdown before it was asked")
	default:
	}
	want(t, m, 0, "shutdown", "/tool")
	want(t, m, 0, "shutdown", "/tool", "again")
	<-m.ShutdownAsked()
}

func TestAddressInUse(t *testing.T) {
	m := start(t)
	if other, err := Start(Config{Address: strings.TrimSuffix(strings.TrimPrefix(m.URI(), "http://"), "/")}); err == nil {
		_ = other.Close()
		t.Error("two masters on one port")
	}
	need.Must(t, errors.Join(m.Close(), m.Close()))
}

func TestTopics(t *testing.T) {
	m := start(t)
	pub, sub := startSlave(t), startSlave(t)
	want(t, m, list(), "registerSubscriber", "/ns/sub", "chatter", "*", sub.api)
	want(t, m, list(), "getTopicTypes", "/tool")
	want(t, m, list(sub.api), "registerPublisher", "/pub", "/ns/chatter", "std_msgs/String", pub.api)
	sub.expect(t, "publisherUpdate", "/master", "/ns/chatter", list(pub.api))
	want(t, m, list(pub.api), "registerSubscriber", "/ns/sub", "/ns/chatter", "*", sub.api)

	want(t, m, pub.api, "lookupNode", "/tool", "/pub")
	want(t, m, list(list("/ns/chatter", "std_msgs/String")), "getPublishedTopics", "/tool", "")
	want(t, m, list(list("/ns/chatter", "std_msgs/String")), "getPublishedTopics", "/tool", "/ns/")
	want(t, m, list(), "getPublishedTopics", "/tool", "/n")
	want(t, m, list(), "getPublishedTopics", "/tool", "/ns/chatter")
	want(t, m, list(list("/ns/chatter", "std_msgs/String")), "getTopicTypes", "/tool")
	want(t, m, list(list(list("/ns/chatter", list("/pub"))), list(list("/ns/chatter", list("/ns/sub"))), list()), "getSystemState", "/tool")

	want(t, m, 0, "unregisterPublisher", "/pub", "/ns/chatter", "http://elsewhere:1/")
	want(t, m, 0, "unregisterPublisher", "/unknown", "/ns/chatter", pub.api)
	want(t, m, 1, "unregisterPublisher", "/pub", "/ns/chatter", pub.api)
	sub.expect(t, "publisherUpdate", "/master", "/ns/chatter", list())
	want(t, m, 1, "unregisterSubscriber", "/ns/sub", "/ns/chatter", sub.api)
	wantError(t, m, "unknown node [/pub]", "lookupNode", "/tool", "/pub")
	want(t, m, list(list(), list(), list()), "getSystemState", "/tool")
	want(t, m, list(list("/ns/chatter", "std_msgs/String")), "getTopicTypes", "/tool") // as rosmaster, it remembers
}

func TestServices(t *testing.T) {
	m := start(t)
	wantError(t, m, "no provider", "lookupService", "/tool", "/s")
	for range 2 { // renewing keeps the node
		want(t, m, 1, "registerService", "/a", "/s", "rosrpc://a:1", "http://a:2/")
	}
	want(t, m, "rosrpc://a:1", "lookupService", "/tool", "s")
	want(t, m, 1, "registerService", "/b", "/s", "rosrpc://b:1", "http://b:2/")
	want(t, m, list(list(), list(), list(list("/s", list("/b")))), "getSystemState", "/tool")
	wantError(t, m, "unknown node", "lookupNode", "/tool", "/a")
	want(t, m, 0, "unregisterService", "/a", "/s", "rosrpc://a:1")
	want(t, m, 0, "unregisterService", "/b", "/s", "rosrpc://a:1")
	want(t, m, 1, "unregisterService", "/b", "/s", "rosrpc://b:1")
	wantError(t, m, "no provider", "lookupService", "/tool", "/s")
}

// TestReplaced checks that a node that registers again at another URI shuts its predecessor down, and
// that what only the predecessor published is withdrawn.
func TestReplaced(t *testing.T) {
	m := start(t)
	first, second, sub := startSlave(t), startSlave(t), startSlave(t)
	want(t, m, list(), "registerSubscriber", "/sub", "/old", "*", sub.api)
	want(t, m, list(sub.api), "registerPublisher", "/n", "/old", "std_msgs/String", first.api)
	sub.expect(t, "publisherUpdate", "/master", "/old", list(first.api))
	want(t, m, 1, "registerService", "/n", "/s", "rosrpc://n:1", first.api)
	want(t, m, list(), "registerPublisher", "/n", "/new", "std_msgs/String", second.api)
	first.expect(t, "shutdown", "/master", "[/n] Reason: new node registered with same name")
	sub.expect(t, "publisherUpdate", "/master", "/old", list())
	want(t, m, second.api, "lookupNode", "/tool", "/n")
	want(t, m, list(list(list("/new", list("/n"))), list(list("/old", list("/sub"))), list()), "getSystemState", "/tool")
	want(t, m, 0, "unregisterPublisher", "/n", "/new", first.api) // the old one says good bye too late
}

// TestDeadNode checks that nodes that hang or are gone delay no notifications of others.
func TestDeadNode(t *testing.T) {
	m := start(t)
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hanging.Close()
	defer close(release)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	sub := startSlave(t)
	want(t, m, list(), "registerSubscriber", "/hanging", "/t", "*", hanging.URL)
	want(t, m, list(), "registerSubscriber", "/gone", "/t", "*", gone.URL)
	want(t, m, list(), "registerSubscriber", "/sub", "/t", "*", sub.api)
	for _, api := range []string{"http://a:1/", "http://b:1/", "http://c:1/"} {
		want(t, m, list(hanging.URL, gone.URL, sub.api), "registerPublisher", "/"+api[7:8], "/t", "std_msgs/String", api)
	}
	all := list("http://a:1/", "http://b:1/", "http://c:1/")
	for deadline := time.After(patience); ; {
		select {
		case call := <-sub.calls:
			if reflect.DeepEqual(call[3], all) {
				return
			}
		case <-deadline:
			t.Fatal("the living node was not told")
		}
	}
}

func TestChecks(t *testing.T) {
	m := start(t)
	wantError(t, m, "missing required caller_id", "getPid")
	wantError(t, m, "caller_id must be a string", "getPid", 1)
	wantError(t, m, "bad call arity", "getPid", "/a", 1)
	wantError(t, m, "bad call arity", "setParam", "/a", "x")
	wantError(t, m, "must be a string", "getParam", "/a", 1)
	wantError(t, m, "non-empty", "getParam", "/a", "")
	wantError(t, m, "illegal chars", "registerPublisher", "/a", "/Frames Timeout", "a/B", "http://a:1/")
	wantError(t, m, "global namespace", "registerPublisher", "/a", "//", "a/B", "http://a:1/")
	wantError(t, m, "valid package resource name", "registerPublisher", "/a", "/t", "String", "http://a:1/")
	wantError(t, m, "not an RPC URI", "registerPublisher", "/a", "/t", "a/B", "a:1")
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	if _, err := xmlrpc.Call(t.Context(), client, m.URI(), "getPublications", "/a"); err == nil || !strings.Contains(err.Error(), "not supported") {
		t.Error(err)
	}
}
