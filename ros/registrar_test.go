package ros

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"rsros/ros/rosapi"
	"rsros/ros/xmlrpc"
	"rsros/test/need"
)

// TestClosingWhileRegistering checks that a registration in progress while the node closes is
// unregistered, too.
func TestClosingWhileRegistering(t *testing.T) {
	m := startMaster(t)
	ctx, closing := context.WithCancel(t.Context())
	g := rosapi.NewRegistrar(rosapi.NewCaller("/brief"), m.uri(), "http://127.0.0.1:1/", zerolog.Nop(), silent)
	g.Add(&rosapi.Registration{Kind: rosapi.Publisher, Name: "/x", Detail: "a/B", Register: func() func(any) error {
		m.freeze() // the call isn't answered while the node closes
		closing()
		return nil
	}})
	g.Run(ctx)
	m.thaw()
	g.Leave(t.Context())
	if m.count("unregisterPublisher") != 1 {
		t.Error("the master keeps what the node registered last")
	}
}

// silent is how a node without private parameters greets a master.
func silent(context.Context) error { return nil }

// TestManyRegistrations checks that a node with many topics batches its registrations, and sends them
// one by one to a master without system.multicall.
func TestManyRegistrations(t *testing.T) {
	for name, knows := range map[string]bool{"multicall": true, "none": false} {
		t.Run(name, func(t *testing.T) {
			m := startMaster(t)
			var exchanges atomic.Int32
			answer := xmlrpc.NewHandler(func(ctx context.Context, method string, args []any) (any, error) {
				if len(args) > 1 && args[1] == "/refused" {
					return nil, errors.New("not this one")
				}
				return m.serve(ctx, method, args)
			}, zerolog.Nop())
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				exchanges.Add(1)
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				if !knows {
					body = bytes.ReplaceAll(body, []byte("system.multicall"), []byte("unknown"))
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				answer.ServeHTTP(w, r)
			}))
			defer server.Close()
			g := rosapi.NewRegistrar(rosapi.NewCaller("/many"), server.URL, "http://127.0.0.1:1/", zerolog.Nop(), silent)
			const topics = 300
			list := make([]*rosapi.Registration, topics)
			for i := range list {
				list[i] = &rosapi.Registration{Kind: rosapi.Publisher, Name: fmt.Sprint("/t", i), Detail: "a/B"}
				if i == 7 {
					list[i].Name = "/refused"
				}
				g.Add(list[i])
			}
			ctx, end := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); g.Run(ctx) }()
			need.Must(t, g.Wait(t.Context(), t.Context()))
			if n := m.count("registerPublisher"); n != topics-1 {
				t.Errorf("%d topics registered, want %d", n, topics-1)
			}
			for _, r := range list[100:200] {
				g.Remove(r)
			}
			need.Must(t, g.Wait(t.Context(), t.Context()))
			if n := m.count("unregisterPublisher"); n != 100 {
				t.Errorf("%d topics unregistered, want 100", n)
			}
			end()
			<-done
			g.Leave(t.Context())
			if n := m.count("unregisterPublisher"); n != topics-1 {
				t.Errorf("%d topics unregistered at the end, want %d", n, topics-1)
			}
			if n := exchanges.Load(); n < topics != knows {
				t.Errorf("%d exchanges", n)
			}
		})
	}
}
