package page

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs/imagetransport"
	"rsros/test/need"
)

// modules opens a page that has the page's modules as m, and numbered files that a test adds with give.
type modules struct {
	*tab
	files [][]byte
}

func openModules(t *testing.T) *modules {
	t.Helper()
	m := &modules{tab: newTab(t)}
	bundle := bundled(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		switch {
		case r.URL.Path == "/m.js":
			w.Header().Set("Content-Type", "text/javascript")
			w.Write(bundle)
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(`<!doctype html><link rel="icon" href="data:,">`))
		default:
			if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err == nil && n < len(m.files) {
				w.Write(m.files[n])
			}
		}
	}))
	t.Cleanup(server.Close)
	m.open(server.URL)
	eval[bool](m.tab, `(async () => {
		window.m = await import('/m.js')
		window.bytes = async (n) => new Uint8Array(await (await fetch('/' + n)).arrayBuffer())
		window.base64 = (b) => { let s = ''; for (let i = 0; i < b.length; i += 32768) s += String.fromCharCode(...b.subarray(i, i + 32768)); return btoa(s) }
		return true
	})()`)
	return m
}

// in returns the same page for a subtest.
func (m *modules) in(t *testing.T) *modules {
	return &modules{tab: &tab{t: t, browser: m.browser, session: m.session}}
}

var (
	bundleOnce sync.Once
	bundle     []byte
	bundleErr  error
)

// bundled returns modules.ts with all that it imports, as one module.
func bundled(t testing.TB) []byte {
	t.Helper()
	bundleOnce.Do(func() {
		args := []string{"tool", "-modfile=../tools/go.mod", "esbuild", "modules.ts", "--bundle", "--format=esm"}
		for name, file := range map[string]string{"@preact/signals-core": "signals-core@*/signals-core.mjs", "@preact/signals": "signals@*/signals.mjs",
			"preact": "preact@*/preact.mjs", "preact/hooks": "preact@*/hooks.mjs"} {
			found, err := filepath.Glob("../../viewer/page/third_party/" + file)
			if err != nil || len(found) != 1 {
				bundleErr = fmt.Errorf("%s in third_party: %v %v", file, found, err)
				return
			}
			args = append(args, "--alias:"+name+"="+"./"+found[0])
		}
		bundle, bundleErr = exec.Command("go", args...).Output()
	})
	if bundleErr != nil {
		t.Fatalf("go tool esbuild: %v", bundleErr)
	}
	return bundle
}

// give makes bytes available to the page, as bytes(n).
func (m *modules) give(b []byte) int {
	m.files = append(m.files, b)
	return len(m.files) - 1
}

// got evaluates to bytes.
func (m *modules) got(expression string, arguments ...any) []byte {
	m.t.Helper()
	text := eval[string](m.tab, "(async () => base64("+expression+"))()", arguments...)
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		m.t.Fatal(err)
	}
	return b
}

func TestRVL(t *testing.T) {
	m := openModules(t)
	const decode = `(async () => { const out = new Uint16Array($2 * $3); m.decodeBands(await bytes($1), $2, $3, out); return new Uint8Array(out.buffer) })()`
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ width, height, bands int }{{1, 1, 1}, {7, 5, 2}, {64, 48, 3}, {33, 17, 17}, {424, 240, 4}} {
		pixels := randomDepth(random, c.width*c.height)
		got := m.got("await "+decode, m.give(bandsOf(pixels, c.width, c.height, c.bands)), c.width, c.height)
		if !bytes.Equal(got, pixels) {
			t.Errorf("%d×%d in %d bands: other pixels", c.width, c.height, c.bands)
		}
	}
	// Damage must cause an error, never an image or an endless loop.
	whole := bandsOf(randomDepth(random, 64*48), 64, 48, 2)
	for i := range 60 {
		broken := bytes.Clone(whole[:len(whole)-i*len(whole)/60])
		if i%2 == 0 {
			broken[random.IntN(len(broken))] ^= byte(1 + random.IntN(255))
		}
		result := eval[string](m.tab, `(async () => { try { await `+decode+`; return 'ok' } catch (e) { return e instanceof Error ? 'error' : String(e) } })()`, m.give(broken), 64, 48)
		if result != "ok" && result != "error" || i%2 == 1 && result == "ok" {
			t.Errorf("damage %d: %s", i, result)
		}
	}
}

// randomDepth has holes, slopes and jumps.
func randomDepth(random *rand.Rand, n int) []byte {
	pixels := make([]byte, 2*n)
	value := 0
	for i := range n {
		switch random.IntN(12) {
		case 0:
			value = random.IntN(65536)
		case 1, 2:
			value = 0
		default:
			value = max(0, min(65535, value+random.IntN(9)-4))
		}
		binary.LittleEndian.PutUint16(pixels[2*i:], uint16(value))
	}
	return pixels
}

