package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
)

const (
	depthTopic = "/camera/depth/image_rect_raw"
	colorTopic = "/camera/color/image_raw"
)

func recordingOfCamera(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../data/librealsense/sw_small_lz4.bag") // 2 s at 30 Hz
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWrapperNaming checks that an SDK bag played as realsense2_camera's topics obeys every control
// that other bags obey.
func TestWrapperNaming(t *testing.T) {
	program := peer.Program(t)
	g := newJudge(t)
	r := g.record([]string{depthTopic, colorTopic})
	p := g.start(program, "play", recordingOfCamera(t), "--naming", "wrapper", "--clock", "--pause", "--start", "0.5", "--duration", "1",
		"--loop-range", "0:0.5", "--limit", colorTopic+"=10", "-x", ".*infra.*", "__name:=player", depthTopic+":=/depth")
	moved := g.record([]string{"/depth"})
	peer.AwaitService(t, g.node, "/player/step")
	peer.Await(t, "playback to begin", func() bool { return strings.Contains(g.status(), "paused") })
	peer.Await(t, "a frame set", func() bool {
		g.trigger("/player/step_frame_set")
		return moved.count("/depth") > 0 && r.count(colorTopic) > 0
	})
	if r.count(depthTopic) > 0 {
		t.Error("the remap was ignored")
	}
	if out := g.run("rostopic", "list"); strings.Contains(out, "infra") || !strings.Contains(out, "/camera/color/camera_info") {
		t.Errorf("rostopic list:\n%s", out)
	}
	if said := g.setBool("/player/pause_playback", false); said != "true Playback is now resumed" {
		t.Error(said)
	}
	peer.Await(t, "three rounds of half a second", func() bool { return moved.count("/depth") > 3*15 })
	g.trigger("/player/stop")
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	r.close()
	moved.close()
	if depth, color := moved.count("/depth"), r.count(colorTopic); color > depth/2 {
		t.Errorf("limited to a third, colour has %d images, depth %d", color, depth)
	}
	for _, at := range r.clock {
		if span := at.Sub(r.clock[0]); span < 0 || span > 500*time.Millisecond {
			t.Errorf("the clock is %v off the loop's start", span)
		}
	}
}

// TestWrapperStamps checks that the clock matches the stamps; with --restamp they are current.
func TestWrapperStamps(t *testing.T) {
	program := peer.Program(t)
	for name, args := range map[string][]string{"clock": {"--clock"}, "restamp": {"--restamp"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newJudge(t)
			clock := g.record(nil)
			stamps := make(chan bagstore.Time, 100)
			_, err := g.node.Subscribe(ros.SubscriberOptions{Topic: colorTopic}, func(m ros.Received) {
				var head msgs.ImageHead
				head.Decode(msgs.NewDecoder(m.Data))
				stamps <- bagstore.Time(head.Header.Stamp)
			})
			if err != nil {
				t.Fatal(err)
			}
			args := append([]string{"play", recordingOfCamera(t), "--naming", "wrapper", "--wait-for-subscribers", "--topics", colorTopic}, args...)
			if code := g.start(program, args...).Wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			clock.close()
			first := <-stamps
			switch {
			case name == "restamp":
				if age := bagstore.TimeOf(time.Now()).Sub(first); age < 0 || age > peer.Patience {
					t.Errorf("stamped %v ago", age)
				}
			case len(clock.clock) == 0 || first.Sub(clock.clock[0]).Abs() > 100*time.Millisecond:
				t.Errorf("the first image is stamped %d, the clock begins with %d", first, clock.clock[:min(1, len(clock.clock))])
			}
		})
	}
}

// TestPlayComputes checks that a stock subscriber gets all points and aligned depth of a recording,
// with matching stamps, that their filters have options, and that the image transports deliver.
func TestPlayComputes(t *testing.T) {
	program := peer.Program(t)
	need.Programs(t, "roscore", "rostopic", "rosservice")
	script, err := filepath.Abs("testdata/cloud_judge.py")
	if err != nil {
		t.Fatal(err)
	}
	bag, err := filepath.Abs("../../camdriver/process/testdata/unpleasant.bag") // 16 sets
	if err != nil {
		t.Fatal(err)
	}
	g := newGraph(t)
	masters["roscore"](g)
	g.awaitNode("/rosout")
	judge := g.start(need.Python(t, "rospy"), script, "16")
	aligned, colour, points := "/camera/aligned_depth_to_color/image_raw", colorTopic, "/camera/depth/color/points"
	compressed := g.start("rostopic", "echo", "--noarr", "-n", "16", aligned+"/compressedDepth")
	play := g.start(program, "play", bag, "--naming", "wrapper", "--align-depth", "--pointcloud", "--ordered-cloud", "--filters", "spatial,temporal",
		"-i", "--pause", "--topics", aligned, colour, points, "__name:=player")
	g.awaitAudience(1, aligned+"/compressedDepth", points, colour, aligned)
	g.wantContains([]string{"filter_smooth_alpha"}, "rostopic", "echo", "-n", "1", "/camera/temporal/parameter_descriptions")
	g.resume("/player")
	if code := play.Wait(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, play.Stderr())
	}
	if code := judge.Wait(); code != 0 || judge.Stdout() != "compared 16 wrong 0 points alone 0\n" {
		t.Errorf("exit code %d, %q\n%s", code, judge.Stdout(), judge.Stderr())
	}
	if code := compressed.Wait(); code != 0 || strings.Count(compressed.Stdout(), "16UC1; compressedDepth png") != 16 {
		t.Errorf("exit code %d:\n%s", code, compressed.Stdout())
	}
}
