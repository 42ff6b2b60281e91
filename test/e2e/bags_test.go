package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// imageStreams are the streams of the librealsense bags that have pixels.
var imageStreams = []string{"sensor_0/Depth_0", "sensor_0/Infrared_1", "sensor_0/Infrared_2", "sensor_1/Color_0"}

func imageTopic(stream string) string { return "/device_0/" + stream + "/image/data" }

// librealsenseBag is a bag that librealsense wrote, and the hashes of the recorded frames by topic.
func librealsenseBag(t *testing.T, name string) (path string, frames map[string][]string) {
	t.Helper()
	path = filepath.Join(repository(t), "test/data/librealsense", name+".bag")
	b, err := os.ReadFile(strings.TrimSuffix(path, ".bag") + ".manifest.json")
	need.Must(t, err)
	var manifest struct {
		PauseAt  int `json:"pause_at"` // frames from here on weren't recorded; -1 for none
		ResumeAt int `json:"resume_at"`
		Streams  map[string][]struct {
			Hash string `json:"fnv1a64"`
		}
	}
	need.Must(t, json.Unmarshal(b, &manifest))
	frames = map[string][]string{}
	for _, stream := range imageStreams {
		for i, frame := range manifest.Streams[stream] {
			if i < manifest.PauseAt || i >= manifest.ResumeAt {
				frames[imageTopic(stream)] = append(frames[imageTopic(stream)], frame.Hash)
			}
		}
		if len(frames[imageTopic(stream)]) == 0 {
			t.Fatalf("%s: no frames of %s in the manifest", name, stream)
		}
	}
	return path, frames
}

// TestPlayLibrealsense checks that a roscpp node and a Go node receive a recording of librealsense from
// play frame by frame, and that rostopic echo prints it.
func TestPlayLibrealsense(t *testing.T) {
	g := onRoscore(t)
	for _, name := range []string{"sw_small_lz4", "sw_small_pause"} {
		t.Run(name, func(t *testing.T) { playLibrealsense(t, g.in(t), name) })
	}
}

func playLibrealsense(t *testing.T, g *graph, name string) {
	bag, frames := librealsenseBag(t, name)
	counts := countsOf(frames)
	topics := topicsOf(counts)
	roscpp, inGo := g.startRoscpp(counts), g.listen(topics...)
	echo := g.start("rostopic", "echo", "--noarr", "-n", strconv.Itoa(counts[topics[0]]), topics[0])
	play := g.start(peer.Program(t), append([]string{"play", "-q", "--clock", "--pause", "--keep-alive", bag, "--topics"}, topics...)...)
	g.awaitAudience(3, topics[0])
	g.resume(g.awaitAudience(2, topics...))
	if code := echo.Wait(); code != 0 || strings.Count(echo.Stdout(), "encoding:") != counts[topics[0]] {
		t.Errorf("rostopic echo ended with %d: %s", code, echo.Stdout())
	}
	got := roscpp.heard()
	inGo.awaitCounts(counts)
	// Only now: a subscriber that is notified of the end may disconnect before it has read the last
	// message.
	if code := play.Interrupt(); code != 0 {
		t.Errorf("play ended with %d", code)
	}
	for topic, want := range frames {
		wantFrames(t, "roscpp on "+topic, got[topic], want)
		wantFrames(t, "ros on "+topic, inGo.heard(topic), want)
	}
}

func countsOf(frames map[string][]string) map[string]int {
	counts := map[string]int{}
	for topic, hashes := range frames {
		counts[topic] = len(hashes)
	}
	return counts
}

// resume lets a paused player play.
func (g *graph) resume(player string) {
	g.t.Helper()
	g.wantContains([]string{"success: True", "message: \"Playback is now resumed\""}, "rosservice", "call", player+"/pause_playback", "data: false")
}

func topicsOf(counts map[string]int) []string {
	var topics []string
	for topic := range counts {
		topics = append(topics, topic)
	}
	slices.Sort(topics)
	return topics
}

func wantFrames(t *testing.T, what string, got heard, want []string) {
	t.Helper()
	if got.Type != "sensor_msgs/Image" || !slices.Equal(got.Hashes, want) {
		t.Errorf("%s: %s, %d frames, want %d\n got %q\nwant %q", what, got.Type, len(got.Hashes), len(want), got.Hashes, want)
	}
}

