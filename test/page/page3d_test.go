package page

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/camdriver/sim"
	"rsros/test/need"
	"rsros/tools/export"
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
	dev, err := sim.Open(sim.Options{Seed: 3, StreamMemory: 8 << 20, Noiseless: true})
	need.Must(t, err)
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
		need.Must(t, s.Start(running[i], h))
		f := <-h.frames
		t.Cleanup(f.Release)
		if f.Profile.Format == camdriver.Z16 {
			p.depth = f
		} else {
			p.colour = f
		}
		need.Must(t, s.Stop())
	}
	var set process.Set
	defer set.Release()
	rig := process.NewRig(p.snap)
	set.Add(process.Image{Frame: p.depth.Retain(), Profile: rig.Profile(p.depth.Stream())})
	res := process.NewResources(16<<20, 1)
	defer res.Close()
	cloud := process.NewPointCloud(res, camdriver.StreamID{})
	defer cloud.Reset()
	need.Must(t, cloud.Process(&set))
	xyz, _ := process.Points(set.Images[0])
	p.xyz = slices.Clone(xyz)
	return p
}

// snapshot is the stream of a frame.
func (p *pair) snapshot(f *camdriver.Frame) *camdriver.StreamSnapshot {
	i := slices.IndexFunc(p.snap.Streams, func(s camdriver.StreamSnapshot) bool { return s.Profile.Stream == f.Stream() })
	return &p.snap.Streams[i]
}

// recorded returns a recording of the pair with a notification.
func (p *pair) recorded(t *testing.T) string {
	t.Helper()
	bag := filepath.Join(t.TempDir(), "pair.bag")
	r, err := rsbag.NewRecorder(bag, p.snap, rsbag.RecorderOptions{})
	need.Must(t, err)
	for _, f := range []*camdriver.Frame{p.depth, p.colour} {
		need.Must(t, r.Frame(p.snapshot(f).Sensor, f))
	}
	need.Must(t, errors.Join(r.Notification(0, camdriver.Notification{Description: "too <i>hot"}, p.colour.Arrival), r.Close()))
	return bag
}

// exported returns the PLY file that the export command makes of a recording.
func exported(t *testing.T, bag string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	_, err := export.Run(t.Context(), export.Options{Bag: bag, Dir: out, Points: true, Log: zerolog.Nop()})
	need.Must(t, err)
	files, err := filepath.Glob(filepath.Join(out, "*", "*.ply"))
	if err != nil || len(files) != 1 {
		t.Fatalf("exported %v: %v", files, err)
	}
	ply, err := os.ReadFile(files[0])
	need.Must(t, err)
	return ply
}

// smooth reports whether the pixels around u, v are of one surface.
func (p *pair) smooth(u, v int) bool {
	at := func(u, v int) float64 { return float64(p.xyz[3*(v*p.depth.Width+u)+2]) }
	z := at(u, v)
	for dv := -8; dv <= 8; dv++ {
		for du := -8; du <= 8; du++ {
			if n := at(u+du, v+dv); n == 0 || math.Abs(n-z) > 0.1*z {
				return false
			}
		}
	}
	return z > 0
}

// TestPage3D shows a frame of the simulated camera in 3D and checks that points are where they should
// be, that the pointer finds them, that rulers measure their distances, and that the saved file has the
// points that the export command writes.
func TestPage3D(t *testing.T) {
	pair := takePair(t)
	bag := pair.recorded(t)
	url := startView(t, bag) // ends after the tab, which would report it missing
	page := newTab(t)
	saved := page.saves()
	page.open(url + "#3d")
	page.await("window.scene3d?.depth?.frame && scene3d.picture?.frame && scene3d.drawn > 0")
	page.keys(home + "n")
	page.await(`document.querySelector('.seek [role=status]').textContent.includes('too <i>hot')`)
	page.screenshot("3d_points")

	view := eval[struct{ Left, Top, Width, Height float64 }](page, `(() => {
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
	for _, at := range [][2]int{{210, 205}, {250, 120}, {160, 110}, {260, 60}, {190, 60}, {230, 150}, {150, 150}, {280, 190}, {200, 130}, {220, 90}, {270, 100}} {
		x, y := screen(at[0], at[1])
		const strip, edge = 80, 30 // pixels: what the tools cover, and the edge
		seen := x > view.Left+edge && x < view.Left+view.Width-edge && y > view.Top+strip && y < view.Top+view.Height-edge
		if len(picked) < 3 && seen && pair.smooth(at[0], at[1]) {
			places = append(places, [2]float64{x, y})
			picked = append(picked, [3]float32(pair.xyz[3*(at[1]*pair.depth.Width+at[0]):]))
		}
	}
	if len(picked) < 3 {
		t.Fatal("the scene has no three places to measure at")
	}

	page.move(places[0][0], places[0][1])
	want := fmt.Sprintf("%.3f, %.3f, %.3f meters", picked[0][0], picked[0][1], picked[0][2])
	page.await("document.querySelector('#space-readout').textContent === $1", want)

	page.keys("m")
	page.await("scene3d.space.measuring")
	held := []int{2: shift}
	for i, at := range places {
		page.click(at[0], at[1], held[i])
		page.await("scene3d.space.rulers.rulers[0]?.points.length === $1", i+1)
	}
	got := eval[[][3]float32](page, "scene3d.space.rulers.rulers[0].points")
	if !slices.Equal(got, picked) {
		t.Errorf("points %v, want %v", got, picked)
	}
	page.click(places[0][0], places[0][1], shift) // closes the chain
	page.await("scene3d.space.rulers.rulers[0].closed")
	page.await("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(true))))")
	page.screenshot("3d_measure")
	page.keys("zz")
	page.await("scene3d.space.rulers.rulers[0].points.length === 2")

	page.press("Save points (PLY)")
	comparePLY(t, saved(), exported(t, bag))

	eval[bool](page, `document.querySelector('.strip .segments button:nth-child(3)').click(), scene3d.space.camera.orbit(140, -60), true`)
	page.await("scene3d.shading === 'lit'")
	page.await("new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(true))))")
	page.screenshot("3d_lit")
}

// comparePLY checks that both files have the same vertices.
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
