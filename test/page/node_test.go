package page

import (
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/test/samplebag"
)

// line is a connection between pages and a program that a test cuts.
type line struct {
	url string

	mu    sync.Mutex
	off   bool
	conns []net.Conn
}

// newLine returns a line to a page, until the end of the test.
func newLine(t *testing.T, page string) *line {
	t.Helper()
	to, err := url.Parse(page)
	need.Must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	need.Must(t, err)
	l := &line{url: "http://" + listener.Addr().String() + "/"}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to.Host)
			if err != nil || !l.keep(from, out) {
				from.Close()
				continue
			}
			for _, way := range [][2]net.Conn{{from, out}, {out, from}} {
				running.Go(func() {
					io.Copy(way[0], way[1]) //nolint:errcheck // it was cut
					way[0].Close()
				})
			}
		}
	})
	t.Cleanup(func() {
		listener.Close()
		l.cut(true)
		running.Wait()
	})
	return l
}

func (l *line) keep(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, conns...)
	return !l.off
}

// cut cuts all connections, and lets no other be made while off.
func (l *line) cut(off bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.off = off; len(l.conns) > 0; l.conns = l.conns[1:] {
		l.conns[0].Close()
	}
}

// served finds the address of the page in the log of a node.
var served = regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)

// startNode starts the program as a node of a graph that serves the page, and returns its address.
func startNode(t *testing.T, master string, args ...string) (*peer.Process, string) {
	t.Helper()
	p := peer.Start(t, peer.Env(t, master), peer.Released(t), append(args, "--http=127.0.0.1:0")...)
	page := ""
	peer.Await(t, "the page of "+args[0], func() bool {
		page = served.FindString(p.Output())
		return page != "" || p.Ended()
	})
	if page == "" {
		t.Fatalf("%s ended: %s", args[0], p.Output())
	}
	return p, page
}

// show opens a device from the list.
func (b *tab) show(name string) {
	b.t.Helper()
	eval[bool](b, `[...document.querySelectorAll('.entry')].find((e) => e.textContent.startsWith($1)).click() ?? true`, name)
}

// TestNodes shows the pages of three programs in one graph: a node with two cameras, selected by keys,
// the list and the address; the graph's topics; and a recording of topics, which the page stops.
func TestNodes(t *testing.T) {
	m := rig.Master(t)
	dir := t.TempDir()
	_, cameras := startNode(t, m.URI(), "live", "--record-path", dir, "--device", "sim:1", "--camera", "front", "--device", "sim:2", "--camera", "rear", "--naming", "wrapper",
		"--depth", "424x240@6", "--color", "off", "--infra1", "off", "--infra2", "off", "--gyro", "off", "--accel", "off")
	const image = "/rear/depth/image_rect_raw"
	has := func(device string) string {
		return `viewer.store.source.value?.device === '` + device + `' && [...viewer.store.views.value.values()].some((v) => v.info.name === 'Depth_0' && v.counters.drawn > 0)`
	}
	b, line := newTab(t), newLine(t, cameras)
	b.open(line.url + "#2d&map=warm&device=rear")
	b.await(`window.viewer && ` + has("rear"))
	b.keys("V")
	b.await(has("front") + ` && location.hash.endsWith('&device=front')`)
	b.keys("v")
	b.await(has("rear") + ` && location.hash.endsWith('&device=rear')`)
	other := newTab(t)
	other.open(cameras)
	other.await(`window.viewer && ` + has("rear") + ` && !location.hash.includes('device')`)
	other.show("front")
	other.await(has("front") + ` && document.querySelectorAll('.entry[aria-current]').length === 1`)
	b.await(has("front") + ` && !location.hash.includes('device')`) // it follows the selection of another viewer
	// A page that comes back follows what was selected meanwhile, too.
	b.show("rear")
	b.await(has("rear") + ` && location.hash.endsWith('&device=rear')`)
	b.expect("WebSocket")
	b.expect("net::ERR")
	line.cut(true)
	b.await(`!viewer.store.connected.value && /Connection lost.*Trying again/.test(document.querySelector('.banner').textContent)`)
	other.await(has("rear"))
	other.show("front")
	other.await(has("front"))
	line.cut(false)
	b.await(`viewer.store.connected.value && ` + has("front") + ` && !location.hash.includes('device')`)
	other.await(has("front"))
	other.screenshot("view-cameras")

	eval[bool](other, `viewer.store.recordForm.value = true`)
	other.await(`document.activeElement?.matches('dialog input[type=text]')`)
	other.keys("walk" + enter)
	other.await(`!viewer.store.recordForm.value && viewer.store.record.value?.on && viewer.store.record.value.bytes > 0`)
	other.held(ctrl, enter)
	other.await(`viewer.store.record.value && !viewer.store.record.value.on`)
	if _, err := os.Stat(filepath.Join(dir, "walk.bag")); err != nil {
		t.Error(err)
	}

	shown := func(topic string) string {
		return `[...viewer.store.views.value.values()].some((v) => v.info.name === '` + topic + `' && v.counters.drawn > 1)`
	}
	graph := startView(t, "--master", m.URI())
	b.open(graph)
	b.await(`window.viewer && viewer.store.source.value?.kind === 'graph' && ` + shown(image))
	b.await(`viewer.store.views.value.size > 20 && document.querySelectorAll('.tile').length === 12`) // whenever they came
	b.keys(" ")
	b.await(`!viewer.store.state.value.playing`)
	b.screenshot("view-graph")

	bag := filepath.Join(dir, "rear.bag")
	recorder, recorded := startNode(t, m.URI(), "record", "-O", bag, image)
	b.open(recorded)
	b.await(`window.viewer && viewer.store.record.value?.on && viewer.store.record.value.bytes > 0 && ` + shown(image))
	b.await(`viewer.store.record.value.table?.[0].publishers === 1 && viewer.store.record.value.total.bytes > 0 && viewer.store.record.value.compression === 'none'`)
	b.await(`/1 publisher  [^]*Total/.test(document.querySelector('.record .figures').title)`)
	b.screenshot("view-recorder")
	b.expect("WebSocket") // the program ends, and the page reconnects
	b.expect("net::ERR")
	b.held(ctrl, enter)
	if code := recorder.Wait(); code != 0 {
		t.Errorf("record ended with %d: %s", code, recorder.Output())
	}
	opened := samplebag.Open(t, bag)
	if c := opened.Connections(); len(c) != 1 || c[0].Topic != image || !strings.HasSuffix(c[0].Type, "/Image") {
		t.Errorf("recorded %+v", c)
	}
}
