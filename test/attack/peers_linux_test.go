package attack

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/ros/rosapi"
	"rsros/ros/xmlrpc"
	"rsros/test/need"
	"rsros/test/peer"
)

// maxGrowth bounds the memory that hostile peers may make a program use, beyond
// what it used before: the budget of all strangers, what decoding makes of it, and
// what the garbage collector has not yet taken back.
const maxGrowth = 400 << 20

// left is what a program may keep of that when they have gone.
const left = 64 << 20

// maxThreads is how many threads an attack may add. Go keeps those that it once needed.
const maxThreads = 32

// target is a running program of ours.
type target struct {
	t        *testing.T
	process  *peer.Process
	uri      string // of its XML-RPC port
	growth   int64  // how much memory an attack may take
	resident int64
	files    int
	threads  int64
}

// start starts a program; its node has the given name, "" for a master.
func start(t *testing.T, program, masterURI, node string, args ...string) *target {
	t.Helper()
	p := &target{t: t, uri: masterURI, growth: maxGrowth}
	p.process = peer.Start(t, peer.Env(t, masterURI), program, args...)
	peer.Await(t, "an answer of "+args[0], func() bool {
		if node == "" {
			_, err := rosapi.NewCaller("/attack").Call(t.Context(), masterURI, "getPid")
			return err == nil
		}
		answer, err := rosapi.NewCaller("/attack").Call(t.Context(), masterURI, "lookupNode", node)
		p.uri, _ = answer.(string)
		return err == nil
	})
	return p
}

// measure notes what the program uses at rest.
func (p *target) measure() {
	p.resident, p.files, p.threads = p.memory("VmRSS:"), p.descriptors(), p.status("Threads:")
}

func (p *target) memory(field string) int64 { return p.status(field) << 10 }

// status reads a number from the kernel's description of the process.
func (p *target) status(field string) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.process.Pid()))
	if err != nil {
		p.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), field)
	n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (p *target) descriptors() int {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.process.Pid()))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(list)
}

// recovered waits until the program is where it was before an attack.
func (p *target) recovered(what string) {
	p.t.Helper()
	if grown := p.memory("VmHWM:") - p.resident; grown > p.growth {
		p.t.Errorf("%s: %d MB of memory at most, from %d MB", what, (grown+p.resident)>>20, p.resident>>20)
	}
	if n := p.status("Threads:"); n > p.threads+maxThreads {
		p.t.Errorf("%s: %d threads, from %d", what, n, p.threads)
	}
	files, resident := 0, int64(0)
	p.t.Cleanup(func() {
		if p.t.Failed() {
			p.t.Logf("%s after %s: %d descriptors, from %d; %d MB, from %d MB", p.uri, what, files, p.files, resident>>20, p.resident>>20)
		}
	})
	peer.Await(p.t, what+": its descriptors and memory back", func() bool {
		files, resident = p.descriptors(), p.memory("VmRSS:")
		return files <= p.files+4 && resident <= p.resident+left
	})
}

// together runs n attackers at the same time.
func together(n int, attack func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { attack(i) })
	}
	wg.Wait()
}

// times is how often an attack is repeated: RS_ATTACK asks for a long run.
func times(short int) int {
	if os.Getenv("RS_ATTACK") != "" {
		return 10 * short
	}
	return short
}

// freeMaster is the URI of a port that nobody listens on.
func freeMaster(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	defer l.Close()
	return "http://" + l.Addr().String() + "/"
}

// TestHostilePeers lets strangers at the ports of a master and of a node: a recorder
// of nothing, whose memory is at rest.
func TestHostilePeers(t *testing.T) {
	t.Parallel()
	program, master := peer.Released(t), freeMaster(t)
	targets := []*target{start(t, program, master, "", "master")}
	node := start(t, program, master, "/target", "record", "-O", filepath.Join(t.TempDir(), "nothing.bag"), "/nothing", "__name:=target")
	targets = append(targets, node)
	service, err := rosapi.NewCaller("/attack").Call(t.Context(), master, "lookupService", "/target/set_logger_level")
	for err != nil {
		service, err = rosapi.NewCaller("/attack").Call(t.Context(), master, "lookupService", "/target/set_logger_level")
	}
	u, err := url.Parse(service.(string))
	need.Must(t, err)
	for _, p := range targets {
		p.measure()
	}
	for _, a := range []struct {
		name   string
		attack func(p *target)
	}{
		{"bodies of empty values", emptyValues},
		{"many calls in one", manyCalls},
		{"connections that say nothing", func(p *target) { silence(p.t, p.uri) }},
	} {
		for _, p := range targets {
			a.attack(p)
			p.recovered(a.name)
		}
	}
	hugeRequests(t, u.Host)
	node.recovered("huge requests")
	silence(t, "http://"+u.Host)
	node.recovered("TCPROS connections that say nothing")
	for _, p := range targets {
		want := 0
		if p == node {
			want = 3 // it recorded nothing
		}
		if code := p.process.Interrupt(); code != want {
			t.Errorf("%s ended with %d, not %d", p.uri, code, want)
		}
	}
}

// emptyValues posts six bodies of 64 MiB, which once took 3.2 GB.
func emptyValues(p *target) {
	const open, value = "<methodCall><methodName>getPid</methodName><params><param><value><array><data>", "<value/>"
	together(6*times(1), func(int) {
		body := io.MultiReader(strings.NewReader(open), io.LimitReader(repeat(value), 64<<20))
		response, err := http.Post(p.uri, "text/xml", body) //nolint:noctx // bounded by the server
		if err == nil {
			response.Body.Close()
		}
	})
}

