package ros

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"rsros/ros/master"
	"rsros/ros/xmlrpc"
)

// testMaster is a master whose calls are counted, and which can be stopped, restarted on its port, and
// frozen.
type testMaster struct {
	t    *testing.T
	addr string

	mu     sync.Mutex
	server *http.Server // passes calls on to master
	master *master.Master
	pid    int
	calls  []string
	frozen chan struct{} // closed to thaw; nil when not frozen
}

func startMaster(t *testing.T) *testMaster {
	m := &testMaster{t: t, addr: "127.0.0.1:0"}
	m.start()
	t.Cleanup(func() { m.thaw(); m.stop() })
	return m
}

func (m *testMaster) uri() string { return "http://" + m.addr + "/" }

// start starts a master that knows nothing, with another process id.
func (m *testMaster) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pid++
	var err error
	if m.master, err = master.Start(master.Config{Address: "127.0.0.1:0", Host: "127.0.0.1", Log: zerolog.Nop()}); err != nil {
		m.t.Fatal(err)
	}
	m.listen()
}

// listen makes the master reachable. The caller must hold mu.
func (m *testMaster) listen() {
	l, err := net.Listen("tcp", m.addr)
	if err != nil {
		m.t.Fatal(err)
	}
	m.addr = l.Addr().String()
	m.server = &http.Server{Handler: xmlrpc.NewHandler(m.serve, zerolog.Nop())}
	go m.server.Serve(l) //nolint:errcheck // ends with Close
}

// unplug makes the master unreachable.
func (m *testMaster) unplug() {
	m.mu.Lock()
	s := m.server
	m.mu.Unlock()
	s.Close() //nolint:errcheck // test
}

func (m *testMaster) stop() {
	m.unplug()
	m.master.Close() //nolint:errcheck // test
}

func (m *testMaster) freeze() {
	m.mu.Lock()
	m.frozen = make(chan struct{})
	m.mu.Unlock()
}

func (m *testMaster) thaw() {
	m.mu.Lock()
	if m.frozen != nil {
		close(m.frozen)
		m.frozen = nil
	}
	m.mu.Unlock()
}

// count returns the number of calls that start with prefix, "method arg".
func (m *testMaster) count(prefix string) int {
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

var direct = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func (m *testMaster) serve(ctx context.Context, method string, args []any) (any, error) {
	call := method + " "
	if len(args) > 1 {
		name, _ := args[1].(string)
		call += name
	}
	m.mu.Lock()
	frozen, pid, uri := m.frozen, m.pid, m.master.URI()
	m.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
	m.mu.Lock()
	m.calls = append(m.calls, call)
	m.mu.Unlock()
	if method == "getPid" {
		return []any{1, "", pid}, nil
	}
	return xmlrpc.Call(ctx, direct, uri, method, args...)
}
