package graph

import (
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/ros"
	"rsros/ros/xmlrpc"
	"rsros/test/need"
)

// TestMasterNobodyNamed: without ROS_MASTER_URI the master is the usual one: the
// one that runs there, or ours.
func TestMasterNobodyNamed(t *testing.T) {
	for _, mode := range []Mode{ROS, Auto} {
		conf := ros.Config{Host: "localhost"}
		stop, err := connect(t.Context(), mode, &conf, zerolog.Nop())
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		if got := strings.TrimRight(conf.MasterURI, "/"); got != ros.DefaultMasterURI {
			t.Errorf("%s: master at %q", mode, got)
		}
		if mode == Auto && !masterAnswers(t.Context(), conf.MasterURI) {
			t.Errorf("%s: nobody answers at %s", mode, conf.MasterURI)
		}
		stop()
	}
}

func TestMasterPort(t *testing.T) {
	for in, want := range map[string]string{
		"http://localhost:11311/": "11311", "http://10.0.0.1:1234": "1234", "127.0.0.1:0": "0", ":11311": "11311",
	} {
		if got, err := masterPort(in); err != nil || got != want {
			t.Errorf("masterPort(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, bad := range []string{"", "localhost", "http://localhost/", "host:port"} {
		if got, err := masterPort(bad); err == nil {
			t.Errorf("masterPort(%q) = %q, want an error", bad, got)
		}
	}
}

// The master can be reached from elsewhere only if somebody says how.
func TestListenHosts(t *testing.T) {
	for _, c := range []struct {
		host, listen string
		want         []string
	}{
		{"", "", []string{loopback}},
		{"localhost", "", []string{loopback}},
		{loopback, "", []string{loopback}},
		{"192.0.2.7", "", []string{""}}, // not this machine's: behind a translation
		{"", "0.0.0.0", []string{""}},
		{"", "::", []string{""}},
		{"192.0.2.7", loopback, []string{loopback}},
	} {
		if got, err := listenHosts(t.Context(), c.host, c.listen, zerolog.Nop()); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("host %q, listen %q: %q, want %q", c.host, c.listen, got, c.want)
		}
	}
	if got, err := listenHosts(t.Context(), "", "no host", zerolog.Nop()); err == nil {
		t.Errorf("a --listen that is no address: %q, want an error", got)
	}
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLoopback() || n.IP.To4() == nil {
			continue
		}
		if got, err := listenHosts(t.Context(), n.IP.String(), "", zerolog.Nop()); err != nil || !slices.Equal(got, []string{n.IP.String(), loopback}) {
			t.Errorf("host %s: %q, %v, want it and loopback", n.IP, got, err)
		}
	}
}

// An embedded master that nobody said an address for is loopback's, and so is its node.
func TestEmbeddedIsLocal(t *testing.T) {
	conf := ros.Config{MasterURI: "http://robot.example:0"}
	stop, err := connect(t.Context(), Embedded, &conf, zerolog.Nop())
	need.Must(t, err)
	defer stop()
	u, err := url.Parse(conf.MasterURI)
	if err != nil || u.Hostname() != "localhost" || conf.Host != loopback {
		t.Errorf("master %s, host %q, %v", conf.MasterURI, conf.Host, err)
	}
}

// A peer's shutdown ends the master.
func TestShutdownEndsTheMaster(t *testing.T) {
	conf := ros.Config{MasterURI: "http://localhost:0"}
	stop, err := connect(t.Context(), Embedded, &conf, zerolog.Nop())
	need.Must(t, err)
	defer stop()
	if _, err := xmlrpc.Call(t.Context(), http.DefaultClient, conf.MasterURI, "shutdown", "/tool", "enough"); err != nil {
		t.Fatal(err)
	}
	for masterAnswers(t.Context(), conf.MasterURI) {
		runtime.Gosched()
	}
}

// As roscore's, the node that gathers /rosout doesn't publish it.
func TestRosoutIsNotItsOwn(t *testing.T) {
	m := testMaster(t)
	need.Must(t, m.rosout.Sync(t.Context()))
	topics, err := (&Node{Node: m.rosout}).PublishedTopics(t.Context())
	if err != nil || !slices.Equal(topics, []string{"/rosout_agg"}) {
		t.Errorf("published: %q, %v", topics, err)
	}
}
