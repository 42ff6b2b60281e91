package page

import (
	"strings"
	"testing"

	"rsros/test/samplebag"
)

// TestRobot shows the program's page with a recording of a robot without a RealSense: its image,
// points, transforms and a message whose type only the bag defines, at a time that was sought.
func TestRobot(t *testing.T) {
	url := startView(t, samplebag.Robot(t, "robot.bag")) // ends after the tab, which would report it missing
	b := newTab(t)
	b.open(url)
	b.await(`window.viewer && viewer.store.source.value?.kind === 'file'`)
	if eval[bool](b, `!!document.querySelector('.record')`) {
		t.Error("there is a button to record what can't be recorded")
	}
	eval[bool](b, `viewer.link.request('pause').then(a => a.ok)`)
	const set = 7
	eval[bool](b, `viewer.link.request('seek', { time: String(1700000000000000000n + 750000000n) }).then(a => a.ok)`)
	tile := `[...document.querySelectorAll('figure')].find((f) => f.getAttribute('aria-label') === $1)`
	leaves := `[...` + tile + `?.querySelectorAll('.tree .leaf') ?? []].map((e) => e.querySelector('.name').textContent + '=' + e.querySelector('.value').textContent).join(';')`
	b.await(leaves+`.includes('state="set 7"')`, "/battery")
	text := eval[string](b, leaves, "/battery")
	if want := `voltage=22.25;cells=[3700, 3701, `; len(text) < len(want) || text[:len(want)] != want {
		t.Errorf("the battery's tree is %s", text)
	}
	b.await(leaves+` === 'data="here be dragons"'`, "/map")
	b.await(tile+`?.querySelector('.space-readout')?.textContent.startsWith('360 points of 360 × 1')`, "/lidar")
	b.await(tile+`?.querySelector('.space-readout')?.textContent === $2`, "/scan", "360 of 360 ranges, up to 3.58 m")
	frames := tile + `?.querySelector('tbody')?.innerText.replace(/[\t\n]+/g, '|')`
	b.await(frames+` === $2`, "/tf", "map|└ robot|7.000, 0.000, 0.000|0.0° 0.0° 0.0°")
	b.await(`['base', 'camera', 'laser'].every((f) => `+frames+`?.includes(f))`, "/tf_static")

	image := `[...viewer.store.views.value.values()].find((v) => v.info.name === '/camera/image')`
	texture := `viewer.stage.value.textures.get(` + image + `)`
	b.await(image + `?.frame?.head.time === 1700000000700000000n && ` + texture)
	for _, at := range [][2]int{{0, 0}, {10, 20}, {samplebag.RobotWidth - 1, samplebag.RobotHeight - 1}} {
		got := eval[[3]byte](b, `Array.from(viewer.stage.value.textures.pixel(`+texture+`, $1, $2)).slice(0, 3)`, at[0], at[1])
		if want := samplebag.RobotPixel(set, at[0], at[1]); got != want {
			t.Errorf("pixel %v is %v, want %v", at, got, want)
		}
	}
	b.keys(",")
	b.await(leaves+`.includes('state="set 6"')`, "/battery")
	b.keys(".")
	b.await(leaves+`.includes('state="set 7"')`, "/battery")
	b.screenshot("view-robot")
	b.keys(" ")
	b.await(`viewer.store.state.value.ended`)

	// A page that is opened later shows where the recording ended.
	b.open(url)
	b.await(`(`+leaves+`) === 'data="here be dragons"'`, "/map")
	if at := eval[string](b, `document.querySelector('button.position').innerText`); !strings.HasPrefix(at, "0:00:01.900 / 0:00:01.900") {
		t.Errorf("the position is %q", at)
	}
}
