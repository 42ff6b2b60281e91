//go:build hosts && linux

package hosts

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/tools/info"
)

func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }

const (
	depthTopic = "/camera/depth/image_rect_raw"
	infoTopic  = "/camera/depth/camera_info"
)

// startCamera starts a camera of one stream, 1.2 MB/s, and waits until its topics are known.
func (h *host) startCamera() *peer.Process {
	h.t.Helper()
	p := h.start(peer.Program(h.t), "live", "--device", "sim", "--depth", "424x240@6", "--color", "off", "--infra1", "off",
		"--infra2", "off", "--gyro", "off", "--accel", "off", "--naming", "wrapper", "__name:=camera")
	h.awaitTopic(depthTopic)
	return p
}

// awaitTopic waits until the master knows a publisher of a topic.
func (h *host) awaitTopic(topic string) {
	h.t.Helper()
	peer.Await(h.t, "publisher of "+topic, func() bool {
		p := h.start("rostopic", "list", "-p") // fails while there is no master
		p.Wait()
		return strings.Contains(p.Stdout(), topic+"\n")
	})
}

// recording is a recorder on one of the hosts.
type recording struct {
	*peer.Process
	t     *testing.T
	bag   string
	topic string // the first of those that are recorded
}

// startRecorder records topics.
func (h *host) startRecorder(topics ...string) *recording {
	h.t.Helper()
	r := &recording{t: h.t, bag: filepath.Join(h.t.TempDir(), h.name+".bag"), topic: topics[0]}
	args := append([]string{peer.Program(h.t), "record", "-O", r.bag}, topics...)
	r.Process = h.start(append(args, "__name:=recorder_on_"+h.name)...)
	return r
}

// awaitMore waits until some messages of the topic more than now are in the file.
func (r *recording) awaitMore() {
	r.t.Helper()
	const more = 5
	before := r.messages()
	peer.Await(r.t, "more messages in "+r.bag, func() bool { return r.messages() >= before+more })
}

// messages is how many messages of the topic are in the file that is being written.
func (r *recording) messages() uint64 {
	bag, err := rosbag.Open(r.bag+".active", bagstore.OpenOptions{})
	if err != nil {
		return 0 // there is no file yet
	}
	defer bag.Close()
	for _, topic := range info.Topics(bag) {
		if topic.Topic == r.topic {
			return topic.Messages
		}
	}
	return 0
}

var missingCount = regexp.MustCompile(`(?m) recorded (?:.*; (\d+) messages were lost before arrival)?`)

// end ends the recording and returns how many messages it says that it has missed.
func (r *recording) end() int {
	r.t.Helper()
	if code := r.Interrupt(); code != 0 {
		r.t.Errorf("the recorder ended with %d", code)
	}
	found := missingCount.FindStringSubmatch(r.Stderr())
	if found == nil {
		r.t.Fatalf("no summary: %s", r.Stderr())
	}
	n, err := strconv.Atoi(cmp.Or(found[1], "0"))
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// numbers are the numbers of a topic's messages in a bag, in their order.
func numbers(t *testing.T, path, topic string) (all []uint32) {
	t.Helper()
	bag, err := rosbag.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer bag.Close()
	view := bag.View(bagstore.Query{})
	it := view.Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		if m.Conn.Topic != topic {
			continue
		}
		spec, err := msgs.Parse(m.Conn.Type, m.Conn.Definition)
		need.Must(t, err)
		seq, ok := spec.Seq(m.Data)
		if !ok {
			t.Fatalf("%s has no header", topic)
		}
		all = append(all, seq)
	}
	if err := it.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%d messages of %s in %s: %v", len(all), topic, path, err)
	}
	return all
}

// trouble is what happens to a recorder's host while others go on. It returns when it is over.
type trouble struct {
	name    string
	happens func(camera *peer.Process, h *host, witness *recording)
	loses   bool // messages are lost for certain
}

// lasts waits as long as a trouble takes: 10 seconds, and more messages than queues and the kernel's buffers can bridge,
// which take longer on a slow machine.
func (r *recording) lasts() {
	r.t.Helper()
	const bridged = 80 // images of 200 kB
	enough := r.messages() + bridged
	time.Sleep(10 * time.Second)
	peer.Await(r.t, "what a troubled host misses", func() bool { return r.messages() >= enough })
}

var troubles = []trouble{
	{"cut", func(_ *peer.Process, h *host, witness *recording) {
		h.link.cut.Store(true)
		defer h.link.cut.Store(false)
		witness.lasts()
	}, true},
	{"unplugged", func(camera *peer.Process, h *host, _ *recording) {
		h.link.cut.Store(true)
		defer h.link.cut.Store(false)
		peer.Await(h.t, "end of the camera's connections", func() bool {
			return strings.Count(camera.Stderr(), "no longer answers") >= 2
		})
	}, true},
	{"paused", func(_ *peer.Process, h *host, witness *recording) {
		h.pause()
		defer h.resume()
		witness.lasts()
	}, true},
	{"slow", func(_ *peer.Process, h *host, witness *recording) {
		h.link.slow(50*time.Millisecond, 2)
		defer h.link.slow(0, 0)
		witness.lasts()
	}, false},
}

