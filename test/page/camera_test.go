package page

import (
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/sim"
	"rsros/record"
	"rsros/ros"
	"rsros/test/need"
	"rsros/viewer"
	"rsros/viewer/guard"
)

// camera is a simulated camera that a server shows at url. The test can stop its images, report
// events through its hub, and drop the connections.
type camera struct {
	camdriver.NopHandler
	url        string
	device     camdriver.Device
	hub        camdriver.Hub
	frozen     atomic.Bool
	log        zerolog.Logger // whose lines pages show
	recordings string         // their folder

	mu      sync.Mutex
	seen    map[camdriver.StreamID]map[uint64]uint64 // hash of each frame's pixels, by number
	sockets []net.Conn
}

// small returns the profiles of the simulated camera that software can draw, by sensor.
func small(d camdriver.Device) [][]camdriver.Profile {
	chosen := make([][]camdriver.Profile, len(d.Sensors()))
	for i, s := range d.Sensors() {
		for _, p := range s.Profiles() {
			image := p.Width == 424 && p.Height == 240 && p.FPS == 30 && slices.Contains([]camdriver.Format{camdriver.Z16, camdriver.Y8, camdriver.RGB8}, p.Format)
			has := slices.ContainsFunc(chosen[i], func(q camdriver.Profile) bool { return q.Stream == p.Stream })
			if (image || p.Width == 0) && !has && p.Stream != camdriver.RightStream {
				chosen[i] = append(chosen[i], p)
			}
		}
	}
	return chosen
}

// startCamera starts the camera and its server, which also has /modules.js.
func startCamera(t *testing.T) *camera {
	t.Helper()
	lines := ros.NewLogWriter(zerolog.InfoLevel)
	c := &camera{log: zerolog.New(lines), recordings: t.TempDir(), seen: make(map[camdriver.StreamID]map[uint64]uint64)}
	var err error
	if c.device, err = sim.Open(sim.Options{}); err != nil {
		t.Fatal(err)
	}
	log := zerolog.New(zerolog.NewTestWriter(t))
	s, err := viewer.New(viewer.Options{Lines: lines, Log: log})
	need.Must(t, err)
	profiles, records := small(c.device), new(record.Camera)
	records.Serve(record.Source{Hub: &c.hub, Device: c.device, Profiles: profiles, Now: time.Now}, record.Options{}, c.recordings, log)
	c.hub.Attach(c) // before the server, so that a frame that is shown has been seen
	s.Attach(viewer.Running{ID: "sim", Name: "Simulated", Device: c.device, Profiles: profiles, Hub: &c.hub, Records: records, RecordDir: c.recordings, Frozen: &c.frozen})
	modules, mux := bundled(t), http.NewServeMux()
	mux.Handle("/", s)
	mux.HandleFunc("/modules.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Write(modules)
	})
	h := httptest.NewUnstartedServer(guard.Wrap(guard.Access{}, mux))
	h.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		if state == http.StateHijacked {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.sockets = append(c.sockets, conn)
		}
	}
	h.Start()
	c.url = h.URL
	t.Cleanup(func() {
		for _, close := range []func() error{s.Close, records.Close, c.device.Close} {
			if err := close(); err != nil {
				t.Error(err)
			}
		}
		h.Close()
	})
	need.Must(t, camdriver.StartSensors(c.device, profiles, &c.hub))
	return c
}

// disconnect drops the pages' connections.
func (c *camera) disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sockets {
		s.Close() //nolint:errcheck // it may have ended
	}
}

// Frame implements camdriver.Handler.
func (c *camera) Frame(_ int, f *camdriver.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[f.Stream()] == nil {
		c.seen[f.Stream()] = make(map[uint64]uint64)
	}
	c.seen[f.Stream()][f.Number] = hashOf(f.Data)
}

// newest returns the highest number of a stream's frames.
func (c *camera) newest(id camdriver.StreamID) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Max(slices.Collect(maps.Keys(c.seen[id])))
}

// hashOf returns FNV-1a over the pixels, 32 bits, as the page computes it.
func hashOf(b []byte) uint64 {
	h := uint32(2166136261)
	for _, v := range b {
		h = (h ^ uint32(v)) * 16777619
	}
	return uint64(h)
}

// pageHash computes hashOf of a stream's pixels in its texture, with the number of its frame: "number
// hash".
const pageHash = `(() => {
	const v = window.viewer, view = v.store.views.value.get($1), u = v.stage.value.textures.get(view)
	if (!u || !view.frame) return ''
	const whole = v.stage.value.textures.whole(u)
	let h = 2166136261
	for (let i = 0; i < whole.length; i += 4) {
		h = Math.imul(h ^ (whole[i] & 255), 16777619)
		h = Math.imul(h ^ (whole[i] >>> 8), 16777619)
	}
	return view.frame.head.number + ' ' + (h >>> 0)
})()`

// streamID returns the number of a stream by its name, or 0.
func (b *tab) streamID(name string) int {
	b.t.Helper()
	return eval[int](b, `[...viewer.store.views.value.values()].find(v => v.info.name === $1)?.info.id ?? 0`, name)
}
