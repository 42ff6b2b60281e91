package e2e

import (
	"strings"
	"testing"

	"rsros/test/peer"
)

// TestPlayControl observes and controls a looping bag with the stock tools.
func TestPlayControl(t *testing.T) {
	g := onRoscore(t)
	bag, _ := librealsenseBag(t, "sw_small_lz4")
	depth := imageTopic(imageStreams[0])
	g.run("rosparam", "set", "/use_sim_time", "true")
	play := g.start(peer.Program(t), "play", "-q", "--clock", "--hz", "50", "--loop", bag, "__name:=player")
	g.awaitPublisher(depth)
	g.awaitService("/pause_playback")

	g.wantContains([]string{"rosgraph_msgs/Clock"}, "rostopic", "type", "/clock")
	g.wantContains([]string{"std_srvs/SetBool"}, "rosservice", "type", "/player/pause_playback")
	g.wantContains([]string{"/player/pause_playback", "/clock [rosgraph_msgs/Clock]"}, "rosnode", "info", "/player")
	g.wantContains([]string{"encoding: \"mono16\"", "height: 48", "width: 64"}, "rostopic", "echo", "--noarr", "-n", "1", depth)
	// The exact rate is tested in replay, on an injected clock.
	if rate := g.wallRate(depth); rate <= 0 {
		t.Errorf("rostopic hz measures %v Hz", rate)
	}

	// The clock pauses with the bag, and continues with it.
	const shared, own = "/pause_playback", "/player/pause_playback"
	g.wantContains([]string{"success: True", "Playback is now paused"}, "rosservice", "call", shared, "data: true")
	g.wantContains([]string{"success: False"}, "rosservice", "call", own, "data: true")
	if first, second := g.clock(), g.clock(); first != second {
		t.Errorf("paused, the clock goes from %q to %q", first, second)
	}
	g.wantContains([]string{"success: True", "Playback is now resumed"}, "rosservice", "call", own, "data: false")
	first := g.clock()
	peer.Await(t, "the clock to continue", func() bool { return g.clock() != first })

	g.wantContains([]string{"success: True"}, "rosservice", "call", "/player/stop")
	if code := play.Wait(); code != 0 {
		t.Errorf("stopped, play ended with %d", code)
	}
	g.awaitNoNode("/player")
}

// wallRate is like rate, but measures with the wall clock instead of /clock.
func (g *graph) wallRate(topic string) float64 {
	g.t.Helper()
	return g.rate(topic, "--wall-time")
}

// clock returns the current time of /clock.
func (g *graph) clock() string {
	g.t.Helper()
	return strings.TrimSpace(g.run("rostopic", "echo", "-n", "1", "/clock"))
}

// TestOurNodesMeet records with our recorder what our player publishes, and compares every frame.
func TestOurNodesMeet(t *testing.T) {
	g := onMaster(t)
	bag, frames := librealsenseBag(t, "sw_small_raw")
	counts := countsOf(frames)
	copied := t.TempDir() + "/copy.bag"
	record := g.start(peer.Program(t), append([]string{"record", "-O", copied, "--lz4"}, topicsOf(counts)...)...)
	play := g.start(peer.Program(t), append([]string{"play", "-q", "--pause", bag, "--topics"}, topicsOf(counts)...)...)
	g.resume(g.awaitAudience(1, topicsOf(counts)...))
	if code := play.Wait(); code != 0 {
		t.Errorf("play ended with %d", code)
	}
	if code := record.Interrupt(); code != 0 {
		t.Errorf("record ended with %d", code)
	}
	got := bagHashes(t, copied)
	for topic, want := range frames {
		wantFrames(t, "recorded "+topic, heard{Type: "sensor_msgs/Image", Hashes: got[topic]}, want)
	}
}
