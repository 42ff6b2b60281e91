package ros

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"rsros/ros/rosapi"
	"rsros/ros/xmlrpc"
)

// The slave API as test_slave_api.py of ros_comm tests it, and invalid calls.
func TestSlaveAPI(t *testing.T) {
	m := startMaster(t)
	n := startNode(t, m, "test_node")
	advertise(t, n, stringType)
	subscribe(t, n, SubscriberOptions{Topic: "probe_topic", Type: stringType.Type}, func(Received) {})
	synced(t, n)
	c := rosapi.NewCaller("/test_harness")
	tcpros, me := []any{[]any{"Fake", 1, 2}, []any{"TCPROS"}}, "/test_harness"
	for _, x := range []struct {
		method string
		args   []any
		want   any // nil: code -1
	}{
		{"getPid", []any{me}, os.Getpid()},
		{"getPid", nil, nil},
		{"getPid", []any{7}, nil},
		{"getMasterUri", []any{me}, m.uri()},
		{"getMasterUri", []any{me, "extra"}, nil},
		{"getPublications", []any{me}, []any{[]any{"/chatter", "std_msgs/String"}, []any{"/rosout", "rosgraph_msgs/Log"}}},
		{"getPublications", nil, nil},
		{"getPublications", []any{me, "extra"}, nil},
		{"getSubscriptions", []any{me}, []any{[]any{"/probe_topic", "std_msgs/String"}}},
		{"getSubscriptions", []any{me, "extra"}, nil},
		{"paramUpdate", []any{me, "/good_key", "v"}, nil},
		{"paramUpdate", []any{me, "", "v"}, nil},
		{"paramUpdate", []any{me, "no_namespace", "v"}, nil},
		{"paramUpdate", []any{me, "/key"}, nil},
		{"publisherUpdate", []any{me, "/fake", []any{"http://localhost:1234", "http://localhost:5678"}}, 0},
		{"publisherUpdate", []any{me, "/fake", []any{}}, 0},
		{"publisherUpdate", []any{me, "/probe_topic", []any{"http://unroutablefakeservice:1234"}}, 0},
		{"publisherUpdate", []any{me, "/probe_topic", []any{}}, 0},
		{"publisherUpdate", []any{me, "/bad_topic", "bad"}, nil},
		{"publisherUpdate", []any{me, "/bad_topic", 2}, nil},
		{"publisherUpdate", []any{me, "/bad_topic", []any{"bad"}}, nil},
		{"publisherUpdate", []any{me}, nil},
		{"requestTopic", []any{me, "/chatter", tcpros}, []any{"TCPROS", "127.0.0.1", port(n.listener)}},
		{"requestTopic", []any{me, "/chatter", tcpros, "extra"}, nil},
		{"requestTopic", []any{me, 1, tcpros}, nil},
		{"requestTopic", []any{me, "", tcpros}, nil},
		{"requestTopic", []any{me, "/fake", tcpros}, nil},
		{"requestTopic", []any{me, "/chatter", "fake-protocols"}, nil},
		{"requestTopic", []any{me, "/chatter", []any{"TCPROS"}}, nil},
		{"requestTopic", []any{me, "/chatter", []any{}}, nil},
		{"getBusInfo", []any{me}, []any{}},
		{"getBusInfo", []any{me, "bad"}, nil},
		{"getBusStats", []any{me, "bad"}, nil},
		{"getBusStats", []any{me}, []any{
			[]any{[]any{"/chatter", 0, []any{}}, []any{"/rosout", 0, []any{}}}, []any{[]any{"/probe_topic", []any{}}}, []any{0, 0, 0}}},
	} {
		answer, err := xmlrpc.Call(t.Context(), http.DefaultClient, n.URI(), x.method, x.args...)
		triple, _ := answer.([]any)
		if err != nil || len(triple) != 3 {
			t.Errorf("%s%v: %v, %v", x.method, x.args, answer, err)
			continue
		}
		want := []any{1, "", x.want}
		if x.want == nil {
			want = []any{-1, triple[1], 0}
			if status, _ := triple[1].(string); !strings.HasPrefix(status, x.method+": ") {
				t.Errorf("%s%v: status %q", x.method, x.args, status)
			}
		}
		if text(triple) != text(want) {
			t.Errorf("%s%v: %v, want %v", x.method, x.args, triple, want)
		}
	}
	if _, err := xmlrpc.Call(t.Context(), http.DefaultClient, n.URI(), "system.listMethods", me); err == nil {
		t.Error("an unknown method was answered")
	}
	if _, err := c.Call(t.Context(), n.URI(), "shutdown", "because"); err != nil {
		t.Fatal(err)
	}
	<-n.Done()
}
