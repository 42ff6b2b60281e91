package page

import (
	"fmt"
	"math"
	"testing"

	"rsros/camdriver"
)

// Size of the canvas that scenes are drawn on.
const sceneWidth, sceneHeight = 424, 240

// sceneInPage makes a scene without the page around it. draw draws it, and returns the colours at
// places.
const sceneInPage = `(() => {
	const canvas = document.createElement('canvas'), above = document.createElement('canvas')
	canvas.width = 424
	canvas.height = 240
	canvas.style.cssText = 'width: 424px; height: 240px'
	document.body.append(canvas)
	const gl = canvas.getContext('webgl2', { preserveDrawingBuffer: true })
	const stage = { gl, canvas, textures: new m.textures.Textures(gl), look: { map: 2, equalise: false, min: 0, max: 10 }, redraw() {} }
	const scene = new m.scene.CloudScene(above, { changed() {} })
	scene.furniture = false
	scene.open(stage)
	const view = (info, picture) => {
		const v = new m.streams.StreamView(info, () => {})
		v.frame = { head: { number: 1 }, picture }
		stage.textures.upload(v, picture)
		return v
	}
	const draw = () => {
		scene.draw(stage)
		const all = new Uint8Array(4 * canvas.width * canvas.height)
		gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, all)
		if (gl.getError() !== gl.NO_ERROR) throw new Error('WebGL reports an error')
		return (x, y) => Array.from(all.subarray(4 * ((canvas.height - 1 - y) * canvas.width + x), 4 * ((canvas.height - 1 - y) * canvas.width + x) + 3))
	}
	globalThis.three = { canvas, gl, stage, scene, view, draw }
	return true
})()`

// seenAt returns where a camera a metre behind the depth camera sees a point, in pixels of the canvas:
// the textbook projection, for a view of 45 degrees.
func seenAt(x, y, z float64) (int, int) {
	f := 1 / math.Tan(math.Pi/8)
	const aspect = float64(sceneWidth) / sceneHeight
	u, v := f/aspect*x/(z+1), f*y/(z+1)
	return int(math.Floor((u + 1) / 2 * sceneWidth)), int(math.Floor((v + 1) / 2 * sceneHeight))
}

// TestScene draws clouds and checks the pixels.
func TestScene(t *testing.T) {
	p := openModules(t)
	eval[bool](p.tab, sceneInPage)
	for i, k := range lensCases(t) {
		t.Run(fmt.Sprintf("%s/%d", k.Depth.Model, i%2), func(t *testing.T) { testScenePoints(t, p.in(t), k) })
	}
	t.Run("mesh", func(t *testing.T) { testSceneMesh(t, p.in(t)) })
}