// bandsOf returns an image in bands, each encoded by the encoder of the ROS topics.
func bandsOf(pixels []byte, width, height, n int) []byte {
	head, body := binary.LittleEndian.AppendUint16(nil, uint16(n)), []byte(nil)
	for i := range n {
		band := imagetransport.AppendRVL(nil, pixels[2*width*(height*i/n):2*width*(height*(i+1)/n)])
		head = binary.LittleEndian.AppendUint32(head, uint32(len(band)))
		body = append(body, band...)
	}
	return append(head, body...)
}

// colouring is one case of the files with librealsense's colorizer output.
type colouring struct {
	Steps []struct {
		Block   string
		Options struct{ Equalize, Max, Min, Scheme float32 }
	}
	Outputs []struct {
		Frame         uint64
		Width, Height int
		Hash          string `json:"fnv1a64"`
	}
}

// TestColours compares the page's images with librealsense's, byte by byte.
func TestColours(t *testing.T) {
	m := openModules(t)
	compare := func(bag, manifest string) {
		text, err := os.ReadFile(manifest)
		need.Must(t, err)
		var golden struct {
			Units float32 `json:"depth_units"`
			Cases []colouring
		}
		need.Must(t, json.Unmarshal(text, &golden))
		depths := depthsOf(t, bag)
		compared := 0
		for _, c := range golden.Cases {
			if len(c.Steps) != 1 || c.Steps[0].Block != "colorizer" {
				continue
			}
			o := c.Steps[0].Options
			for _, out := range c.Outputs {
				got := m.got(`await (async () => {
					const depth = new Uint16Array((await bytes($1)).buffer), f = new Float32Array(m.values)
					if ($2) { const n = new Uint32Array(m.values); m.count(depth, n); m.equalised(n, f) }
					else m.plain($3, $4, $5, f)
					const rgba = new Uint8ClampedArray(4 * depth.length), rgb = new Uint8Array(3 * depth.length)
					m.paint(depth, f, m.table($6), rgba)
					for (let i = 0; i < depth.length; i++) for (let c = 0; c < 3; c++) rgb[3 * i + c] = rgba[4 * i + c]
					return rgb
				})()`, m.give(depths[out.Frame]), o.Equalize != 0, golden.Units, o.Min, o.Max, int(o.Scheme))
				h := fnv.New64a()
				h.Write(got)
				if hash := fmt.Sprintf("%016x", h.Sum64()); hash != out.Hash {
					t.Errorf("%s frame %d, map %v equalised %v %v–%v m: hash %s, the SDK's is %s", bag, out.Frame, o.Scheme, o.Equalize, o.Min, o.Max, hash, out.Hash)
				}
				compared++
			}
		}
		if compared < 7 {
			t.Errorf("%s: only %d pictures compared", manifest, compared)
		}
	}
	compare("../../camdriver/process/testdata/unpleasant.bag", "../../camdriver/process/testdata/unpleasant.json")
	if os.Getenv("RS_BAGS") != "" {
		compare(need.Bag(t, "processing/sim_424.bag"), need.Bag(t, "processing/sim_424/manifest.json"))
	}
}

// depthsOf reads a recording's depth images, by frame number.
func depthsOf(t *testing.T, bag string) map[uint64][]byte {
	t.Helper()
	file, err := rsbag.Open(bag, rsbag.Options{})
	need.Must(t, err)
	defer file.Close()
	cursor := file.Cursor(rsbag.CursorOptions{})
	defer cursor.Close()
	depths := map[uint64][]byte{}
	for {
		e, ok := cursor.Next()
		if !ok {
			return depths
		}
		if e.Frame != nil && e.Frame.Stream().Kind == camdriver.Depth {
			depths[e.Frame.Number] = bytes.Clone(e.Frame.Data)
		}
	}
}

