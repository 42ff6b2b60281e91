package e2e

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"rsros/ros/xmlrpc"
	"rsros/test/need"
	"rsros/test/peer"
)

// graph is a master and the environment of the programs that use it.
type graph struct {
	t      *testing.T
	uri    string
	env    []string
	client *http.Client
}

// startRoscore starts a roscore and waits for it. roscore gives its master ten seconds to start, and
// exits if a busy machine needs more; then it is started again.
func (g *graph) startRoscore() *peer.Process {
	g.t.Helper()
	p := g.start("roscore", "-p", g.port())
	peer.Await(g.t, "a roscore at "+g.uri, func() bool {
		if p.Ended() {
			p = g.start("roscore", "-p", g.port())
		}
		return g.ask("lookupNode", "/rosout") != nil
	})
	return p
}

// stockTools are the programs that most tests run.
var stockTools = []string{"roscore", "rostopic", "rosnode", "rosservice", "rosparam", "rosbag", "roslaunch"}

// startMaster starts our master.
func (g *graph) startMaster() *peer.Process {
	g.t.Helper()
	return g.start(peer.Program(g.t), "master", "--port", g.port())
}

// onRoscore returns the graph of a stock roscore, for a test of what our programs and a master say to each other.
func onRoscore(t *testing.T) *graph {
	t.Helper()
	return onMasterOf(t, (*graph).startRoscore)
}

// onMaster returns the graph of our master, which starts sooner, for all other tests.
func onMaster(t *testing.T) *graph {
	t.Helper()
	return onMasterOf(t, (*graph).startMaster)
}

func onMasterOf(t *testing.T, start func(*graph) *peer.Process) *graph {
	t.Helper()
	t.Parallel()
	need.Programs(t, stockTools...)
	g := newGraph(t)
	start(g)
	g.awaitNode("/rosout")
	return g
}

// newGraph creates the environment; the master at its port is still to be started.
func newGraph(t *testing.T) *graph {
	return graphAt(t, fmt.Sprintf("http://127.0.0.1:%d/", freePort(t)))
}

// graphAt returns the graph of a master whose address is known.
func graphAt(t *testing.T, uri string) *graph {
	g := &graph{t: t, uri: uri, env: peer.Env(t, uri), client: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(g.client.CloseIdleConnections)
	return g
}

// in returns the same graph for a subtest: what is started in it ends with it.
func (g *graph) in(t *testing.T) *graph {
	inner := *g
	inner.t = t
	return &inner
}

// freePort returns a port that was free a moment ago. It is below the kernel's ephemeral range, so no
// other test gets it meanwhile, not even while a master at that port restarts.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20000 + rand.IntN(10000)
		if listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			listener.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}

func (g *graph) port() string {
	_, port, _ := net.SplitHostPort(strings.Trim(strings.TrimPrefix(g.uri, "http:"), "/"))
	return port
}

// start runs a program until the test ends.
func (g *graph) start(name string, args ...string) *peer.Process {
	g.t.Helper()
	return peer.Start(g.t, g.env, name, args...)
}

// try runs a program and returns its stdout and its exit code.
func (g *graph) try(name string, args ...string) (stdout string, code int) {
	g.t.Helper()
	p := g.start(name, args...)
	code = p.Wait()
	return p.Stdout(), code
}

// run runs a program that must succeed, and returns its stdout.
func (g *graph) run(name string, args ...string) string {
	g.t.Helper()
	out, code := g.try(name, args...)
	if code != 0 {
		g.t.Fatalf("%s %q ended with %d", name, args, code)
	}
	return out
}

// lines runs a program and returns its output line by line.
func (g *graph) lines(name string, args ...string) []string {
	g.t.Helper()
	return strings.Split(strings.TrimSpace(g.run(name, args...)), "\n")
}

// wantContains runs a program and checks that its output contains all the texts.
func (g *graph) wantContains(texts []string, name string, args ...string) {
	g.t.Helper()
	out := g.run(name, args...)
	for _, text := range texts {
		if !strings.Contains(out, text) {
			g.t.Errorf("%s %q prints no %q:\n%s", name, args, text, out)
		}
	}
}

// ask calls the master and returns the value of its answer; nil if there is none.
func (g *graph) ask(method string, args ...any) any {
	result, err := xmlrpc.Call(g.t.Context(), g.client, g.uri, method, append([]any{"/e2e"}, args...)...)
	if answer, ok := result.([]any); err == nil && ok && len(answer) == 3 && answer[0] == 1 {
		return answer[2]
	}
	return nil
}

func (g *graph) awaitMaster() {
	g.t.Helper()
	peer.Await(g.t, "master at "+g.uri, func() bool { return g.ask("getPid") != nil })
}

func (g *graph) awaitNode(name string) {
	g.t.Helper()
	peer.Await(g.t, "node "+name, func() bool { return g.ask("lookupNode", name) != nil })
}

func (g *graph) awaitNoNode(name string) {
	g.t.Helper()
	peer.Await(g.t, "end of node "+name, func() bool { return g.ask("getPid") != nil && g.ask("lookupNode", name) == nil })
}

func (g *graph) awaitService(name string) {
	g.t.Helper()
	peer.Await(g.t, "service "+name, func() bool { return g.ask("lookupService", name) != nil })
}

func (g *graph) awaitParam(name string, value any) {
	g.t.Helper()
	peer.Await(g.t, fmt.Sprintf("param %s = %v", name, value), func() bool { return g.ask("getParam", name) == value })
}

// Positions in the answer of getSystemState.
const (
	publishers = iota
	subscribers
)

// nodesOf lists the nodes that publish or subscribe to a topic.
func (g *graph) nodesOf(side int, topic string) []string {
	state, _ := g.ask("getSystemState").([]any)
	if len(state) != 3 {
		return nil
	}
	var nodes []string
	for _, entry := range state[side].([]any) {
		if pair := entry.([]any); pair[0] == topic {
			for _, node := range pair[1].([]any) {
				nodes = append(nodes, node.(string))
			}
		}
	}
	return nodes
}

func (g *graph) awaitPublisher(topic string) {
	g.t.Helper()
	peer.Await(g.t, "publisher of "+topic, func() bool { return len(g.nodesOf(publishers, topic)) > 0 })
}

func (g *graph) awaitSubscriber(topic, node string) {
	g.t.Helper()
	peer.Await(g.t, node+" subscribes to "+topic, func() bool { return slices.Contains(g.nodesOf(subscribers, topic), node) })
}

// connections counts a node's TCPROS connections for a topic, as it reports them.
func (g *graph) connections(node, topic string) int {
	api, _ := g.ask("lookupNode", node).(string)
	result, err := xmlrpc.Call(g.t.Context(), g.client, api, "getBusInfo", "/e2e")
	answer, ok := result.([]any)
	if err != nil || !ok || len(answer) != 3 {
		return 0
	}
	count := 0
	links, _ := answer[2].([]any)
	for _, link := range links {
		if fields, ok := link.([]any); ok && len(fields) > 4 && fields[4] == topic {
			count++
		}
	}
	return count
}

// awaitAudience waits until the one publisher of each topic has size subscribers connected, and returns
// its name.
func (g *graph) awaitAudience(size int, topics ...string) (node string) {
	g.t.Helper()
	for _, topic := range topics {
		peer.Await(g.t, fmt.Sprintf("%d subscribers connected to %s", size, topic), func() bool {
			nodes := g.nodesOf(publishers, topic)
			if len(nodes) != 1 {
				return false
			}
			node = nodes[0]
			return g.connections(node, topic) >= size
		})
	}
	return node
}
