package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

const ms = time.Millisecond

// Folders in scratch, each with a program named rosbag.
const ours, stock = "ours", "stock"

var buildShims = sync.OnceValue(func() error {
	for folder, script := range map[string]string{
		ours:  "exec " + peer.Scratch("race/rs-ros-node") + " \"$@\"",
		stock: "shift; exec /usr/lib/rosbag/play \"$@\"", // without Python, whose start takes a second
	} {
		if err := os.Mkdir(peer.Scratch(folder), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(peer.Scratch(folder+"/rosbag"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			return err
		}
	}
	return nil
})

// shims creates both folders. It skips the test if rosbag play isn't installed.
func shims(t *testing.T) {
	t.Helper()
	need.Programs(t, "/usr/bin/rosbag", "/usr/lib/rosbag/play")
	peer.Program(t)
	need.Must(t, buildShims())
}

// walk is a bag of 600 ms: two publishers of /a, /b, and a latched topic.
func walk(t *testing.T) string {
	list := []message{{0, "/latched@/map", "first"}, {1 * ms, "/latched@/other", "of other"}}
	for i := range 60 {
		at := time.Duration(2+10*i) * ms
		list = append(list, message{at, "/a@/x", fmt.Sprint("x", i)}, message{at + ms, "/a@/y", fmt.Sprint("y", i)}, message{at + 2*ms, "/b@/x", fmt.Sprint(i)})
	}
	list = append(list, message{300 * ms, "/latched@/map", "second"})
	slices.SortStableFunc(list, func(x, y message) int { return int(x.at - y.at) })
	return writeBag(t, list)
}

// TestShim runs "rosbag play" with the stock player in the path and with ours, and compares what
// subscribers receive: topics, messages, order, clock.
func TestShim(t *testing.T) {
	t.Parallel()
	shims(t)
	first, second := walk(t), writeBag(t, []message{{50 * ms, "/c", "from"}, {450 * ms, "/c", "another bag"}})
	all := []string{"/a", "/b", "/latched"}
	for name, c := range map[string]struct {
		args   []string
		topics []string
	}{
		"clock":              {[]string{first, "--clock"}, all},
		"clock at 50 Hz":     {[]string{"--clock", "--hz=50", first}, all},
		"rate 3":             {[]string{first, "--clock", "-r", "3"}, all},
		"rate 0.5":           {[]string{"--rate=0.5", "--quiet", first}, all},
		"immediate":          {[]string{"-i", "--clock", "--queue=1000", first}, all},
		"start":              {[]string{"-s", "0.2", first}, all},
		"start, duration":    {[]string{"--start=0.31", "-u0.1", first, "--clock"}, all},
		"topics":             {[]string{"--topics", "/a", "/latched", "--bags=" + first}, []string{"/a", "/latched"}},
		"topics at the end":  {[]string{first, "--topics", "/b"}, []string{"/b"}},
		"prefix":             {[]string{"-p", "/again", first}, []string{"/again/a", "/again/b", "/again/latched"}},
		"remap":              {[]string{first, "/a:=/elsewhere"}, []string{"/elsewhere", "/b", "/latched"}},
		"several bags":       {[]string{first, second}, append(all, "/c")},
		"skip empty":         {[]string{second, "--skip-empty=0.1", "--clock"}, []string{"/c"}},
		"shortened flag":     {[]string{first, "--dur=0.1"}, all},
		"try future version": {[]string{first, "--try-future-version", "-r", "5"}, all},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := peer.Scratch(stock)
			if strings.HasPrefix(name, "topics") {
				folder = "/usr/bin" // the Python wrapper parses lists differently
			}
			want, got := shimRun(t, folder, c.topics, c.args), shimRun(t, peer.Scratch(ours), c.topics, c.args)
			for _, topic := range c.topics {
				if !slices.Equal(want.topics[topic], got.topics[topic]) {
					t.Errorf("%s: stock published %d messages, ours %d:\n%q\n%q", topic,
						len(want.topics[topic]), len(got.topics[topic]), want.topics[topic], got.topics[topic])
				}
			}
			if len(want.topics) == 0 {
				t.Error("the stock player published nothing")
			}
			compareClocks(t, want.clock, got.clock)
		})
	}
}