func TestHead(t *testing.T) {
	m := openModules(t)
	b := []byte{1, 2, 0x34, 0x12}
	b = binary.LittleEndian.AppendUint32(b, 7)
	b = binary.LittleEndian.AppendUint64(b, 1<<40)
	b = binary.LittleEndian.AppendUint64(b, 1700000000123456789)
	b = binary.LittleEndian.AppendUint64(b, 33333333)
	b = binary.LittleEndian.AppendUint16(b, 424)
	b = binary.LittleEndian.AppendUint16(b, 240)
	b = binary.LittleEndian.AppendUint32(b, 848)
	b = binary.LittleEndian.AppendUint32(b, 2)
	b = binary.LittleEndian.AppendUint32(b, 5)
	b = append(b, "{}body"...)
	got := eval[string](m.tab, `(async () => {
		const { head: h, metadata, body } = m.decode((await bytes($1)).buffer), text = (b) => new TextDecoder().decode(b)
		return [h.kind, h.codec, h.stream, h.seq, h.number, h.stamp, h.time, h.width, h.height, h.stride, h.skipped, text(metadata), text(body)].join(' ')
	})()`, m.give(b))
	if want := "1 2 4660 7 1099511627776 1700000000123456789 33333333 424 240 848 5 {} body"; got != want {
		t.Errorf("head %q, expected %q", got, want)
	}
	for _, broken := range [][]byte{b[:47], b[:49]} {
		if got := eval[string](m.tab, `(async () => { try { m.decode((await bytes($1)).buffer); return '' } catch (e) { return e.message } })()`, m.give(broken)); got == "" {
			t.Errorf("%d bytes were decoded", len(broken))
		}
	}
}

// TestFigures checks the small functions: rate, layout, ruler, motion.
func TestFigures(t *testing.T) {
	m := openModules(t)
	for _, c := range []struct{ expression, want string }{
		{`(() => { const r = new m.Rate(); for (let i = 0; i < 4; i++) r.add(BigInt(i * 33333333), i); return r.fps })()`, "null"},
		{`(() => { const r = new m.Rate(); for (let i = 0; i < 40; i++) r.add(BigInt(i * 50000000), i); return r.fps })()`, "20"},
		{`(() => { const r = new m.Rate(); for (let i = 0; i < 40; i += 2) r.add(BigInt(i * 50000000), i); return r.fps })()`, "20"}, // including those left out
		{`(() => { const r = new m.Rate(); for (let i = 0; i < 40; i++) r.add(BigInt(i * 50000000), i); r.add(0n, 0); return r.fps })()`, "null"},
		{`m.best([4/3, 4/3, 4/3, 4/3], 800, 600, 0, 0).map((r) => [r.x, r.y, r.width, r.height].join()).join(' ')`, `"0,0,400,300 400,0,400,300 0,300,400,300 400,300,400,300"`},
		{`m.best([2, 2], 1000, 200, 28, 0).map((r) => r.x).join()`, `"0,500"`},
		{`m.best([2, 2], 200, 1000, 28, 0).map((r) => r.y).join()`, `"0,500"`},
		{`m.best([], 100, 100, 28, 0).length`, "0"},
		{`(() => { const r = m.fit(2, { x: 10, y: 0, width: 100, height: 100 }); return [r.x, r.y, r.width, r.height].join() })()`, `"10,25,100,50"`},
		{`m.top(new Uint16Array(900).fill(0), 30, 30, 0.001)`, "4"},
		{`m.top(new Uint16Array(3600).fill(5000), 60, 60, 0.001)`, "8"},
		{`m.ticks(4).join()`, `"0,1,2,3,4"`},
		{`m.ticks(16).join()`, `"0,2,4,6,8,10,12,14,16"`},
		{`(() => { const s = new m.Samples(15); s.add(100, new Float64Array([0, 3, 4, 0, 0.005, 0, 0, 1])); return [s.length, ...s.last].join() })()`, `"2,0,0,1,1"`},
		// Every sample counts: the peak of one in 1000 is visible in its column.
		{`(() => {
			const s = new m.Samples(15), p = new Float64Array(4000)
			for (let i = 0; i < 1000; i++) p.set([i * 0.005, i === 500 ? 9 : 0, 0, 0], 4 * i)
			s.add(0, p)
			const { columns, low, high } = s.columns(100, 15)
			return [Math.max(...columns[0].filter(Number.isFinite)), low, high].join()
		})()`, `"9,0,9"`},
	} {
		got := eval[json.RawMessage](m.tab, c.expression)
		if string(got) != c.want {
			t.Errorf("%s\nis %s, expected %s", c.expression, got, c.want)
		}
	}
}

// TestPNG16 reads the page's 16-bit PNG with Go's decoder.
func TestPNG16(t *testing.T) {
	m := openModules(t)
	pixels := randomDepth(rand.New(rand.NewPCG(3, 4)), 31*17)
	file := m.got(`new Uint8Array(await (await m.png16(new Uint16Array((await bytes($1)).buffer), 31, 17)).arrayBuffer())`, m.give(pixels))
	img, err := png.Decode(bytes.NewReader(file))
	need.Must(t, err)
	for i := range 31 * 17 {
		r, _, _, _ := img.At(i%31, i/31).RGBA()
		if want := uint32(binary.LittleEndian.Uint16(pixels[2*i:])); r != want {
			t.Fatalf("pixel %d is %d, expected %d", i, r, want)
		}
	}
}
