package page

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rsros/camdriver"
	"rsros/camdriver/sim"
)

// small are the profiles of the simulated camera that software can draw.
func small() []camdriver.Profile {
	return []camdriver.Profile{
		{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 424, Height: 240, FPS: 30},
		{Stream: camdriver.LeftStream, Format: camdriver.Y8, Width: 424, Height: 240, FPS: 30},
		{Stream: camdriver.ColorStream, Format: camdriver.RGB8, Width: 424, Height: 240, FPS: 30},
		{Stream: camdriver.GyroStream, Format: camdriver.MotionXYZ32F, FPS: 200},
		{Stream: camdriver.AccelStream, Format: camdriver.MotionXYZ32F, FPS: 250},
	}
}

// openCamera opens a page on the simulated camera.
func openCamera(t *testing.T) (*tab, *program, *camera) {
	t.Helper()
	b := newTab(t)
	d, err := sim.Open(sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wanted := small()
	for _, s := range d.Sensors() {
		for _, p := range s.Profiles() {
			for i, w := range wanted {
				if p.Stream == w.Stream && p.Format == w.Format && p.Width == w.Width && p.Height == w.Height && (p.FPS == w.FPS || w.Width == 0) {
					wanted[i] = p
				}
			}
		}
	}
	p, c := startCamera(t, d, wanted...)
	b.do(chromedp.Navigate(p.url))
	b.await(`window.viewer && viewer.store.connected.value`)
	return b, p, c
}

func drawn(id int, n int) string {
	return fmt.Sprintf(`viewer.store.views.value.get(%d)?.counters.drawn >= %d`, id, n)
}

// TestCamera uses a page on the simulated camera, as one user would, step by step.
func TestCamera(t *testing.T) {
	b, p, c := openCamera(t)
	depth, color := c.ids[camdriver.DepthStream], c.ids[camdriver.ColorStream]
	b.await(drawn(depth, 3) + ` && ` + drawn(color, 3))
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"depth raw", func(t *testing.T) { exact(t, b, c, depth) }},
		{"depth packed", func(t *testing.T) {
			b.keys("2")
			eval[bool](b, `(document.querySelector('[aria-label="Settings"]').click(), true)`)
			b.choose(`dialog label:nth-of-type(3) select`, "packed")
			b.keys(kb.Escape)
			p.await(t, "packed pictures are asked for", func() bool { return p.lanes[depth] != nil && p.lanes[depth].codec == "packed" })
			b.await(drawn(depth, eval[int](b, `viewer.store.views.value.get($1).counters.drawn`, depth)+4), depth)
			exact(t, b, c, depth)
		}},
		{"colours", func(t *testing.T) { colours(t, b, depth) }},
		{"readout", func(t *testing.T) { readout(t, b, depth) }},
		{"options", func(t *testing.T) { options(t, b, p) }},
		{"record", func(t *testing.T) { recordKeys(t, b, p) }},
		{"notification", func(t *testing.T) {
			p.tell(object{"op": "notification", "time": "1", "severity": "Warn", "category": "Hardware Event", "text": "too <b>hot", "data": ""})
			p.tell(object{"op": "notification", "time": "2", "severity": "Warn", "category": "Hardware Event", "text": "too <b>hot", "data": ""})
			b.await(`document.querySelector('.toast.warn')?.textContent.includes('too <b>hot × 2')`)
			// Clicked by script: an unpinned toast may disappear between finding and clicking it.
			b.await(`(() => {
				document.querySelector('.toast.warn [aria-label="Keep"][aria-pressed="false"]')?.click()
				return document.querySelector('.toast.warn [aria-label="Keep"][aria-pressed="true"]') !== null
			})()`)
			b.await(`viewer.store.toasts.value.some((t) => t.level === 'warn' && t.until === Infinity)`)
			eval[bool](b, `(document.querySelector('.toast.warn [aria-label="Dismiss"]').click(), true)`)
			b.await(`!document.querySelector('.toast.warn')`)
			p.tell(object{"op": "log", "time": "3", "level": "error", "node": "camera", "text": "no frames"})
			b.keys("`")
			b.await(`document.querySelector('.log li.error')?.textContent.includes('no frames')`)
			b.await(`document.querySelector('.log li.warn')?.textContent.includes('too <b>hot')`)
			b.press("Copy")
			b.await(`document.querySelector('.toasts').textContent.includes('Copied')`)
			b.keys("`")
		}},
		{"panels", func(t *testing.T) { panels(t, b) }},
		{"stall", func(t *testing.T) { stall(t, b, p, c, depth) }},
		{"lost connection", func(t *testing.T) {
			b.expect("WebSocket")
			p.disconnect()
			b.await(`viewer.store.connections.value === 2 && viewer.store.connected.value`)
			b.await(drawn(depth, 2))
		}},
	} {
		if !t.Run(step.name, step.run) {
			break
		}
	}
	b.screenshot("live")
}

