// Package replay runs our player as a program: beside the stock player through a
// rosbag shim, under the stock tools, and at a terminal.
package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/node/master"
	"rsros/node/ros"
	"rsros/test/need"
)

// patience bounds each wait for something that must happen. Only a failing test uses it up.
const patience = 60 * time.Second

// scratch lives as long as the test binary: our program and the shim.
var scratch string

func TestMain(m *testing.M) { os.Exit(inScratch(m)) }

func inScratch(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "rs-ros-node-replay-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch) //nolint:errcheck // at the end of the process
	return m.Run()
}

var build = sync.OnceValue(func() error {
	if out, err := exec.Command("go", "build", "-race", "-o", filepath.Join(scratch, "rs-ros-node"), "rsros/cmd/rs-ros-node").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	for folder, script := range map[string]string{
		ours:  "exec " + scratch + "/rs-ros-node \"$@\"",
		stock: "shift; exec /usr/lib/rosbag/play \"$@\"", // without Python, which takes a second to start
	} {
		if err := os.Mkdir(filepath.Join(scratch, folder), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(scratch, folder, "rosbag"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			return err
		}
	}
	return nil
})

// Folders in scratch, each with a program of the name rosbag.
const ours, stock = "ours", "stock"

// program is the path of our program, built once, with the race detector.
func program(t *testing.T) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(scratch, "rs-ros-node")
}

// graph is a master, the environment of programs that meet there, and a node of
// the test's own.
type graph struct {
	t    *testing.T
	env  []string
	node *ros.Node
}

func newGraph(t *testing.T) *graph {
	if testing.Short() {
		t.Skip("runs other programs")
	}
	m, err := master.Start(master.Config{Address: "127.0.0.1:0", Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	n, err := ros.NewNode(t.Context(), ros.Config{Name: "judge", MasterURI: m.URI(), Host: "127.0.0.1", Log: zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	g := &graph{t: t, node: n}
	home := t.TempDir()
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ROS_") && !strings.HasPrefix(v, "PATH=") {
			g.env = append(g.env, v)
		}
	}
	// Debian's Python first in the path: the ROS modules are its own.
	g.env = append(g.env, "PATH=/usr/bin:"+os.Getenv("PATH"), "PYTHONUNBUFFERED=1", "LC_ALL=C.UTF-8",
		"ROS_MASTER_URI="+m.URI(), "ROS_IP=127.0.0.1", "ROS_HOME="+home, "ROS_LOG_DIR="+filepath.Join(home, "log"))
	return g
}

// process is a running program.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  output
	done chan struct{}
}

type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// start runs a program in a process group of its own until the test ends.
func (g *graph) start(env []string, name string, args ...string) *process {
	g.t.Helper()
	p := &process{t: g.t, done: make(chan struct{})}
	p.cmd = exec.Command(name, args...)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = append(slices.Clone(g.env), env...), &p.out, &p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = 5 * time.Second
	if err := p.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	g.t.Cleanup(func() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
		if g.t.Failed() {
			g.t.Logf("$ %s %s\n%s", name, strings.Join(args, " "), p.out.String())
		}
	})
	return p
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// wait returns the exit code.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("%s does not end", p.cmd.Args)
	}
	return p.cmd.ProcessState.ExitCode()
}

// run runs a program that must succeed and returns what it printed.
func (g *graph) run(env []string, name string, args ...string) string {
	g.t.Helper()
	p := g.start(env, name, args...)
	if code := p.wait(); code != 0 {
		g.t.Fatalf("%s %q ended with %d:\n%s", name, args, code, p.out.String())
	}
	return p.out.String()
}

// await polls until something has happened.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !happened(); {
		if time.Now().After(end) {
			t.Fatalf("waited %v for: %s", patience, what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// recording is what the judge received.
type recording struct {
	mu     sync.Mutex
	topics map[string][]string // digests of the messages in order
	clock  []bagstore.Time
	subs   []*ros.Subscriber
}

// record subscribes to topics and to /clock.
func (g *graph) record(topics []string) *recording {
	g.t.Helper()
	r := &recording{topics: make(map[string][]string)}
	for _, topic := range append(topics, "/clock") {
		s, err := g.node.Subscribe(ros.SubscriberOptions{Topic: topic}, func(m ros.Received) { r.received(topic, m.Data) })
		if err != nil {
			g.t.Fatal(err)
		}
		r.subs = append(r.subs, s)
	}
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	if err := g.node.Sync(ctx); err != nil {
		g.t.Fatal(err)
	}
	return r
}

func (r *recording) received(topic string, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if topic == "/clock" {
		var m msgs.Clock
		if msgs.Unmarshal(data, &m) == nil {
			r.clock = append(r.clock, bagstore.Time(m.Clock))
		}
		return
	}
	digest := fmt.Sprintf("%x", sha256.Sum256(data))[:12]
	if len(data) < 40 {
		digest = fmt.Sprintf("%q", data)
	}
	r.topics[topic] = append(r.topics[topic], digest)
}

func (r *recording) count(topic string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.topics[topic])
}

// close ends the subscriptions, so that everything received is in.
func (r *recording) close() {
	for _, s := range r.subs {
		s.Close()
	}
}

// message is one message of a test bag; "topic@callerid", and latched by name.
type message struct {
	at    time.Duration
	topic string
	text  string
}

const bagStart = bagstore.Time(1_700_000_000_250_000_000)

func writeBag(t *testing.T, messages []message) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.bag")
	w, err := bagstore.Create(path, bagstore.Options{ChunkSize: 1000, Compression: bagstore.LZ4})
	if err != nil {
		t.Fatal(err)
	}
	typ := msgs.MustType("std_msgs/String")
	ids := make(map[string]uint32)
	for _, m := range messages {
		id, known := ids[m.topic]
		if !known {
			topic, caller, _ := strings.Cut(m.topic, "@")
			id, err = w.AddConnection(bagstore.Connection{Topic: topic, Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition,
				CallerID: caller, Latching: strings.Contains(topic, "latched")})
			if err != nil {
				t.Fatal(err)
			}
			ids[m.topic] = id
		}
		if err := w.Write(id, bagStart.Add(m.at), msgs.Marshal(&msgs.String{Data: m.text})); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// stockPlayer ends the test unless rosbag play is here.
func stockPlayer(t *testing.T) {
	need.Programs(t, "/usr/bin/rosbag", "/usr/lib/rosbag/play")
}