// shimRun plays with the rosbag of a folder and returns what was received.
func shimRun(t *testing.T, folder string, topics, args []string) *recording {
	g := newJudge(t)
	r := g.record(topics)
	path := "PATH=" + folder + ":/usr/bin:/bin"
	args = append([]string{"play"}, args...)
	if code := g.startWith([]string{path}, filepath.Join(folder, "rosbag"), append(args, "--wait-for-subscribers", "-d", "0.3")...).Wait(); code != 0 {
		t.Errorf("%s/rosbag %q ended with %d", folder, args, code)
	}
	r.close()
	return r
}

// compareClocks checks that both clocks run forward over the same times. The number of ticks may
// differ; the stock player may leave out the first.
func compareClocks(t *testing.T, want, got []bagstore.Time) {
	t.Helper()
	if (len(want) == 0) != (len(got) == 0) {
		t.Errorf("stock sent %d clocks, ours %d", len(want), len(got))
	}
	if len(want) == 0 || len(got) == 0 {
		return
	}
	if !slices.IsSorted(got) {
		t.Errorf("the clock runs back: %d", got)
	}
	if got[0] > want[0] {
		t.Errorf("the stock clock begins at %d, ours at %d", want[0], got[0])
	}
	const slack = 100 * ms // how far from the last message the stock clock may end
	if s, o := want[len(want)-1], got[len(got)-1]; o < s || o.Sub(s) > slack {
		t.Errorf("the stock clock ends at %d, ours at %d", s, o)
	}
}

// TestShimPause compares the pause service's responses and checks that nothing is published while
// paused.
func TestShimPause(t *testing.T) {
	t.Parallel()
	shims(t)
	bag := walk(t)
	said := make(map[string][]string)
	for _, name := range []string{stock, ours} {
		folder := peer.Scratch(name)
		g := newJudge(t)
		r := g.record([]string{"/a", "/b", "/latched"})
		p := g.startWith([]string{"PATH=" + folder + ":/usr/bin:/bin"}, filepath.Join(folder, "rosbag"), "play", "--pause", "--wait-for-subscribers", "-d", "0.5", bag, "__name:=player")
		peer.AwaitService(t, g.node, "/player/pause_playback")
		// The stock player responds only after it has started to play.
		for _, pause := range []bool{true, false} {
			answer := g.setBool("/player/pause_playback", pause)
			said[name] = append(said[name], answer)
			if pause && r.count("/a") > 0 {
				t.Errorf("%s: messages came before it was resumed", name)
			}
		}
		if code := p.Wait(); code != 0 {
			t.Errorf("%s: exit code %d", name, code)
		}
		r.close()
		if got := r.count("/a"); got != 120 {
			t.Errorf("%s: %d messages on /a", name, got)
		}
	}
	if !slices.Equal(said[stock], said[ours]) {
		t.Errorf("answers differ:\n%q\n%q", said[stock], said[ours])
	}
}

// TestShimRateControl checks that playback stalls until the controlling topic has caught up.
func TestShimRateControl(t *testing.T) {
	t.Parallel()
	shims(t)
	bag := walk(t)
	for _, name := range []string{stock, ours} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newJudge(t)
			r := g.record([]string{"/a", "/b", "/latched"})
			typ := msgs.MustType("sensor_msgs/Imu")
			done, err := g.node.Advertise(ros.PublisherOptions{Topic: "/done", Type: typ, Latch: true})
			need.Must(t, err)
			folder := peer.Scratch(name)
			p := g.startWith([]string{"PATH=" + folder + ":/usr/bin:/bin"}, filepath.Join(folder, "rosbag"), "play", "--wait-for-subscribers", "-d", "0.5", bag,
				"--rate-control-topic", "/done", "--rate-control-max-delay", "0.2", "-r", "5")
			peer.Await(t, "the first 200 ms", func() bool { return r.count("/a") >= 40 })
			if p.Ended() {
				t.Fatal("it ended without the controlling topic")
			}
			caughtUp := msgs.Imu{Header: msgs.Header{Stamp: msgs.Time(bagStart.Add(time.Hour))}}
			done.Publish(msgs.Raw{Head: msgs.Marshal(&caughtUp)})
			if code := p.Wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			r.close()
			if got := r.count("/a"); got != 120 {
				t.Errorf("%d messages on /a", got)
			}
		})
	}
}