// exact compares depth in the texture with what the camera raised for that frame number.
func exact(t *testing.T, b *tab, c *camera, id int) {
	for range 4 {
		before := eval[int](b, `viewer.store.views.value.get($1).counters.drawn`, id)
		b.await(drawn(id, before+1))
		var number, hash uint64
		if _, err := fmt.Sscan(eval[string](b, pageHash, id), &number, &hash); err != nil {
			t.Fatal(err)
		}
		c.mu.Lock()
		want, ok := c.seen[id][number]
		c.mu.Unlock()
		if !ok || hash != want {
			t.Errorf("frame %d has hash %d in the texture, %d in the camera", number, hash, want)
		}
	}
}

// colours compares what the GPU draws with the formula, for each map.
func colours(t *testing.T, b *tab, id int) {
	// TestColours compares the tables of all maps; this checks the drawing.
	for range 3 {
		b.keys("ccc")
		if worst := eval[int](b, wrongColours, id); worst != 0 {
			t.Errorf("map %s equalised: %d components differ from the formula by more than 1", eval[string](b, `location.hash`), worst)
		}
	}
	b.keys("e")
	if worst := eval[int](b, wrongColours, id); worst != 0 {
		t.Errorf("plain: %d components differ from the formula by more than 1", worst)
	}
	b.keys("e")
}

// wrongColours counts the components of the GPU's image that differ from the formula by more than 1.
const wrongColours = `(async () => {
	const m = await import('/modules.js')
	const view = viewer.store.views.value.get($1), { map, equalise, min, max } = viewer.stage.value.look
	const gpu = viewer.capture(view).data, depth = view.frame.picture.pixels, cpu = new Uint8ClampedArray(4 * depth.length)
	const f = new Float32Array(m.values)
	if (equalise) { const n = new Uint32Array(m.values); m.count(depth, n); m.equalised(n, f) } else m.plain(view.info.depthUnits, min, max, f)
	m.paint(depth, f, m.table(map), cpu)
	let wrong = 0
	for (let i = 0; i < gpu.length; i++) if (Math.abs(gpu[i] - cpu[i]) > 1) wrong++
	return gpu.length === cpu.length && gpu.length > 0 ? wrong : -1
})()`

// TestPlayback uses the playback bar and the keys on a recording of librealsense.
func TestPlayback(t *testing.T) {
	b := newTab(t)
	p, r := startRecording(t, "../data/librealsense/sw_small_raw.bag")
	b.do(chromedp.Navigate(p.url))
	b.await(`window.viewer && viewer.store.connected.value`)
	id := r.ids[camdriver.DepthStream]
	shown := func(set int) {
		t.Helper()
		f := r.frames[r.sets[set]]
		b.await(fmt.Sprintf(`%s === '%d %d'`, pageHash, f.Number, hashOf(f.Data)), id)
	}
	b.await(`viewer.store.views.value.get($1)?.wanted`, id)
	eval[bool](b, `viewer.link.request('seek', { set: 7 }).then(() => true)`)
	shown(7)
	b.do(chromedp.KeyEvent("."))
	shown(8)
	b.do(chromedp.KeyEvent(","), chromedp.KeyEvent(","))
	shown(6)
	markKeys(b, p)
	b.do(chromedp.KeyEvent(" "))
	b.await(`viewer.store.state.value.playing`)
	b.do(chromedp.KeyEvent(" "), chromedp.KeyEvent("+"), chromedp.KeyEvent("l"), chromedp.KeyEvent("o"))
	b.await(`!viewer.store.state.value.playing && viewer.store.state.value.rate === 1.5 && viewer.store.state.value.loop && viewer.store.state.value.range`)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.ContainsFunc(p.requests, func(o object) bool { return o["op"] == "range" }) {
		t.Error("the page asked for no range")
	}
	b.screenshot("playback")
}

