package page

import (
	"fmt"
	"path/filepath"
	"testing"

	"rsros/test/need"
	"rsros/test/rig"
	"rsros/test/samplebag"
)

// groups is true if each tile is below its camera's name and in its area, and no two areas overlap. Tiles are called by
// camera and stream.
const groups = `(() => {
	const titles = [...document.querySelectorAll('.camera-title')].map((e) => ({ name: e.querySelector('h2').textContent, box: e.getBoundingClientRect() }))
	const tiles = [...document.querySelectorAll('.tile')].map((e) => ({ name: e.getAttribute('aria-label'), box: e.getBoundingClientRect() }))
	const within = (t) => titles.filter(({ box }) => t.box.left >= box.left - 1 && t.box.right <= box.right + 1 && t.box.top >= box.bottom)
	return titles.map((t) => t.name).join() === $1 && tiles.length === $2 && tiles.every((t) => {
		const above = within(t).sort((a, b) => b.box.top - a.box.top)[0]
		return above && t.name.startsWith(above.name + ' ')
	})
})()`

// TestCameras shows the cameras of a recording in groups, with one seek bar, and those of a node, each with its options and
// its recording.
func TestCameras(t *testing.T) {
	dir := t.TempDir()
	recorded := startView(t, samplebag.Cameras(t, "front/color.raw", "front/depth.raw", "robot1/wrist/color.raw", "robot1/wrist/depth.raw",
		"front/depth.tf", "robot1/wrist/depth.tf"))
	_, live := startNode(t, rig.Master(t).URI(), "live", "--record-path", dir, "--device", "sim:1", "--camera", "front", "--device", "sim:2", "--camera", "rear", "--naming", "wrapper",
		"--depth", "424x240@6", "--color", "424x240@6", "--infra1", "off", "--infra2", "off", "--gyro", "off", "--accel", "off")
	b := newTab(t)
	b.open(recorded)
	b.await(`window.viewer && viewer.store.views.value.size === 4`)
	b.await(groups, "front,robot1/wrist", 4)
	eval[bool](b, `viewer.link.request('pause').then(() => viewer.link.request('seek', { time: '450000000' })).then((a) => a.ok)`)
	b.await(`[...viewer.store.views.value.values()].every((v) => v.frame?.head.time === 400001000n) && document.querySelectorAll('.seek').length === 1`)
	b.screenshot("cameras-recorded")
	eval[bool](b, `document.querySelector('.tile[aria-label="front Depth"] [aria-label="Switch off"]').click() ?? true`)
	b.await(groups, "front,robot1/wrist", 3)
	// In 3D each has its own colour, and the place that tf gives it.
	at := func(camera string, x float64) {
		t.Helper()
		b.await(`(() => {
			const { depth, others: [other, ...more], tint } = window.scene3d ?? { others: [] }
			return depth?.info.camera === $1 && more.length === 0 && String(tint) !== String(other.tint) && Math.abs(other.place.translation[0] - $2) < 1e-9 && other.depth.frame !== null
		})()`, camera, x)
	}
	b.keys("3")
	at("front", 0.2)
	b.screenshot("cameras-3d")
	b.choose(`.strip select`, fmt.Sprint(eval[int](b, `[...viewer.store.views.value.values()].find((v) => v.key === 'robot1/wrist/Depth_0').info.id`)))
	at("robot1/wrist", -0.2)
	b.keys("2")

	b.open(live)
	b.await(`window.viewer && viewer.store.views.value.size === 4 && [...viewer.store.views.value.values()].every((v) => v.counters.drawn > 0)`)
	b.await(groups, "front,rear", 4)
	b.await(`['front', 'rear'].every((c) => [...document.querySelectorAll('.option')].some((o) => o.closest('fieldset').querySelector('legend b').textContent.trim() === c))`)
	b.press("Record rear")
	b.await(`viewer.store.record.value.cameras.map((c) => c.on).join() === 'false,true' && viewer.store.record.value.bytes > 0`)
	b.await(`[...document.querySelectorAll('.tile:has(.rec)')].map((e) => e.getAttribute('aria-label')).sort().join() === 'rear Color,rear Depth'`)
	b.screenshot("cameras-live")
	b.press("Stop rear")
	b.await(`!viewer.store.record.value.on`)
	made, err := filepath.Glob(filepath.Join(dir, "rear_*.bag"))
	need.Must(t, err)
	if len(made) != 1 {
		t.Fatalf("recordings %v", made)
	}
	rig.CheckTake(t, made[0])
	b.resize(390, 800) // one tile at a time, below the name of its camera
	b.await(groups, "front", 1)
	b.screenshot("cameras-narrow")
}
