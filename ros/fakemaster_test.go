package ros

import (
	"context"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"rsros/ros/rosapi"
	"rsros/ros/xmlrpc"
)

// fakeMaster implements the part of a master that the tests need, and can be stopped, restarted on its
// port, and frozen.
type fakeMaster struct {
	t    *testing.T
	addr string

	mu       sync.Mutex
	server   *http.Server
	pid      int
	nodes    map[string]string            // callerid → URI
	pubs     map[string]map[string]string // topic → callerid → URI
	subs     map[string]map[string]string
	services map[string]string
	params   map[string]any
	watchers map[string]map[string]string // parameter → callerid → URI
	calls    []string
	frozen   chan struct{} // closed to thaw; nil when not frozen
	notify   sync.WaitGroup
}

func startMaster(t *testing.T) *fakeMaster {
	m := &fakeMaster{t: t, addr: "127.0.0.1:0"}
	m.start()
	t.Cleanup(func() { m.thaw(); m.stop() })
	return m
}

func (m *fakeMaster) uri() string { return "http://" + m.addr + "/" }

func (m *fakeMaster) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pid++
	m.nodes, m.services, m.params = map[string]string{}, map[string]string{}, map[string]any{"/run_id": "x"}
	m.pubs, m.subs, m.watchers = map[string]map[string]string{}, map[string]map[string]string{}, map[string]map[string]string{}
	m.listen()
}

// listen makes the master reachable. The caller must hold mu.
func (m *fakeMaster) listen() {
	l, err := net.Listen("tcp", m.addr)
	if err != nil {
		m.t.Fatal(err)
	}
	m.addr = l.Addr().String()
	m.server = &http.Server{Handler: xmlrpc.NewHandler(m.serve)}
	go m.server.Serve(l) //nolint:errcheck // ends with Close
}

func (m *fakeMaster) stop() {
	m.mu.Lock()
	s := m.server
	m.mu.Unlock()
	s.Close() //nolint:errcheck // test
	m.notify.Wait()
}

func (m *fakeMaster) freeze() {
	m.mu.Lock()
	m.frozen = make(chan struct{})
	m.mu.Unlock()
}

func (m *fakeMaster) thaw() {
	m.mu.Lock()
	if m.frozen != nil {
		close(m.frozen)
		m.frozen = nil
	}
	m.mu.Unlock()
}

// count returns the number of calls that start with prefix, "method arg".
func (m *fakeMaster) count(prefix string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, c := range m.calls {
		if strings.HasPrefix(c, prefix) {
			n++
		}
	}
	return n
}

func (m *fakeMaster) serve(ctx context.Context, method string, args []any) (any, error) {
	m.mu.Lock()
	frozen := m.frozen
	m.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	text := func(i int) string {
		if i >= len(args) {
			return ""
		}
		s, _ := args[i].(string)
		return s
	}
	m.calls = append(m.calls, method+" "+text(1))
	put := func(in map[string]map[string]string, uri string) {
		if in[text(1)] == nil {
			in[text(1)] = map[string]string{}
		}
		in[text(1)][text(0)] = uri
		m.nodes[text(0)] = uri
	}
	switch method {
	case "getPid":
		return []any{1, "", m.pid}, nil
	case "lookupNode":
		if uri := m.nodes[text(1)]; uri != "" {
			return []any{1, "", uri}, nil
		}
	case "registerPublisher":
		put(m.pubs, text(3))
		m.update(text(1))
		return []any{1, "", list(m.subs[text(1)])}, nil
	case "unregisterPublisher":
		delete(m.pubs[text(1)], text(0))
		m.update(text(1))
		return []any{1, "", 1}, nil
	case "registerSubscriber":
		put(m.subs, text(3))
		return []any{1, "", list(m.pubs[text(1)])}, nil
	case "unregisterSubscriber":
		delete(m.subs[text(1)], text(0))
		return []any{1, "", 1}, nil
	case "registerService":
		m.services[text(1)] = text(2)
		m.nodes[text(0)] = text(3)
		return []any{1, "", 1}, nil
	case "unregisterService":
		delete(m.services, text(1))
		return []any{1, "", 1}, nil
	case "lookupService":
		if uri := m.services[text(1)]; uri != "" {
			return []any{1, "", uri}, nil
		}
	case "setParam":
		m.params[text(1)] = args[2]
		m.paramUpdate(text(1), args[2])
		return []any{1, "", 0}, nil
	case "deleteParam":
		delete(m.params, text(1))
		m.paramUpdate(text(1), map[string]any{})
		return []any{1, "", 0}, nil
	case "getParam":
		if v, ok := m.params[text(1)]; ok {
			return []any{1, "", v}, nil
		}
	case "hasParam":
		_, ok := m.params[text(1)]
		return []any{1, "", ok}, nil
	case "subscribeParam":
		if m.watchers[text(2)] == nil {
			m.watchers[text(2)] = map[string]string{}
		}
		m.watchers[text(2)][text(0)] = text(1)
		if v, ok := m.params[text(2)]; ok {
			return []any{1, "", v}, nil
		}
		return []any{1, "", map[string]any{}}, nil
	case "unsubscribeParam":
		delete(m.watchers[text(2)], text(0))
		return []any{1, "", 1}, nil
	}
	return []any{-1, "no " + method + " of " + text(1), 0}, nil
}

func list(m map[string]string) []any {
	out := []any{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[k])
	}
	return out
}

// update tells the subscribers of a topic its publishers.
func (m *fakeMaster) update(topic string) {
	uris := list(m.pubs[topic])
	for _, uri := range m.subs[topic] {
		m.call(uri, "publisherUpdate", topic, uris)
	}
}

func (m *fakeMaster) paramUpdate(key string, value any) {
	for name, who := range m.watchers {
		if key == name || strings.HasPrefix(key, name+"/") {
			for _, uri := range who {
				m.call(uri, "paramUpdate", key+"/", value)
			}
		}
	}
}

func (m *fakeMaster) call(uri, method string, args ...any) {
	m.notify.Go(func() {
		c := rosapi.NewCaller("/master")
		c.Call(context.Background(), uri, method, args...) //nolint:errcheck // the node may be gone
	})
}