// markKeys goes from mark to mark of a paused recording, and reads their texts. Marks may arrive after
// the source.
func markKeys(b *tab, p *program) {
	told := func(words string) {
		b.t.Helper()
		b.await(`document.querySelector('.seek [role=status]').textContent.includes($1)`, words)
	}
	b.keys(kb.Home + "n")
	told("synthetic hardware event")
	b.keys("n")
	told("2 frames")
	b.screenshot("marks")
	b.keys("N")
	told("synthetic hardware event")
	p.tell(object{"op": "marks", "marks": []object{
		{"time": "1", "kind": "option", "text": "Exposure 3, before 2"}, {"time": "2", "kind": "loss", "stream": 1, "text": "1 frame <i>missing"}}})
	b.await(`document.querySelectorAll('.mark').length === 1 && document.querySelector('.mark.loss')`)
	b.keys("N")
	told("Exposure 3, before 2")
	told("1 frame <i>missing")
}

// readout points at a pixel with the mouse and by keyboard, and reads what the page says.
func readout(t *testing.T, b *tab, id int) {
	box := eval[[]float64](b, `(() => { const r = document.querySelector('figure[aria-label="Depth"] .video').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2] })()`)
	eval[bool](b, `viewer.link.tell('pause').then(() => true)`)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box[0], box[1]))
	b.await(`document.querySelector('figure[aria-label="Depth"] .readout')`)
	b.await(`(() => {
		const [, x, y, hex, m, unit] = /^(\d+), (\d+) 0x([0-9A-F]{4}) = ([\d.]+).(m|mm)$/.exec(document.querySelector('figure[aria-label="Depth"] .readout').textContent) ?? []
		const view = viewer.store.views.value.get($1), p = view.frame.picture, d = p.pixels[y * p.width + Number(x)]
		return parseInt(hex, 16) === d && Math.abs(m / (unit === 'mm' ? 1000 : 1) - d * view.info.depthUnits) <= 0.001
	})()`, id)
	// The wheel zooms all tiles of the sensor.
	eval[bool](b, `(document.querySelector('figure[aria-label="Depth"] .video').dispatchEvent(new WheelEvent('wheel', { deltaY: -100, clientX: $1, clientY: $2, cancelable: true })), true)`, box[0], box[1])
	b.await(`document.querySelector('figure[aria-label="Depth"] .thumbnail') && document.querySelector('figure[aria-label="Infrared 1"] .thumbnail') && !document.querySelector('figure[aria-label="Color"] .thumbnail')`)
	eval[bool](b, `(document.querySelector('figure[aria-label="Depth"] [aria-label="Whole picture"]').click(), true)`)
	b.await(`!document.querySelector('.thumbnail')`)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 5, 5))
	eval[bool](b, `viewer.link.tell('play').then(() => true)`)
}

// options finds an option, sets it, and sees what another viewer set.
func options(t *testing.T, b *tab, p *program) {
	b.keys("/")
	b.await(`document.activeElement?.id === 'option-search'`)
	b.keys("laser power")
	b.await(`document.querySelectorAll('.option').length === 1`)
	b.keys(kb.Tab) // the number field; its reset button must do nothing
	b.keys(kb.Enter)
	b.await(`document.activeElement?.matches('input.number')`)
	eval[bool](b, `(document.activeElement.select(), true)`)
	b.keys("30" + kb.Enter)
	p.await(t, "the option is set", func() bool {
		return slices.ContainsFunc(p.requests, func(o object) bool { return o["op"] == "option" && o["option"] == "Laser Power" && o["value"] == 30.0 })
	})
	b.await(`document.querySelector('.option .number-button').textContent === '30'`)
	p.tell(object{"op": "option", "sensor": 0, "id": "Laser Power", "value": 90})
	b.await(`document.querySelector('.option .number-button').textContent === '90'`)
	eval[bool](b, `(document.querySelector('#option-search').focus(), true)`)
	b.keys(kb.Escape)
	b.await(`document.querySelectorAll('.option').length > 1 && document.activeElement === document.body`)
}

