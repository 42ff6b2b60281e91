// Package page tests the viewer's page in Chromium, as a user would see it: its modules with the test
// vectors of the Go code, and the page itself.
package page

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/test/need"
	"rsros/test/peer"
)

func drawn(id int, n int) string {
	return fmt.Sprintf(`viewer.store.views.value.get(%d)?.counters.drawn >= %d`, id, n)
}

// TestCamera uses a page on the simulated camera, as one user would, step by step.
func TestCamera(t *testing.T) {
	c, b := startCamera(t), newTab(t)
	b.open(c.url)
	b.await(`window.viewer && viewer.store.connected.value`)
	depth, color := b.streamID("Depth_0"), b.streamID("Color_0")
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
			b.keys(escape)
			b.await(`viewer.store.views.value.get($1).frame.head.codec === 1`, depth)
			b.await(drawn(depth, eval[int](b, `viewer.store.views.value.get($1).counters.drawn`, depth)+4), depth)
			exact(t, b, c, depth)
		}},
		{"colours", func(t *testing.T) { colours(t, b, depth) }},
		{"readout", func(t *testing.T) { readout(t, b, depth) }},
		{"options", func(t *testing.T) { options(t, b, c) }},
		{"record", func(t *testing.T) { recordKeys(t, b, c) }},
		{"notification", func(t *testing.T) {
			for range 2 {
				c.hub.Notification(0, camdriver.Notification{Time: time.Now(), Category: camdriver.NotifyHardwareEvent, Severity: camdriver.SeverityWarn, Description: "too <b>hot"})
			}
			b.await(`document.querySelector('.toast.warn')?.textContent.includes('too <b>hot × 2')`)
			// Clicked by script: an unpinned toast may disappear between finding and clicking it.
			b.await(`(() => {
				document.querySelector('.toast.warn [aria-label="Keep"][aria-pressed="false"]')?.click()
				return document.querySelector('.toast.warn [aria-label="Keep"][aria-pressed="true"]') !== null
			})()`)
			b.await(`viewer.store.toasts.value.some((t) => t.level === 'warn' && t.until === Infinity)`)
			eval[bool](b, `(document.querySelector('.toast.warn [aria-label="Dismiss"]').click(), true)`)
			b.await(`!document.querySelector('.toast.warn')`)
			c.log.Error().Msg("no frames")
			b.keys("`")
			b.await(`document.querySelector('.log li.error')?.textContent.includes('no frames')`)
			b.await(`document.querySelector('.log li.warn')?.textContent.includes('too <b>hot')`)
			b.press("Copy")
			b.await(`document.querySelector('.toasts').textContent.includes('Copied')`)
			b.keys("`")
		}},
		{"panels", func(t *testing.T) { panels(t, b) }},
		{"stall", func(t *testing.T) { stall(t, b, c, depth) }},
		{"lost connection", func(t *testing.T) {
			b.expect("WebSocket")
			c.disconnect()
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
		want, ok := c.seen[camdriver.DepthStream][number]
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
	bag, err := filepath.Abs("../data/librealsense/sw_small_pause.bag")
	need.Must(t, err)
	depths := depthsOf(t, bag)
	first := slices.Min(slices.Collect(maps.Keys(depths)))
	url := startView(t, bag) // ends after the tab, which would report it missing
	b := newTab(t)
	b.open(url)
	b.await(`window.viewer && viewer.store.source.value?.kind === 'file'`)
	eval[bool](b, `viewer.link.request('pause').then(a => a.ok)`)
	id := b.streamID("Depth_0")
	shown := func(set uint64) { // one of the first 20, without a gap
		t.Helper()
		b.await(fmt.Sprintf(`%s === '%d %d'`, pageHash, first+set, hashOf(depths[first+set])), id)
	}
	b.await(`viewer.store.views.value.get($1)?.wanted`, id)
	eval[bool](b, `viewer.link.request('seek', { set: 7 }).then(() => true)`)
	shown(7)
	b.keys(".")
	shown(8)
	b.keys(",,")
	shown(6)
	markKeys(b)
	b.keys("l") // so that it doesn't end
	b.await(`viewer.store.state.value.loop`)
	b.keys(" ")
	b.await(`viewer.store.state.value.playing`)
	b.keys(" +o")
	b.await(`!viewer.store.state.value.playing && viewer.store.state.value.rate === 1.5 && viewer.store.state.value.loop && viewer.store.state.value.range`)
	b.screenshot("playback")
}

// markKeys goes from mark to mark of a paused recording, and reads their texts. Marks that would cover
// each other are one.
func markKeys(b *tab) {
	told := func(words string) {
		b.t.Helper()
		b.await(`document.querySelector('.seek [role=status]').textContent.includes($1)`, words)
	}
	b.await(`document.querySelectorAll('.mark').length === 3 && document.querySelectorAll('.mark.loss').length === 1`)
	b.keys(home + "n")
	told("synthetic hardware event")
	b.keys("n")
	told("Depth: 20 frames missing")
	told("Frames Queue Size 31, before 0")
	b.screenshot("marks")
	b.keys("N")
	told("synthetic hardware event")
}

// readout points at a pixel with the mouse and by keyboard, and reads what the page says.
func readout(t *testing.T, b *tab, id int) {
	box := eval[[]float64](b, `(() => { const r = document.querySelector('figure[aria-label="Depth"] .video').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2] })()`)
	eval[bool](b, `viewer.link.tell('pause').then(() => true)`)
	b.move(box[0], box[1])
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
	b.move(5, 5)
	eval[bool](b, `viewer.link.tell('play').then(() => true)`)
}

// options finds an option, sets it, and sees what another viewer set.
func options(t *testing.T, b *tab, c *camera) {
	b.keys("/")
	b.await(`document.activeElement?.id === 'option-search'`)
	b.keys("laser power")
	b.await(`document.querySelectorAll('.option').length === 1`)
	b.keys(tabKey) // the number field; its reset button must do nothing
	b.keys(enter)
	b.await(`document.activeElement?.matches('input.number')`)
	eval[bool](b, `(document.activeElement.select(), true)`)
	b.keys("30" + enter)
	sensor := c.device.Sensors()[0]
	peer.Await(t, "the option is set", func() bool {
		o, _ := sensor.Option(camdriver.OptionLaserPower)
		return o.Value == 30
	})
	b.await(`document.querySelector('.option .number-button').textContent === '30'`)
	need.Must(t, sensor.SetOption(camdriver.OptionLaserPower, 90))
	b.await(`document.querySelector('.option .number-button').textContent === '90'`)
	eval[bool](b, `(document.querySelector('#option-search').focus(), true)`)
	b.keys(escape)
	b.await(`document.querySelectorAll('.option').length > 1 && document.activeElement === document.body`)
}

// recordKeys starts and stops a recording with the keys.
func recordKeys(t *testing.T, b *tab, c *camera) {
	b.held(ctrl, enter)
	b.await(`document.querySelectorAll('.tile .rec').length === 5 && document.querySelector('.bar .record.on')`)
	b.screenshot("recording")
	b.held(ctrl, enter)
	made, err := filepath.Glob(filepath.Join(c.recordings, "*.bag"))
	if err != nil || len(made) != 1 {
		t.Fatalf("recordings %v, %v", made, err)
	}
	b.await(`!document.querySelector('.rec') && document.querySelector('.toasts').textContent.includes($1)`, filepath.Base(made[0]))
	// In the form, the keys record as it says. After a click, Space freezes and doesn't click again.
	b.press("Record…")
	b.await(`document.activeElement?.matches('dialog input[type=text]')`)
	b.keys("named")
	b.held(ctrl, enter)
	b.await(`!document.querySelector('dialog') && viewer.store.record.value.on && viewer.store.record.value.file === 'named.bag'`)
	b.press("Stop")
	b.await(`!viewer.store.record.value.on`)
	b.press("Record")
	b.await(`viewer.store.record.value.on`)
	b.keys(" ")
	b.await(`!viewer.store.state.value.playing && viewer.store.record.value.on`)
	b.keys(" ")
	b.await(`viewer.store.state.value.playing && viewer.store.record.value.on`)
	b.held(ctrl, enter)
	b.await(`!viewer.store.record.value.on`)
}

// panels folds the panels, maximizes a tile, and opens the dialogs, by keys alone.
func panels(t *testing.T, b *tab) {
	b.keys("[")
	b.await(`!document.querySelector('.panel.left')`)
	b.keys("]")
	b.await(`!document.querySelector('.panel.right')`)
	b.keys("[]")
	b.await(`document.querySelector('.panel.left') && document.querySelector('.panel.right')`)
	b.held(alt, "2")
	b.await(`document.querySelectorAll('.tile').length === 1 && document.querySelector('figure[aria-label="Color"]')`)
	b.keys(escape)
	b.await(`document.querySelectorAll('.tile').length === 5`)
	b.keys("?")
	b.await(`document.querySelector('dialog[open] kbd')`)
	b.screenshot("keys")
	b.keys(escape)
	b.await(`!document.querySelector('dialog')`)
	letters := func(on bool) {
		b.press("Settings")
		b.await(`document.querySelector('dialog[open] input[type=checkbox]')?.checked === $1`, !on)
		eval[bool](b, `(document.querySelector('dialog[open] input[type=checkbox]').click(), true)`)
		b.keys(escape)
		b.await(`!document.querySelector('dialog')`)
	}
	letters(false)
	b.keys("[")
	letters(true)
	b.await(`document.querySelector('.panel.left')`)
	// Each control has a name, and only fields, buttons and the like can have the focus.
	if nameless := eval[string](b, `[...document.querySelectorAll('button, input, select, [role=slider]')]
		.filter((e) => !(e.ariaLabel || e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML).join('\n')`); nameless != "" {
		t.Errorf("controls without a name: %s", nameless)
	}
	for _, size := range [][2]int{{800, 900}, {420, 800}, {720, 450}} {
		b.resize(size[0], size[1])
		b.await(`innerWidth === $1 && document.querySelector('.tile')`, size[0])
		// Nothing overflows the page.
		b.await(`![...document.querySelectorAll('.app *')].some((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('svg, .panel'))`)
		b.screenshot(fmt.Sprintf("size%d", size[0]))
	}
	b.resize(1440, 900)
	b.await(`document.querySelectorAll('.tile').length === 5`)
}

// stall blocks the page for 5 s; then it shows the newest frame, and every frame is accounted for.
func stall(t *testing.T, b *tab, c *camera, id int) {
	eval[bool](b, `(() => {
		const credit = viewer.link.credit, credited = window.credited = {}
		viewer.link.credit = (view, seq) => { credited[view.info.id] = seq; credit.call(viewer.link, view, seq) }
		const end = performance.now() + 5000
		while (performance.now() < end);
		return true
	})()`)
	newest := c.newest(camdriver.DepthStream)
	b.await(`viewer.store.views.value.get($1).frame.head.number >= $2`, id, newest)
	c.frozen.Store(true)
	defer c.frozen.Store(false)
	b.await(`[...viewer.store.views.value.values()].every((v) => !v.next)`)
	for range 2 { // the program may have counted the first before the last frame
		b.await(`(window.counted ??= viewer.store.counts.value) !== viewer.store.counts.value && delete window.counted`)
	}
	// No frame waits, and each has its credit.
	b.await(`[...viewer.store.views.value.values()].filter((v) => v.info.kind === 'video').every((v) => {
		const { given, sent, skipped } = viewer.store.counts.value.get(v.info.id)
		return given === sent + skipped && window.credited[v.info.id] === sent
	})`)
	program := eval[struct{ Given, Sent, Skipped int }](b, `viewer.store.counts.value.get($1)`, id)
	got := eval[struct{ Received, Drawn, SkippedServer, SkippedWorker, SkippedRender int }](b, `viewer.store.views.value.get($1).counters`, id)
	if got.Received != program.Sent || got.Received != got.Drawn+got.SkippedWorker+got.SkippedRender {
		t.Errorf("of %d frames sent, the page has received %+v", program.Sent, got)
	}
	if got.SkippedServer != program.Skipped {
		t.Errorf("the program left out %d frames, the page heard of %d", program.Skipped, got.SkippedServer)
	}
	if program.Skipped < 50 {
		t.Errorf("only %d frames were left out in 5 s", program.Skipped)
	}
}
