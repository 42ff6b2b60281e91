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
	"rsros/test/rig"
)

const (
	depthTopic = "/camera/depth/image_rect_raw"
	colorTopic = "/camera/color/image_raw"
)

func recordingOfCamera(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../data/librealsense/sw_small_lz4.bag") // 2 s at 30 Hz
	need.Must(t, err)
	return path
}

// TestWrapperNaming checks that an SDK bag played as realsense2_camera's topics obeys every control
// that other bags obey.
func TestWrapperNaming(t *testing.T) {
	t.Parallel()
	program := peer.Program(t)
	g := newJudge(t)
	r := g.record([]string{depthTopic, colorTopic})
	p := g.start(program, "play", recordingOfCamera(t), "--naming", "wrapper", "--clock", "--pause", "--start", "0.5", "--duration", "1",
		"--loop-range", "0:0.5", "--limit", colorTopic+"=10", "-x", ".*infra.*", "__name:=player", depthTopic+":=/depth")
	moved := g.record([]string{"/depth"})
	peer.AwaitService(t, g.node, "/player/step")
	peer.Await(t, "playback to begin", func() bool { return strings.Contains(g.status(), "paused") })
	peer.Await(t, "a frame set", func() bool {
		rig.Trigger(t, g.node, "/player/step_frame_set")
		return moved.count("/depth") > 0 && r.count(colorTopic) > 0
	})
	if r.count(depthTopic) > 0 {
		t.Error("the remap was ignored")
	}
	if out := g.run("rostopic", "list"); strings.Contains(out, "infra") || !strings.Contains(out, "/camera/color/camera_info") {
		t.Errorf("rostopic list:\n%s", out)
	}
	if said := rig.SetBool(t, g.node, "/player/pause_playback", false); said != "Playback is now resumed" {
		t.Error(said)
	}
	peer.Await(t, "three rounds of half a second", func() bool { return moved.count("/depth") > 3*15 })
	rig.Trigger(t, g.node, "/player/stop")
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

// TestStamps checks that the clock matches the stamps under both namings, also in a .db3, whose headers have file times; with
// --restamp they are current.
func TestStamps(t *testing.T) {
	t.Parallel()
	program := peer.Program(t)
	const sdkTopic = "/device_0/sensor_1/Color_0/image/data"
	day := bagstore.NewTime(1_700_000_000, 0) // of the recordings
	for name, c := range map[string]struct {
		recording, topic string
		args             []string
		first            bagstore.Time // the first stamp; 0: now
		clock            bagstore.Time // its start; 0: none
	}{
		"wrapper":            {recordingOfCamera(t), colorTopic, []string{"--naming", "wrapper", "--clock"}, day, day},
		"wrapper, restamped": {recordingOfCamera(t), colorTopic, []string{"--naming", "wrapper", "--restamp"}, 0, 0},
		"SDK":                {recordingOfCamera(t), sdkTopic, []string{"--clock"}, day, day},
		"SDK, restamped":     {recordingOfCamera(t), sdkTopic, []string{"--restamp"}, 0, 0},
		"SDK, a date":        {recordingOfCamera(t), sdkTopic, []string{"--clock", "--start", "2023-11-14T22:13:21Z"}, day.Add(time.Second), day.Add(time.Second)},
		"SDK, file time":     {recordingOfCamera(t), sdkTopic, []string{"--clock", "--file-time"}, day, bagstore.MinTime},
		".db3":               {need.Bag(t, "db3/sdk_rec_raw.db3"), sdkTopic, []string{"--clock"}, day, day},
		".db3, restamped":    {need.Bag(t, "db3/sdk_rec_raw.db3"), sdkTopic, []string{"--restamp"}, 0, 0},
		".db3, file time":    {need.Bag(t, "db3/sdk_rec_raw.db3"), sdkTopic, []string{"--clock", "--file-time"}, bagstore.MinTime, bagstore.MinTime},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newJudge(t)
			clock := g.record(nil)
			stamps := make(chan bagstore.Time, 100)
			_, err := g.node.Subscribe(ros.SubscriberOptions{Topic: c.topic}, func(m ros.Received) {
				var head msgs.ImageHead
				head.Decode(msgs.NewDecoder(m.Data))
				stamps <- bagstore.Time(head.Header.Stamp)
			})
			need.Must(t, err)
			args := append([]string{"play", c.recording, "--wait-for-subscribers", "--duration", "0.3", "--topics", c.topic}, c.args...)
			if code := g.start(program, args...).Wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			clock.close()
			first := <-stamps
			if c.first == 0 {
				if age := bagstore.TimeOf(time.Now()).Sub(first); age < 0 || age > peer.Patience {
					t.Errorf("stamped %v ago", age)
				}
				return
			}
			if off := first.Sub(c.first); off < 0 || off > 100*time.Millisecond {
				t.Errorf("the first image is stamped %d, want %d", first, c.first)
			}
			if len(clock.clock) == 0 || clock.clock[0].Sub(c.clock).Abs() > 100*time.Millisecond {
				t.Errorf("the clock begins with %d, want %d", clock.clock[:min(1, len(clock.clock))], c.clock)
			}
		})
	}
}

// TestStampsWithStockTools plays a recording of librealsense for nodes with use_sim_time.
func TestStampsWithStockTools(t *testing.T) {
	program := peer.Program(t)
	g := onMaster(t)
	const topic = "/device_0/sensor_0/Depth_0/image/data"
	g.run("rosparam", "set", "use_sim_time", "true")
	p := g.start(program, "play", recordingOfCamera(t), "--clock", "--loop", "--loop-monotonic")
	g.awaitPublisher(topic)
	if out := g.run("rostopic", "echo", "-n", "1", "/clock"); !strings.Contains(out, "secs: 17000000") {
		t.Errorf("rostopic echo /clock:\n%s", out)
	}
	g.wantRate(topic, 30)
	p.Interrupt()
	if out := p.Output(); strings.Count(out, "--naming wrapper") != 1 {
		t.Errorf("the other naming is to be named once:\n%s", out)
	}
}

// TestPlayComputes checks that a stock subscriber gets all points and aligned depth of a recording,
// with matching stamps, that their filters have options, and that the image transports deliver.
func TestPlayComputes(t *testing.T) {
	program := peer.Program(t)
	script, err := filepath.Abs("testdata/cloud_judge.py")
	need.Must(t, err)
	bag, err := filepath.Abs("../../camdriver/process/testdata/unpleasant.bag") // 16 sets
	need.Must(t, err)
	g := onMaster(t)
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