// recordKeys starts and stops a recording with the keys.
func recordKeys(t *testing.T, b *tab, p *program) {
	ctrlEnter := chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	b.do(ctrlEnter)
	b.await(`document.querySelectorAll('.tile .rec').length === 3 && document.querySelector('.bar .record.on')`)
	b.screenshot("recording")
	b.do(ctrlEnter)
	b.await(`!document.querySelector('.rec') && document.querySelector('.toasts').textContent.includes('walk.bag')`)
}

// panels folds the panels, maximizes a tile, and opens the dialogs, by keys alone.
func panels(t *testing.T, b *tab) {
	b.keys("[")
	b.await(`!document.querySelector('.panel.left')`)
	b.keys("]")
	b.await(`!document.querySelector('.panel.right')`)
	b.keys("[]")
	b.await(`document.querySelector('.panel.left') && document.querySelector('.panel.right')`)
	b.do(chromedp.KeyEvent("2", chromedp.KeyModifiers(chromedp.ModifierAlt)))
	b.await(`document.querySelectorAll('.tile').length === 1 && document.querySelector('figure[aria-label="Color"]')`)
	b.keys(kb.Escape)
	b.await(`document.querySelectorAll('.tile').length === 5`)
	b.keys("?")
	b.await(`document.querySelector('dialog[open] kbd')`)
	b.screenshot("keys")
	b.keys(kb.Escape)
	b.await(`!document.querySelector('dialog')`)
	// Each control has a name, and only fields, buttons and the like can have the focus.
	if nameless := eval[string](b, `[...document.querySelectorAll('button, input, select, [role=slider]')]
		.filter((e) => !(e.ariaLabel || e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML).join('\n')`); nameless != "" {
		t.Errorf("controls without a name: %s", nameless)
	}
	for _, size := range [][2]int64{{800, 900}, {420, 800}, {720, 450}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		b.await(`innerWidth === $1 && document.querySelector('.tile')`, size[0])
		// Nothing overflows the page.
		b.await(`![...document.querySelectorAll('.app *')].some((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('svg, .panel'))`)
		b.screenshot(fmt.Sprintf("size%d", size[0]))
	}
	b.do(chromedp.EmulateViewport(1440, 900))
	b.await(`document.querySelectorAll('.tile').length === 5`)
}

// stall blocks the page for 5 s; then it shows the newest frame, and every frame is accounted for.
func stall(t *testing.T, b *tab, p *program, c *camera, id int) {
	eval[bool](b, `(() => { const end = performance.now() + 5000; while (performance.now() < end); return true })()`)
	newest := c.newest(id)
	b.await(`viewer.store.views.value.get($1).frame.head.number >= $2`, id, newest)
	p.hold(true)
	defer p.hold(false)
	b.await(`[...viewer.store.views.value.values()].every((v) => !v.next)`)
	p.await(t, "every frame has its credit", func() bool {
		for stream, l := range p.lanes {
			if p.source["streams"].([]object)[stream-1]["kind"] == "video" && (l.waiting != nil || l.credited != l.sequence) {
				return false
			}
		}
		return true
	})
	p.mu.Lock()
	l := *p.lanes[id]
	p.mu.Unlock()
	if l.given != int(l.sequence)+l.skipped {
		t.Errorf("the program gave %d frames, sent %d and left out %d", l.given, l.sequence, l.skipped)
	}
	got := eval[struct{ Received, Drawn, SkippedServer, SkippedWorker, SkippedRender int }](b, `viewer.store.views.value.get($1).counters`, id)
	if got.Received != int(l.sequence) || got.Received != got.Drawn+got.SkippedWorker+got.SkippedRender {
		t.Errorf("of %d frames sent, the page has received %+v", l.sequence, got)
	}
	if got.SkippedServer != l.skipped {
		t.Errorf("the program left out %d frames, the page heard of %d", l.skipped, got.SkippedServer)
	}
	if l.skipped < 50 {
		t.Errorf("only %d frames were left out in 5 s", l.skipped)
	}
}