// TestTroubledHost: a host that is cut off, unplugged, stopped, or behind a bad link for some time loses messages, says
// exactly how many, and goes on afterwards. A stock tool on it goes on, too. Others lose nothing.
func TestTroubledHost(t *testing.T) {
	for _, c := range troubles {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, byAddress, "master", "camera", "recorder", "witness")
			camera, troubled := s.host("camera").startCamera(), s.host("recorder")
			recorder := troubled.startRecorder(depthTopic, infoTopic)
			witness := s.host("witness").startRecorder(depthTopic, infoTopic)
			stock := troubled.start("rostopic", "echo", infoTopic+"/header/seq")
			witness.awaitMore()
			recorder.awaitMore()
			lines := func() int { return strings.Count(stock.Stdout(), "\n") }
			peer.Await(t, "the stock tool's first messages", func() bool { return lines() > 1 })

			c.happens(camera, troubled, witness)
			before := lines()
			recorder.awaitMore()
			witness.awaitMore()
			peer.Await(t, "more messages for the stock tool", func() bool { return lines() > before+10 })

			said, lost := recorder.end(), 0
			if n := witness.end(); n != 0 {
				t.Errorf("the witness says that it has missed %d messages", n)
			}
			for _, topic := range []string{depthTopic, infoTopic} {
				lost += countLost(t, numbers(t, witness.bag, topic), numbers(t, recorder.bag, topic))
			}
			if said != lost || c.loses && lost == 0 {
				t.Errorf("the recorder says that it has missed %d messages; %d were lost", said, lost)
			}
			t.Logf("%d messages were lost", lost)
		})
	}
}

// countLost checks that a witness has every message, and counts those that another recording lacks between its first
// and its last.
func countLost(t *testing.T, witness, other []uint32) (lost int) {
	t.Helper()
	for i, n := range witness[1:] {
		if n != witness[i]+1 {
			t.Fatalf("the witness has %d after %d", n, witness[i])
		}
	}
	has := map[uint32]bool{}
	for _, n := range other {
		has[n] = true
	}
	if len(has) != len(other) {
		t.Errorf("%d of %d messages are there twice", len(other)-len(has), len(other))
	}
	first, last := other[0], other[len(other)-1]
	if first < witness[0] || last > witness[len(witness)-1] {
		// The witness came later or left earlier; it has no gap, so numbers are enough.
		return int(last-first) + 1 - len(other)
	}
	for _, n := range witness {
		if n > first && n < last && !has[n] {
			lost++
		}
	}
	return lost
}

// TestPlayer: what one host records another plays, over slow links and with every way to name hosts, and a stock
// recorder on a third gets all of it.
func TestPlayer(t *testing.T) {
	for _, reach := range []string{byAddress, byName} {
		t.Run(reach, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, reach, "master", "camera", "recorder", "player")
			for _, name := range []string{"camera", "player"} {
				s.host(name).link.slow(50*time.Millisecond, 2)
			}
			camera, player := s.host("camera"), s.host("player")
			live := camera.startCamera()
			recorder := s.host("recorder").startRecorder(infoTopic)
			peer.Await(t, "camera info", func() bool { return recorder.messages() > 30 })
			if n := recorder.end(); n != 0 {
				t.Errorf("%d messages of a few hundred bytes were lost", n)
			}
			if code := live.Interrupt(); code != 0 {
				t.Errorf("the camera ended with %d", code)
			}
			bag := filepath.Join(t.TempDir(), "stock.bag")
			want := len(numbers(t, recorder.bag, infoTopic))
			again := s.host("recorder").start("rosbag", "record", "-O", bag, "-l", fmt.Sprint(want), infoTopic)
			player.run(peer.Program(t), "play", "--wait-for-subscribers", recorder.bag)
			if code := again.Wait(); code != 0 {
				t.Errorf("rosbag record ended with %d", code)
			}
			if got := len(numbers(t, bag, infoTopic)); got != want {
				t.Errorf("%d messages were replayed, %d arrived", want, got)
			}
		})
	}
}

// TestMasterRestartsWhileCut: the camera's host is cut off while the master is started again. Then stock tools and the
// recorder have its topics again.
func TestMasterRestartsWhileCut(t *testing.T) {
	t.Parallel()
	s := newSite(t, byName, "master", "camera", "recorder")
	camera, other := s.host("camera"), s.host("recorder")
	camera.startCamera()
	recorder := other.startRecorder(depthTopic)
	recorder.awaitMore()

	camera.link.cut.Store(true)
	defer camera.link.cut.Store(false)
	if code := s.master.Interrupt(); code != 0 {
		t.Errorf("roscore ended with %d", code)
	}
	s.startMaster()
	camera.link.cut.Store(false)

	other.awaitTopic(depthTopic)
	other.run("rostopic", "echo", "-n", "1", "--noarr", depthTopic)
	recorder.awaitMore()
	recorder.end()
}

// TestClocks: a publisher whose clock is fast is named.
func TestClocks(t *testing.T) {
	t.Parallel()
	s := newSite(t, byName, "master", "camera", "recorder")
	s.host("camera").start(append(fastClock(t, 30), "rostopic", "pub", "-r", "5", "/point", "geometry_msgs/PointStamped", "header: auto")...)
	recorder := s.host("recorder").startRecorder("/point")
	said := regexp.MustCompile(`stamps are in the future.* publisher=/rostopic_`)
	peer.Await(t, "a warning", func() bool { return said.MatchString(recorder.Stderr()) })
	recorder.end()
}

// fastClock starts a Python program with a clock that is ahead by some seconds. (libfaketime breaks Python's sleep, and
// namespaces have no time of day of their own.)
func fastClock(t *testing.T, by int) []string {
	t.Helper()
	folder := t.TempDir()
	shift := fmt.Sprintf("import time\nright = time.time\ntime.time = lambda: right() + %d\n", by)
	need.Must(t, os.WriteFile(filepath.Join(folder, "sitecustomize.py"), []byte(shift), 0o644))
	return []string{"env", "PYTHONPATH=" + folder}
}
