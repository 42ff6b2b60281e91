package e2e

import (
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/test/samplebag"
)

// TestDynparam controls a replay with Debian's dynparam.
func TestDynparam(t *testing.T) {
	t.Parallel()
	program := peer.Program(t)
	g := newJudge(t)
	dynparam := g.dynparam()
	p := g.start(program, "play", walk(t), "--pause", "__name:=player")
	peer.AwaitService(t, g.node, "/player/set_parameters")
	peer.Await(t, "playback to begin", func() bool { return strings.Contains(g.status(), "paused") })
	if out := dynparam("list"); strings.TrimSpace(out) != "/player" {
		t.Errorf("dynparam list: %q", out)
	}
	dynparam("set", "/player", "position", "0.25")
	dynparam("set", "/player", "rate", "0.5")
	dynparam("set", "/player", "loop", "true")
	out := dynparam("get", "/player")
	for _, want := range []string{"'paused': True", "'loop': True", "'rate': 0.5", "'position': 0.25"} {
		if !strings.Contains(out, want) {
			t.Errorf("dynparam get: no %s in %s", want, out)
		}
	}
	// Without the package, as on Debian: the service itself.
	if out = g.run("/usr/bin/rosservice", "call", "/player/set_parameters", "config: {doubles: [{name: rate, value: 2}], bools: [{name: loop, value: true}]}"); !strings.Contains(out, "value: 2") {
		t.Errorf("rosservice call: %s", out)
	}
	if out := dynparam("get", "/player"); !strings.Contains(out, "'rate': 2.0") || !strings.Contains(out, "'loop': True") {
		t.Errorf("dynparam get after rosservice: %s", out)
	}
	dynparam("set", "/player", "paused", "false")
	peer.Await(t, "playback to go on", func() bool { return strings.Contains(g.status(), "running") })
	rig.Trigger(t, g.node, "/player/stop")
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestStockTools checks that rostopic reads the played topics and the status, and seeks.
func TestStockTools(t *testing.T) {
	t.Parallel()
	need.Programs(t, "/usr/bin/rostopic", "/usr/bin/rosservice", "/usr/bin/rosnode")
	program := peer.Program(t)
	g := newJudge(t)
	p := g.start(program, "play", walk(t), "--pause", "--clock", "__name:=player")
	peer.AwaitService(t, g.node, "/pause_playback")
	peer.Await(t, "playback to begin", func() bool { return strings.Contains(g.status(), "paused") })
	g.run("rostopic", "pub", "-1", "/player/seek", "std_msgs/Float64", "0.31")
	// After seeking past the second latched message, a late subscriber gets that one.
	if out := g.run("rostopic", "echo", "-n", "1", "/latched"); !strings.Contains(out, "second") && !strings.Contains(out, "of other") {
		t.Errorf("rostopic echo /latched: %s", out)
	}
	out := g.run("rostopic", "echo", "-n", "1", "/player/status")
	for _, want := range []string{`"paused"`, `"position"`, `"0.310000"`, `"duration"`} {
		if !strings.Contains(out, want) {
			t.Errorf("status: no %s in\n%s", want, out)
		}
	}
	if out := g.run("rostopic", "echo", "-n", "1", "/clock"); !strings.Contains(out, "nsecs: 560000000") {
		t.Errorf("/clock while paused:\n%s", out)
	}
	r := g.record([]string{"/a"})
	if out := g.run("rosservice", "call", "/player/step"); !strings.Contains(out, "success: True") {
		t.Errorf("step: %s", out)
	}
	peer.Await(t, "a message on /b or /a", func() bool {
		g.run("rosservice", "call", "/player/step")
		return r.count("/a") > 0
	})
	r.close()
	if out := g.run("rosnode", "kill", "/player"); !strings.Contains(out, "killed") {
		t.Errorf("rosnode kill: %s", out)
	}
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestRealSenseBag plays a real camera's recording of 2018, whose topic names crash the stock player.
func TestRealSenseBag(t *testing.T) {
	t.Parallel()
	program := peer.Program(t)
	recording := need.Bag(t, "public/d435_2018_v3.bag")
	b := samplebag.Open(t, recording)
	// Every message is published, under its legal name.
	want := make(map[string]int)
	view := b.View(bagstore.Query{})
	it := view.Iterator()
	defer it.Close()
	for it.SkipNext() {
		want[strings.ReplaceAll(it.Message().Conn.Topic, " ", "_")]++
	}
	if it.Err() != nil || len(want) == 0 {
		t.Fatal(it.Err())
	}
	var topics []string
	for topic := range want {
		topics = append(topics, topic)
	}
	g := newJudge(t)
	r := g.record(topics)
	p := g.start(program, "play", recording, "--clock", "--wait-for-subscribers")
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	r.close()
	g.start(program, "play", "-q", "--pause", recording)
	g.awaitPublisher("/device_0/sensor_0/info")
	if out := g.run("rostopic", "list"); !strings.Contains(out, "/option/") || strings.Contains(out, " ") {
		t.Errorf("rostopic list: %s", out)
	}
	for topic, n := range want {
		if got := r.count(topic); got != n {
			t.Errorf("%s: %d messages of %d", topic, got, n)
		}
	}
}
