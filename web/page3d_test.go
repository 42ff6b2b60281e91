package web

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore/export"
	"rsros/bagstore/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/camdriver/sim"
	"rsros/test/browser"
)

// pair is a depth frame and a colour frame of the simulated camera.
type pair struct {
	snap          camdriver.DeviceSnapshot
	depth, colour *camdriver.Frame
	xyz           []float32 // of depth
}

// firstFrames keeps the first frame of each stream.
type firstFrames struct {
	camdriver.NopHandler
	frames chan *camdriver.Frame
}

func (f *firstFrames) Frame(_ int, frame *camdriver.Frame) {
	select {
	case f.frames <- frame.Retain():
	default:
	}
}

// takePair runs the simulated camera until it has raised both.
func takePair(t *testing.T) pair {
	t.Helper()
	dev, err := sim.Open(sim.Options{Seed: 3, StreamMemory: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	var p pair
	running := make([][]camdriver.Profile, len(dev.Sensors()))
	for i, s := range dev.Sensors() {
		for _, q := range s.Profiles() {
			if q.Width == 424 && q.Height == 240 && q.FPS == 30 && (q.Format == camdriver.Z16 || q.Format == camdriver.RGB8) {
				running[i] = []camdriver.Profile{q}
			}
		}
	}
	p.snap = camdriver.Snapshot(dev, running)
	for i, s := range dev.Sensors() {
		if len(running[i]) == 0 {
			continue
		}
		h := &firstFrames{frames: make(chan *camdriver.Frame, 1)}
		if err := s.Start(running[i], h); err != nil {
			t.Fatal(err)
		}
		f := <-h.frames
		t.Cleanup(f.Release)
		if f.Profile.Format == camdriver.Z16 {
			p.depth = f
		} else {
			p.colour = f
		}
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	var set process.Set
	defer set.Release()
	rig := process.NewRig(p.snap)
	set.Add(process.Image{Frame: p.depth.Retain(), Profile: rig.Profile(p.depth.Stream())})
	res := process.NewResources(16<<20, 1)
	defer res.Close()
	cloud := process.NewPointCloud(res, camdriver.StreamID{})
	defer cloud.Reset()
	if err := cloud.Process(&set); err != nil {
		t.Fatal(err)
	}
	xyz, _ := process.Points(set.Images[0])
	p.xyz = slices.Clone(xyz)
	return p
}

// streams are the pair as the page gets it.
func (p *pair) streams(t *testing.T) []given {
	t.Helper()
	out := make([]given, 2)
	for i, f := range []*camdriver.Frame{p.depth, p.colour} {
		var own, other *camdriver.StreamSnapshot
		for j := range p.snap.Streams {
			if s := &p.snap.Streams[j]; s.Profile.Stream == f.Stream() {
				own = s
			} else {
				other = s
			}
		}
		e := own.Extrinsic.Inverse().Then(*other.Extrinsic)
		out[i] = given{
			info: map[string]any{
				"kind": "video", "name": f.Stream().String(), "sensor": own.Sensor, "format": f.Profile.Format.String(),
				"width": f.Width, "height": f.Height, "fps": f.Profile.FPS, "intrinsics": intrinsicsJSON(*own.Video), "depthUnits": f.DepthUnits,
				"extrinsics": map[string]any{fmt.Sprint(1 - i): map[string]any{"rotation": columns(e.Rotation), "translation": e.Translation}},
			},
			kind: kindVideo, codec: codecRaw, width: f.Width, height: f.Height, stride: f.Stride, body: f.Data,
		}
	}
	return out
}

// exported is the PLY file that the export command makes of a recording of the pair.
func (p *pair) exported(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	bag := filepath.Join(dir, "pair.bag")
	r, err := rsbag.NewRecorder(bag, p.snap, rsbag.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*camdriver.Frame{p.depth, p.colour} {
		for _, s := range p.snap.Streams {
			if s.Profile.Stream == f.Stream() {
				if err := r.Frame(s.Sensor, f); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if err := export.Run(t.Context(), export.Options{Bag: bag, Dir: out, Points: true, Log: zerolog.Nop()}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(out, "*", "*.ply"))
	if err != nil || len(files) != 1 {
		t.Fatalf("exported %v: %v", files, err)
	}
	ply, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return ply
}

// smooth says whether the pixels around u, v are of one surface.
func (p *pair) smooth(u, v int) bool {
	at := func(u, v int) float64 { return float64(p.xyz[3*(v*p.depth.Width+u)+2]) }
	z := at(u, v)
	for dv := -8; dv <= 8; dv++ {
		for du := -8; du <= 8; du++ {
			if n := at(u+du, v+dv); n == 0 || math.Abs(n-z) > 0.15*z {
				return false
			}
		}
	}
	return z > 0
}

// TestPage3D: the page shows a frame of the simulated camera in 3D; points are where
// they should be, the pointer finds them, rulers measure their distances, and the
// file that is saved has the points that the export command writes.
func TestPage3D(t *testing.T) {
	pair := takePair(t)
	page := browser.Open(t, 1200, 760)
	downloads := page.Downloads()
	page.Navigate(servePage(t, "Simulated camera", pair.streams(t)) + "/#3d")
	page.Await("both pictures in 3D", "window.scene3d?.depth?.frame && scene3d.picture?.frame && scene3d.drawn > 0")
	page.Screenshot("3d_points")

	view := browser.Eval[struct{ Left, Top, Width, Height float64 }](page, `(() => {
		const r = document.querySelector('.space').getBoundingClientRect()
		return { Left: r.left, Top: r.top, Width: r.width, Height: r.height }
	})()`)
	screen := func(u, v int) (x, y float64) {
		at := pair.xyz[3*(v*pair.depth.Width+u):][:3]
		f := 1 / math.Tan(math.Pi/8)
		z := float64(at[2]) + 1
		x = view.Left + (f*view.Height/view.Width*float64(at[0])/z+1)/2*view.Width
		y = view.Top + (f*float64(at[1])/z+1)/2*view.Height
		return x, y
	}
	var picked [][3]float32
	var places [][2]float64
	for _, at := range [][2]int{{120, 150}, {310, 70}, {250, 60}, {200, 90}, {330, 120}, {90, 80}, {280, 100}, {170, 60}} {
		if len(picked) < 3 && pair.smooth(at[0], at[1]) {
			x, y := screen(at[0], at[1])
			places = append(places, [2]float64{x, y})
			picked = append(picked, [3]float32(pair.xyz[3*(at[1]*pair.depth.Width+at[0]):]))
		}
	}
	if len(picked) < 3 {
		t.Fatal("the scene has no three places to measure at")
	}

	page.Move(places[0][0], places[0][1])
	want := fmt.Sprintf("%.3f, %.3f, %.3f meters", picked[0][0], picked[0][1], picked[0][2])
	page.Await("the readout "+want, fmt.Sprintf("document.querySelector('#space-readout').textContent === %q", want))

	page.Keys("m")
	page.Await("measuring", "scene3d.space.measuring")
	for i, at := range places {
		page.Click(at[0], at[1], i == 2)
		page.Await("a point", fmt.Sprintf("scene3d.space.rulers.rulers[0]?.points.length === %d", i+1))
	}
	got := browser.Eval[[][3]float32](page, "scene3d.space.rulers.rulers[0].points")
	if !slices.Equal(got, picked) {
		t.Errorf("points %v, want %v", got, picked)
	}
	page.Click(places[0][0], places[0][1], true) // closes the chain
	page.Await("an area", "scene3d.space.rulers.rulers[0].closed")
	page.Await("it to be drawn", "new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(true))))")
	page.Screenshot("3d_measure")
	page.Keys("zz")
	page.Await("two points after undo", "scene3d.space.rulers.rulers[0].points.length === 2")

	page.Press("Save points (PLY)")
	saved := downloads.Await(t)
	comparePLY(t, saved, pair.exported(t))

	browser.Eval[bool](page, `document.querySelector('.strip .segments button:nth-child(3)').click(), scene3d.space.camera.orbit(140, -60), true`)
	page.Await("a lit mesh", "scene3d.shading === 'lit'")
	page.Await("it to be drawn", "new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(true))))")
	page.Screenshot("3d_lit")
}

// comparePLY wants the same vertices in both files.
func comparePLY(t *testing.T, got, want []byte) {
	t.Helper()
	gotHead, gotPoints, _ := bytes.Cut(got, []byte("end_header\n"))
	wantHead, wantPoints, _ := bytes.Cut(want, []byte("end_header\n"))
	if !bytes.Equal(gotHead, wantHead) {
		t.Errorf("head\n%s\nwant\n%s", gotHead, wantHead)
	}
	if bytes.Equal(gotPoints, wantPoints) {
		return
	}
	const vertex = 15
	for i := range len(wantPoints) / vertex {
		if at := i * vertex; at+vertex > len(gotPoints) || !bytes.Equal(gotPoints[at:at+vertex], wantPoints[at:at+vertex]) {
			t.Fatalf("point %d of %d is % x, want % x", i, len(wantPoints)/vertex, gotPoints[at:min(at+vertex, len(gotPoints))], wantPoints[at:at+vertex])
		}
	}
	t.Errorf("%d bytes of points, want %d", len(gotPoints), len(wantPoints))
}
