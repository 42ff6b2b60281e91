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

	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/peer"
)

const (
	rvizConfig  = "launch/camera.rviz"
	cloudConfig = "launch/cloud.rviz"
	kept        = "docs/images/rviz.png"
	rvizScreen  = "1280x800x24" // the window size of the configuration
)

var update = flag.Bool("update", false, "keep the picture of view.launch as "+kept)

// TestRviz shows the simulated camera in rviz, on a virtual screen, and checks screenshots. It doesn't
// run in parallel with other tests: software rendering needs the whole machine.
func TestRviz(t *testing.T) {
	need.Programs(t, "roscore", "rviz", "Xvfb", "import")
	// With the race detector the simulated camera is too slow.
	plain := peer.Released(t)
	bag := filepath.Join(t.TempDir(), "camera.bag")
	profiles := []string{"--depth", "848x480@6", "--color", "1280x720@6", "--infra1", "848x480@6", "--infra2", "off"}
	for _, show := range []showing{
		{"embedded", "camera.png", func(g *graph) *peer.Process {
			g.start(plain, append([]string{"live", "--device", "sim", "--master", "embedded"}, profiles...)...)
			return g.startRviz(rvizConfig)
		}, false},
		{"view.launch", kept, func(g *graph) *peer.Process {
			g.start("roscore", "-p", g.port())
			g.rosPackageOf(plain)
			return g.start("roslaunch", "--wait", "rs_ros_node", "view.launch", "device:=sim",
				"args:="+strings.Join(profiles, " ")+" --record "+bag+" --overwrite")
		}, true},
		{"replayed", "replayed.png", func(g *graph) *peer.Process {
			g.start("roscore", "-p", g.port())
			g.awaitNode("/rosout")
			g.start(plain, "play", "--naming", "wrapper", "--pointcloud", "--loop", "-q", bag)
			return g.startRviz(cloudConfig)
		}, true},
	} {
		t.Run(show.name, func(t *testing.T) {
			for attempt := 1; !show.seen(t, attempt); attempt++ {
				if attempt == rvizAttempts {
					t.Fatalf("rviz crashed %d times", attempt)
				}
			}
		})
	}
}

// rvizAttempts is how often rviz may start for one screenshot. About one time in eight it crashes while
// its window opens: the core files show a corrupt heap in the compiler of the software renderer (LLVM
// in Mesa). If a message of ours were the cause, it would crash each time.
const rvizAttempts = 3

// showing is one way to show a camera in rviz.
type showing struct {
	name, picture string
	start         func(g *graph) *peer.Process // the master, the camera and rviz; ends when rviz does
	cloud         bool                         // whether rviz shows coloured points
}

// seen takes screenshots of rviz until it shows the camera. It returns false if rviz crashed.
func (show showing) seen(t *testing.T, attempt int) (seen bool) {
	t.Run(fmt.Sprint("attempt ", attempt), func(t *testing.T) {
		g := newGraph(t)
		g.env = append(g.env, "LIBGL_ALWAYS_SOFTWARE=1", "DISPLAY="+startScreen(g))
		rviz := show.start(g)
		var picture []byte
		faults := []string{"no picture"}
		t.Cleanup(func() {
			if !seen && !t.Failed() {
				t.Logf("rviz crashed:\n%s", rviz.Output())
			}
			if len(faults) > 0 {
				t.Logf("%s; see %s", strings.Join(faults, "; "), keep(t, os.TempDir(), show.picture, picture))
			}
		})
		// await returns false if rviz crashed.
		await := func(what string, find func() []string) bool {
			peer.Await(t, what, func() bool {
				picture = photograph(g)
				faults = find()
				return len(faults) == 0 || rviz.Ended()
			})
			return len(faults) == 0
		}
		if !await("picture of the camera in rviz", func() []string { return look(t, picture) }) {
			return
		}
		if show.cloud {
			// The camera moves, and rviz is slower. When nothing new arrives, it shows the last
			// messages.
			o := g.onlooker()
			cloud := o.latest(cloudTopic)
			peer.Await(t, "points", func() bool { return cloud() != nil || rviz.Ended() })
			if rviz.Ended() {
				return
			}
			o.call("/pause_playback", "std_srvs/SetBool", []byte{1}, &msgs.Result{})
			if !await("the last points in rviz", func() []string { return compareCloud(t, picture, cloud()) }) {
				return
			}
		}
		if *update && show.picture == kept {
			keep(t, repository(t), show.picture, picture)
		}
		seen = true
	})
	return seen || t.Failed()
}

func (g *graph) startRviz(config string) *peer.Process {
	g.t.Helper()
	return g.start("rviz", "__name:=rviz", "--display-config", filepath.Join(repository(g.t), config))
}

// startScreen starts a virtual X server and returns its display name, such as ":1".
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

func keep(t *testing.T, folder, name string, picture []byte) string {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	need.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	need.Must(t, os.WriteFile(path, picture, 0o644))
	return path
}

// panels are the parts of rviz's window and what each looks like once messages arrive. Before that
// nearly all of it has one shade.
var panels = []struct {
	name     string
	where    image.Rectangle
	plain    float64 // largest part that may have one shade
	coloured bool
}{
	{"the depth image's points", image.Rect(380, 40, 850, 760), 0.8, true},
	{"Color", image.Rect(885, 48, 1275, 264), 0.5, true},
	{"Depth", image.Rect(885, 300, 1275, 515), 0.5, false},
	{"Infrared 1", image.Rect(885, 552, 1275, 766), 0.5, false},
}

// names is where rviz lists its displays: blue if all is well, orange or red if not.
var names = image.Rect(40, 45, 165, 215)

// look says what is wrong with a screenshot of rviz.
func look(t *testing.T, picture []byte) []string {
	t.Helper()
	shot, err := png.Decode(bytes.NewReader(picture))
	need.Must(t, err)
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

// shade is a colour in 32 steps per component.
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