// repeat reads as the same text for ever.
type repeat string

func (r repeat) Read(b []byte) (int, error) {
	n := 0
	for n+len(r) <= len(b) {
		n += copy(b[n:], r)
	}
	return n, nil
}

// manyCalls asks for 5000 UDPROS connections in one call, which once were as many
// sockets for ever.
func manyCalls(p *target) {
	var calls []any
	header := []byte("\x08\x00\x00\x00md5sum=*\x06\x00\x00\x00type=*")
	for i := range 5000 {
		calls = append(calls, map[string]any{"methodName": "requestTopic", "params": []any{"/attack", "/rosout",
			[]any{[]any{"UDPROS", header, "127.0.0.1", 1024 + i, 1500}}}})
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), peer.Patience)
	defer cancel()
	xmlrpc.Call(ctx, http.DefaultClient, p.uri, "system.multicall", calls) //nolint:errcheck // any answer will do
	if n := p.descriptors() - p.files; n > 300 {
		p.t.Errorf("one call opened %d descriptors", n)
	}
	p.files += 16 // to ports of this machine: the probes find them
}

// silence opens connections that send nothing, part of something, or one byte.
func silence(t *testing.T, uri string) {
	u, err := url.Parse(uri)
	need.Must(t, err)
	together(100*times(1), func(i int) {
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, []string{"", "\x00\x10\x00\x00abc", "POST / HTTP/1.1\r\nContent-Length: 400000000\r\n\r\n<a>", "\xff\xff\xff\xff"}[i%4]) //nolint:errcheck // it may hang up
	})
}

// hugeRequests sends 300 MB to a service by each of four connections, which once
// took 2.4 GB.
func hugeRequests(t *testing.T, address string) {
	together(4*times(1), func(int) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		var header []byte
		for _, field := range []string{"callerid=/attack", "md5sum=*", "service=/target/set_logger_level"} {
			header = append(binary.LittleEndian.AppendUint32(header, uint32(len(field))), field...)
		}
		conn.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(header))), header...)) //nolint:errcheck // shows in what follows
		conn.Write(binary.LittleEndian.AppendUint32(nil, 300<<20))                                //nolint:errcheck // so
		io.Copy(conn, io.LimitReader(repeat("x"), 300<<20))                                       //nolint:errcheck // it hangs up
	})
}

// TestHostilePublishers records all topics of a graph in which one publishes
// messages above every bound, and another has a name that ROS refuses; then the
// master hangs. The recorder ends in time, and says what it left out.
func TestHostilePublishers(t *testing.T) {
	t.Parallel()
	program, master := peer.Released(t), freeMaster(t)
	theMaster := start(t, program, master, "", "master")
	var connections sync.WaitGroup
	l, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	connections.Go(func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			connections.Go(func() { publish(conn) })
		}
	})
	t.Cleanup(func() { l.Close(); connections.Wait() })
	api := httptest.NewServer(xmlrpc.NewHandler(func(context.Context, string, []any) (any, error) {
		return []any{1, "", []any{"TCPROS", "127.0.0.1", l.Addr().(*net.TCPAddr).Port}}, nil
	}, zerolog.Nop()))
	t.Cleanup(api.Close)
	caller := rosapi.NewCaller("/attack")
	for _, topic := range []string{"/huge", "/bad-name"} {
		if _, err := caller.Call(t.Context(), master, "registerPublisher", topic, "std_msgs/String", api.URL); err != nil {
			t.Fatal(err)
		}
	}
	bag := filepath.Join(t.TempDir(), "attack.bag")
	recorder := start(t, program, master, "/recorder", "record", "-a", "-b", "64", "-O", bag, "__name:=recorder")
	peer.Await(t, "all subscriptions", func() bool { return strings.Contains(recorder.process.Output(), "topic=/rosout_agg") })
	recorder.measure()
	peer.Await(t, "the messages", func() bool { return strings.Count(recorder.process.Output(), "too large") > 0 })
	recorder.recovered("messages above the bounds")
	theMaster.process.Signal(syscall.SIGSTOP)
	began := time.Now()
	code := recorder.process.Interrupt()
	took := time.Since(began)
	theMaster.process.Signal(syscall.SIGCONT)
	if out := recorder.process.Output(); code != 3 || !strings.Contains(out, "/bad-name") || !strings.Contains(out, "too large") {
		t.Errorf("exit code %d, it says:\n%s", code, out)
	}
	t.Logf("beside a master that hangs, the recorder ended after %v", took)
}

// publish sends a header, a message above the recorder's bound, one that claims
// 4 GiB and ends soon, and hangs up.
func publish(conn net.Conn) {
	defer conn.Close()
	var header []byte
	for _, field := range []string{"callerid=/attack", "md5sum=*", "type=std_msgs/String", "topic=/huge"} {
		header = append(binary.LittleEndian.AppendUint32(header, uint32(len(field))), field...)
	}
	io.CopyN(io.Discard, conn, 4)                                                             //nolint:errcheck // the subscriber's header; its rest may wait
	conn.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(header))), header...)) //nolint:errcheck // shows in what follows
	for _, size := range []uint32{128 << 20, 1<<32 - 1} {
		conn.Write(binary.LittleEndian.AppendUint32(nil, size))                        //nolint:errcheck // so
		if _, err := io.Copy(conn, io.LimitReader(repeat("x"), 128<<20)); err != nil { //nolint:errcheck // so
			return
		}
	}
}