// TestFollowClock checks that a second player follows the first one's clock to the end.
func TestFollowClock(t *testing.T) {
	t.Parallel()
	program := peer.Program(t)
	g := newJudge(t)
	r := g.record([]string{"/a", "/c"})
	follower := g.start(program, "play", writeBag(t, []message{{50 * ms, "/c", "from"}, {450 * ms, "/c", "another bag"}}), "--follow-clock", "--wait-for-subscribers")
	peer.Await(t, "the follower", func() bool { return r.subs[1].Publishers() == 1 })
	leader := g.start(program, "play", walk(t), "--clock", "--topics", "/a")
	for _, p := range []*peer.Process{leader, follower} {
		if code := p.Wait(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	r.close()
	if a, c := r.count("/a"), r.count("/c"); a != 120 || c != 2 {
		t.Errorf("%d messages on /a, %d on /c", a, c)
	}
}

// TestExitCodes checks the exit codes that scripts can rely on. The stock player has none.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	program := peer.Program(t)
	good := walk(t)
	for name, c := range map[string]struct {
		args []string
		code int
	}{
		"good":           {[]string{good, "-i"}, 0},
		"missing":        {[]string{"/nowhere.bag"}, 1},
		"no bag":         {[]string{program}, 1},
		"no name":        {nil, 2},
		"unknown flag":   {[]string{good, "--wobble"}, 2},
		"missing topic":  {[]string{good, "-i", "--topics", "/nowhere"}, 3},
		"bad rate":       {[]string{good, "-r", "-1"}, 2},
		"help":           {[]string{"--help"}, 0},
		"ambiguous flag": {[]string{good, "--pa"}, 2},
		"both namings":   {[]string{good, "--naming", "both"}, 2},
		"wrapper of two": {[]string{good, good, "--naming", "wrapper"}, 2},
		"no RealSense":   {[]string{good, "--naming", "wrapper"}, 1},
		"two clocks":     {[]string{good, "--clock", "--follow-clock"}, 2},
		"two times":      {[]string{good, "--clock", "--restamp"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newJudge(t)
			p := g.start(program, append([]string{"play"}, c.args...)...)
			if code := p.Wait(); code != c.code {
				t.Errorf("exit code %d, want %d:\n%s", code, c.code, p.Output())
			}
			if strings.Contains(p.Output(), "panic") {
				t.Error("panic")
			}
		})
	}
}

// TestLoopIsOneTimeLine checks that with --loop-monotonic neither clock nor messages go back.
func TestLoopIsOneTimeLine(t *testing.T) {
	t.Parallel()
	program := peer.Program(t)
	g := newJudge(t)
	r := g.record([]string{"/a"})
	p := g.start(program, "play", walk(t), "--clock", "--loop", "--loop-monotonic", "-r", "10", "__name:=player")
	peer.Await(t, "three rounds", func() bool { return r.count("/a") >= 360 })
	rig.Trigger(t, g.node, "/player/stop")
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	r.close()
	if !slices.IsSorted(r.clock) {
		t.Error("the clock runs back")
	}
	if last := r.clock[len(r.clock)-1]; last < bagStart.Add(2*590*ms) {
		t.Errorf("the clock ends at %d", last)
	}
	if names := slices.Collect(maps.Keys(r.topics)); len(names) != 1 {
		t.Errorf("topics %q", names)
	}
}
