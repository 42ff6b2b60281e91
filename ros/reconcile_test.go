package ros

import (
	"context"
	"slices"
	"strings"
	"testing"

	"rsros/msgs"
	"rsros/ros/rosapi"
	"rsros/test/need"
	"rsros/test/peer"
)

// masters are those that a node has to get along with.
var masters = map[string]func(*testing.T) string{"rosmaster": rosmaster, "embedded": func(t *testing.T) string { return startMaster(t).uri() }}

// TestLostRegistrations checks that whatever a master loses of a node is registered again.
func TestLostRegistrations(t *testing.T) {
	for name, start := range masters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			master := start(t)
			n := startConfig(t, Config{Name: "n", MasterURI: master})
			other := startConfig(t, Config{Name: "other", MasterURI: master})
			advertise(t, n, stringType)
			in := subscribe(t, n, SubscriberOptions{Topic: "in"}, func(Received) {})
			o := stringType
			o.Topic = "in"
			advertise(t, other, o)
			offer(t, n, "s", msgs.MustService("std_srvs/Trigger"), nil)
			changes := make(chan any, 10)
			for range 2 {
				p, err := n.SubscribeParam("p", func(v any) { changes <- v })
				need.Must(t, err)
				<-changes
				defer p.Close()
			}
			third, err := n.SubscribeParam("p", func(any) {})
			need.Must(t, err)
			third.Close() // the others stay
			synced(t, n, other)
			stranger := rosapi.NewCaller(n.Name())
			service, err := stranger.Call(t.Context(), master, "lookupService", "/s")
			need.Must(t, err)
			for _, c := range [][]any{
				{"unregisterPublisher", "/chatter", n.uri}, {"unregisterSubscriber", "/in", n.uri}, {"unregisterService", "/s", service},
				{"unsubscribeParam", n.uri, "/p"},
			} {
				if _, err := stranger.Call(t.Context(), master, c[0].(string), c[1:]...); err != nil {
					t.Fatal(err)
				}
			}
			peer.Await(t, "what was lost", func() bool {
				state, err := n.SystemState(t.Context())
				return err == nil && slices.Contains(state[rosapi.Publisher]["/chatter"], "/n") &&
					slices.Contains(state[rosapi.Subscriber]["/in"], "/n") && slices.Contains(state[rosapi.Service]["/s"], "/n")
			})
			for range 2 {
				<-changes // the answer to the new subscription
			}
			need.Must(t, other.SetParam(t.Context(), "p", 7))
			for range 2 {
				if v := <-changes; v != 7 {
					t.Errorf("the parameter changed to %v", v)
				}
			}
			peer.Await(t, "the publisher", func() bool { return in.Publishers() == 1 })
			if _, err := n.publisherUpdate("/stranger", []any{"/in", []any{}}); err != nil {
				t.Fatal(err)
			}
			peer.Await(t, "the publisher that a stranger took away", func() bool { return in.Publishers() == 1 && in.Announced() })
		})
	}
}

// TestSharedService checks that a service stays with its first provider, is left to a stock node that takes it without
// asking, and goes to another node that offers it when its provider leaves or dies.
func TestSharedService(t *testing.T) {
	for name, start := range masters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			master := start(t)
			left := make(chan string, 100) // the warnings
			node := func(name string) *Node {
				return startConfig(t, Config{Name: name, MasterURI: master, OnLog: func(m *msgs.Log) {
					if m.Level == msgs.LogWarn {
						left <- name + ": " + m.Msg
					}
				}})
			}
			a, b, onlooker := node("a"), node("b"), node("onlooker")
			provider := func() string {
				by, err := onlooker.ServiceProvider(t.Context(), "s")
				need.Must(t, err)
				return by
			}
			warned := func(name string) {
				for !strings.HasPrefix(<-left, name+": another node provides") {
				}
			}
			trigger := msgs.MustService("std_srvs/Trigger")
			serve := func(context.Context, []byte) ([]byte, error) { return nil, nil }
			for _, n := range []*Node{a, b} {
				offer(t, n, "s", trigger, serve)
				synced(t, n)
			}
			warned("b")
			if by := provider(); by != "/a" {
				t.Errorf("the second node took the service: %s provides it", by)
			}
			stock := node("stock")
			offer(t, stock, "~s", trigger, serve)
			synced(t, stock)
			stock.mu.Lock()
			stock.services["/s"] = stock.services["/stock/s"]
			uri := stock.services["/s"].registration.Detail
			stock.mu.Unlock()
			if _, err := stock.CallMaster(t.Context(), "registerService", "/s", uri, stock.uri); err != nil {
				t.Fatal(err)
			}
			warned("a")
			if by := provider(); by != "/stock" {
				t.Errorf("%s took the service back", by)
			}
			if _, err := stock.CallMaster(t.Context(), "unregisterService", "/s", uri); err != nil {
				t.Fatal(err)
			}
			peer.Await(t, "a provider after the stock node", func() bool { by := provider(); return by == "/a" || by == "/b" })
			a.Close()
			peer.Await(t, "the second node's service", func() bool { return provider() == "/b" })
			c := node("c")
			offer(t, c, "s", trigger, serve)
			warned("c")
			b.listener.Close() //nolint:errcheck // it stays registered, as after a kill
			peer.Await(t, "the third node's service", func() bool { return provider() == "/c" })
		})
	}
}