// testScenePoints checks that each of some points is drawn in its place, in the colour of the image's
// pixel where the program's own code sees it.
func testScenePoints(t *testing.T, p *modules, k lensCase) {
	keep := map[int]bool{}
	for _, at := range [][2]int{{3, 3}, {9, 2}, {20, 4}, {5, 10}, {12, 8}, {19, 12}, {11, 14}} {
		keep[at[1]*k.Depth.Width+at[0]] = true
	}
	for i := range k.Data {
		if !keep[i] {
			k.Data[i] = 0
		} else if k.Data[i] == 0 {
			k.Data[i] = 2000
		}
	}
	k.process(t)
	pixels := make([]int, 0, 3*k.Picture.Width*k.Picture.Height)
	for y := range k.Picture.Height {
		for x := range k.Picture.Width {
			pixels = append(pixels, 6*x, 8*y, 128)
		}
	}
	type place struct{ X, Y int }
	var places []place
	var want [][3]int
	for i := range keep {
		x, y, z := float64(k.xyz[3*i]), float64(k.xyz[3*i+1]), float64(k.xyz[3*i+2])
		sx, sy := seenAt(x, y, z)
		// Pixels that rounding may move prove nothing.
		u, v := float64(k.uv[2*i])*float64(k.Picture.Width), float64(k.uv[2*i+1])*float64(k.Picture.Height)
		if math.Abs(u-math.Round(u)) > 0.49 || math.Abs(v-math.Round(v)) > 0.49 {
			continue
		}
		c := [3]int{92, 97, 105} // outside the image
		if u, v := int(math.Round(u)), int(math.Round(v)); u >= 0 && v >= 0 && u < k.Picture.Width && v < k.Picture.Height {
			c = [3]int{6 * u, 8 * v, 128}
		}
		places, want = append(places, place{sx, sy}), append(want, c)
	}
	input := mustJSON(t, map[string]any{
		"depth": map[string]any{
			"id": 0, "format": "Z16", "kind": "video", "intrinsics": intrinsicsJSON(k.Depth), "depthUnits": k.Units,
			"extrinsics": map[string]any{"1": map[string]any{"rotation": columns(k.Extrinsics.Rotation), "translation": k.Extrinsics.Translation}},
		},
		"picture": map[string]any{"id": 1, "format": "RGB8", "kind": "video", "intrinsics": intrinsicsJSON(k.Picture)},
		"data":    k.Data, "pixels": pixels, "places": places,
	})
	got := eval[[][3]int](p.tab, `(() => {
		const i = `+input+`
		const { scene, view, draw } = three
		const size = (v) => ({ width: v.intrinsics.width, height: v.intrinsics.height })
		scene.depth = view(i.depth, { layout: 'depth', ...size(i.depth), pixels: Uint16Array.from(i.data) })
		scene.picture = view(i.picture, { layout: 'rgb8', ...size(i.picture), pixels: Uint8Array.from(i.pixels) })
		scene.shading = 'points'
		const at = draw()
		return i.places.map((p) => at(p.X, p.Y))
	})()`)
	if len(places) < 4 {
		t.Fatalf("only %d of %d points can be compared", len(places), len(keep))
	}
	for j := range got {
		for c := range got[j] {
			if d := got[j][c] - want[j][c]; d < -2 || d > 2 {
				t.Errorf("at %v: colour %v, want %v", places[j], got[j], want[j])
				break
			}
		}
	}
}

// testSceneMesh checks that a wall is drawn without holes and in the colour of its depth, with nothing
// drawn across the edge to the surface behind it.
func testSceneMesh(t *testing.T, p *modules) {
	in := camdriver.Intrinsics{Width: 24, Height: 16, Fx: 24, Fy: 24, Ppx: 11.5, Ppy: 7.5}
	data := make([]uint16, in.Width*in.Height)
	for i := range data {
		data[i] = 1000
		if i%in.Width >= 12 {
			data[i] = 3000
		}
	}
	info := mustJSON(t, map[string]any{"id": 0, "format": "Z16", "kind": "video", "intrinsics": intrinsicsJSON(in), "depthUnits": 0.001})
	nearX, nearY := seenAt(-0.25, 0.1, 1)
	farX, farY := seenAt(0.9, 0.1, 3)
	// Between the last near column and the first far one there is no surface.
	edge := (float64(11) - in.Ppx) / in.Fx
	gapX, gapY := seenAt(edge*1+0.02, 0, 1)
	got := eval[[][3]int](p.tab, fmt.Sprintf(`(() => {
		const { scene, view, draw } = three
		scene.picture = null
		scene.depth = view(%s, { layout: 'depth', width: 24, height: 16, pixels: Uint16Array.from(%s) })
		scene.shading = 'mesh'
		const at = draw()
		return [at(%d, %d), at(%d, %d), at(%d, %d)]
	})()`, info, mustJSON(t, data), nearX, nearY, farX, farY, gapX, gapY))
	for i, want := range []int{229, 178} { // white to black over 10 m
		if d := got[i][0] - want; d < -3 || d > 3 || got[i][0] != got[i][2] {
			t.Errorf("wall %d has colour %v, want grey %d", i, got[i], want)
		}
	}
	if got[2][0] > 40 {
		t.Errorf("a surface of colour %v across the edge", got[2])
	}
}