// TestLiveLibrealsense uses a RealSense bag as the device of a live node. It restarts at its end, so a
// subscriber that missed the first frames gets all of them, in order, in the next round.
func TestLiveLibrealsense(t *testing.T) {
	g := onMaster(t)
	bag, frames := librealsenseBag(t, "sw_small_lz4")
	counts := map[string]int{}
	for topic, hashes := range frames {
		counts[topic] = 2*len(hashes) + 1
	}
	roscpp := g.startRoscpp(counts)
	live := g.start(peer.Program(t), "live", "--device", bag, "--loop")
	got := roscpp.heard()
	for topic, want := range frames {
		if hashes := got[topic].Hashes; !holdsRound(hashes, want) {
			t.Errorf("%s: no whole round in %d frames\n got %q\nwant %q", topic, len(hashes), hashes, want)
		}
	}
	g.wantContains([]string{"Type: sensor_msgs/Image", "/rs_ros_node"}, "rostopic", "info", imageTopic(imageStreams[0]))
	g.wantContains([]string{"height: 48", "width: 64", "encoding: "}, "rostopic", "echo", "--noarr", "-n", "1", imageTopic(imageStreams[0]))
	if code := live.Interrupt(); code != 0 {
		t.Errorf("live ended with %d", code)
	}
}

// holdsRound reports whether got holds want somewhere, frame by frame.
func holdsRound(got, want []string) bool {
	for i := 0; i+len(want) <= len(got); i++ {
		if slices.Equal(got[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

// bagHashes returns the hashes of a bag's images by topic.
func bagHashes(t *testing.T, path string) map[string][]string {
	t.Helper()
	bag := samplebag.Open(t, path)
	view := bag.View(bagstore.Query{
		Connections: func(c *bagstore.Connection) bool { return c.Type == "sensor_msgs/Image" },
	})
	hashes := map[string][]string{}
	it := view.Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		content, err := pixels(m.Data)
		need.Must(t, err)
		hashes[m.Conn.Topic] = append(hashes[m.Conn.Topic], hash(content))
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
	return hashes
}

// TestStockPlaysOurs checks that rosbag info and rosbag check accept a bag that live recorded, that
// rosbag info agrees with ours, and that stock rosbag play delivers every frame to a roscpp and a Go
// subscriber.
func TestStockPlaysOurs(t *testing.T) {
	t.Parallel()
	need.Programs(t, "rosbag")
	for _, compression := range []string{"none", "lz4"} {
		t.Run(compression, func(t *testing.T) {
			t.Parallel()
			g := newGraph(t)
			g.start(peer.Program(t), "master", "--port", g.port())
			g.awaitMaster()
			bag := filepath.Join(t.TempDir(), "ours.bag")
			args := append([]string{"live", "--record", bag, "--duration", "2"}, smallCamera...)
			if compression == "lz4" {
				args = append(args, "--lz4")
			}
			g.run(peer.Program(t), args...)

			wantSameInfo(g, bag)
			g.wantContains([]string{compression + " ["}, "rosbag", "info", bag)

			frames := bagHashes(t, bag)
			counts := countsOf(frames)
			if len(counts) != 4 {
				t.Fatalf("image topics: %v", counts)
			}
			roscpp, inGo := g.startRoscpp(counts), g.listen(topicsOf(counts)...)
			g.start("rosbag", append([]string{"play", "-q", "--pause", "--keep-alive", "--queue=1000", bag, "--topics"}, topicsOf(counts)...)...)
			g.resume(g.awaitAudience(2, topicsOf(counts)...))
			got := roscpp.heard()
			inGo.awaitCounts(counts)
			for topic, want := range frames {
				wantFrames(t, "roscpp on "+topic, got[topic], want)
				wantFrames(t, "ros on "+topic, inGo.heard(topic), want)
			}
		})
	}
}

// wantSameInfo checks that rosbag info and our info print the same facts, that the stock library reads
// every message, and that rosbag check requires no migration.
func wantSameInfo(g *graph, bag string) {
	g.t.Helper()
	var stock, ours any
	for program, facts := range map[string]*any{"rosbag": &stock, peer.Program(g.t): &ours} {
		if err := yaml.Unmarshal([]byte(g.run(program, "info", "-y", bag)), facts); err != nil {
			g.t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(stock, ours) {
		g.t.Errorf("rosbag info says\n%v\nours\n%v", stock, ours)
	}
	const count = "import rosbag,sys; print(sum(1 for _ in rosbag.Bag(sys.argv[1]).read_messages(raw=True)))"
	messages := strings.TrimSpace(g.run(peer.Program(g.t), "info", "-y", "-k", "messages", bag))
	if got := strings.TrimSpace(g.run(need.Python(g.t, "rosbag"), "-c", count, bag)); got != messages {
		g.t.Errorf("rosbag reads %s of %s messages", got, messages)
	}
	for _, migration := range migrations.FindAllStringSubmatch(g.run("rosbag", "check", bag), -1) {
		if from, to := migration[1], migration[2]; from != to && to != "Unknown" {
			g.t.Errorf("rosbag check wants %s to become %s", from, to)
		}
	}
}

// migrations returns what rosbag check finds, with both MD5 sums. It also lists types whose definition
// lost its comments, and those that aren't installed.
var migrations = regexp.MustCompile(`From: (.+)\n +To: +(.+)`)
