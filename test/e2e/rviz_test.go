package e2e

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/need"
	"rsros/test/peer"
)

const (
	rvizConfig  = "launch/camera.rviz"
	rvizScreen  = "1280x800x24" // what the configuration is laid out for
	rvizPicture = "docs/images/rviz.png"
)

var update = flag.Bool("update", false, "keep the picture of rviz as "+rvizPicture)

// TestRviz shows the simulated camera in rviz, on a screen in memory, and looks at a picture of it.
// It doesn't run in parallel with other tests: drawing without a graphics card needs the whole machine.
func TestRviz(t *testing.T) {
	need.Programs(t, "roscore", "rviz", "Xvfb", "import")
	// The race detector makes the simulated camera too slow to look at.
	plain := filepath.Join(t.TempDir(), "rs-ros-node")
	if out, err := exec.Command("go", "build", "-o", plain, "rsros/cmd/rs-ros-node").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, master := range []string{"ros", "embedded"} {
		t.Run(master, func(t *testing.T) {
			g := newGraph(t)
			g.env = append(g.env, "LIBGL_ALWAYS_SOFTWARE=1", "DISPLAY="+startScreen(g))
			if master == "ros" {
				g.start("roscore", "-p", g.port())
			}
			g.start(plain, "live", "--device", "sim", "--master", master)
			g.awaitNode("/rs_ros_node")
			g.start("rviz", "__name:=rviz", "--display-config", filepath.Join(repository(t), rvizConfig))
			g.awaitNode("/rviz")

			var picture []byte
			faults := []string{"no picture"}
			t.Cleanup(func() {
				if len(faults) > 0 {
					t.Logf("%s; see %s", strings.Join(faults, "; "), keep(t, os.TempDir(), picture))
				}
			})
			peer.Await(t, "picture of the camera in rviz", func() bool {
				picture = photograph(g)
				faults = look(t, picture)
				return len(faults) == 0
			})
			if *update {
				keep(t, repository(t), picture)
			}
		})
	}
}

// startScreen starts an X server without a screen and returns its name, such as ":1".
func startScreen(g *graph) string {
	server := g.start("Xvfb", "-displayfd", "1", "-screen", "0", rvizScreen, "-nolisten", "tcp")
	server.Await("its number", func(stdout string) bool { return strings.HasSuffix(stdout, "\n") })
	return ":" + strings.TrimSpace(server.Stdout())
}

func photograph(g *graph) []byte {
	g.t.Helper()
	shoot := exec.Command("import", "-window", "root", "png:-")
	shoot.Env = g.env
	picture, err := shoot.Output()
	if err != nil {
		g.t.Fatalf("%v: %v", shoot, err)
	}
	return picture
}

func keep(t *testing.T, folder string, picture []byte) string {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(rvizPicture))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// panels are the parts of rviz's window and how each looks once messages arrive. Before that nearly
// all of it is of one shade.
var panels = []struct {
	name     string
	where    image.Rectangle
	plain    float64 // how much of it may be of one shade at the most
	coloured bool
}{
	{"the depth image's points", image.Rect(380, 40, 850, 760), 0.8, true},
	{"Color", image.Rect(885, 48, 1275, 264), 0.5, true},
	{"Depth", image.Rect(885, 300, 1275, 515), 0.5, false},
	{"Infrared 1", image.Rect(885, 552, 1275, 766), 0.5, false},
}

// names is where rviz lists what it displays: blue if all is well, orange or red if not.
var names = image.Rect(40, 45, 165, 215)

// look says what is wrong with a picture of rviz.
func look(t *testing.T, picture []byte) []string {
	t.Helper()
	shot, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	var faults []string
	for _, p := range panels {
		shades := map[shade]int{}
		commonest, coloured := 0, 0
		for s := range shadesOf(shot, p.where) {
			shades[s]++
			commonest = max(commonest, shades[s])
			if max(s.r, s.g, s.b)-min(s.r, s.g, s.b) > 2 {
				coloured++
			}
		}
		area := float64(p.where.Dx() * p.where.Dy())
		if plain := float64(commonest) / area; plain > p.plain {
			faults = append(faults, fmt.Sprintf("%s: plain to %.0f %%", p.name, 100*plain))
		}
		if (float64(coloured) > area/50) != p.coloured {
			faults = append(faults, fmt.Sprintf("%s: %d coloured pixels", p.name, coloured))
		}
	}
	for s := range shadesOf(shot, names) {
		if s.r > 2*s.b+8 {
			return append(faults, "rviz shows a warning or an error")
		}
	}
	return faults
}

// shade is a colour in 32 steps of each part.
type shade struct{ r, g, b int }

func shadesOf(shot image.Image, where image.Rectangle) func(yield func(shade) bool) {
	return func(yield func(shade) bool) {
		for y := where.Min.Y; y < where.Max.Y; y++ {
			for x := where.Min.X; x < where.Max.X; x++ {
				r, g, b, _ := shot.At(x, y).RGBA()
				if !yield(shade{int(r >> 11), int(g >> 11), int(b >> 11)}) {
					return
				}
			}
		}
	}
}
