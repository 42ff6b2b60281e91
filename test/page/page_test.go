package page

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"rsros/camdriver"
	"rsros/camdriver/sim"
)

// small are the profiles of the simulated camera that software can draw.
func small() []camdriver.Profile {
	return []camdriver.Profile{
		{Stream: camdriver.StreamID{Kind: camdriver.Depth}, Format: camdriver.Z16, Width: 424, Height: 240, FPS: 30},
		{Stream: camdriver.StreamID{Kind: camdriver.Infrared, Index: 1}, Format: camdriver.Y8, Width: 424, Height: 240, FPS: 30},
		{Stream: camdriver.StreamID{Kind: camdriver.Color}, Format: camdriver.RGB8, Width: 424, Height: 240, FPS: 30},
		{Stream: camdriver.StreamID{Kind: camdriver.Gyro}, Format: camdriver.MotionXYZ32F, FPS: 200},
		{Stream: camdriver.StreamID{Kind: camdriver.Accel}, Format: camdriver.MotionXYZ32F, FPS: 250},
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

// TestDepthIsExact reads depth back from the texture and compares it with what the
// camera gave for that frame number, raw and packed.
func TestDepthIsExact(t *testing.T) {
	b, _, c := openCamera(t)
	id := c.ids[camdriver.StreamID{Kind: camdriver.Depth}]
	for _, wire := range []string{"raw", "packed"} {
		eval[bool](b, fmt.Sprintf(`(localStorage.setItem('rs-ros.view.wire', '"%s"'), location.reload(), true)`, wire))
		b.await(`document.readyState === 'complete' && window.viewer && viewer.store.connected.value`)
		b.await(drawn(id, 3))
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
				t.Errorf("%s: frame %d has hash %d in the texture, %d in the camera", wire, number, hash, want)
			}
		}
	}
	b.await(`viewer.store.figures.value.fps !== null`)
	b.picture("live")
}

// TestPlayback uses the bar and the keys on a recording of librealsense.
func TestPlayback(t *testing.T) {
	b := newTab(t)
	p, r := startRecording(t, "../data/librealsense/sw_small_raw.bag")
	b.do(chromedp.Navigate(p.url))
	b.await(`window.viewer && viewer.store.connected.value`)
	id := r.ids[camdriver.StreamID{Kind: camdriver.Depth}]
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
	b.do(chromedp.KeyEvent(" "))
	b.await(`viewer.store.state.value.playing`)
	b.do(chromedp.KeyEvent(" "), chromedp.KeyEvent("+"), chromedp.KeyEvent("l"), chromedp.KeyEvent("o"))
	b.await(`!viewer.store.state.value.playing && viewer.store.state.value.rate === 1.5 && viewer.store.state.value.loop && viewer.store.state.value.range`)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.ContainsFunc(p.requests, func(o object) bool { return o["op"] == "range" }) {
		t.Error("the page asked for no range")
	}
	b.picture("playback")
}
