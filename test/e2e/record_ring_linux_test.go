package e2e

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

const (
	ringBefore = 2 * time.Second
	ringAfter  = time.Second
	ringSilent = 400 * time.Millisecond
)

// TestRingTriggers triggers black boxes of 40 MB/s by service, topic and silence, at random and often while the time of
// another trigger is running, and kills them or fills their disk. Every image of a trigger's time is in what was kept
// or in the ring that was left, up to 0.1 s before the end and what the machine was late.
//
// RS_TRIGGERS is the number of triggers.
func TestRingTriggers(t *testing.T) {
	python := need.Python(t, "rosbag")
	triggers, _ := strconv.Atoi(os.Getenv("RS_TRIGGERS"))
	triggers = max(triggers, 4)
	g := onMaster(t)
	b := newBlackBox(t, g, python)
	for round := 0; b.triggered < triggers; round++ {
		full := round%4 == 1
		b.record(round, full, min(triggers-b.triggered, 2+b.rnd.IntN(5)))
	}
	slices.Sort(b.waits)
	if n := len(b.waits); n > 0 {
		t.Logf("%d triggers; from the call of the service to the first kept file: median %v, most %v", b.triggered, b.waits[n/2], b.waits[n-1])
	}
	t.Logf("most that a kill has lost: %v, where the machine was at most %v late", b.lost, b.camera.slack())
}

// blackBox triggers recorders.
type blackBox struct {
	t           *testing.T
	g           *graph
	o           *onlooker
	python      string
	rnd         *rand.Rand
	camera      camera
	estop, odom *ros.Publisher

	triggered int
	waits     []time.Duration // from calls of the service to a kept file
	lost      time.Duration   // by a kill, at most
}

// window is what a trigger keeps for sure.
type window struct {
	by        string
	from, end time.Time
}

func newBlackBox(t *testing.T, g *graph, python string) *blackBox {
	b := &blackBox{t: t, g: g, o: g.onlooker(), python: python, rnd: rand.New(rand.NewPCG(25, 300))}
	advertise := func(topic, kind string) *ros.Publisher {
		p, err := b.o.node.Advertise(ros.PublisherOptions{Topic: topic, Type: msgs.MustType(kind)})
		need.Must(t, err)
		return p
	}
	images := advertise("/images", "std_msgs/String")
	b.estop, b.odom = advertise("/estop", "std_msgs/Bool"), advertise("/odom", "std_msgs/Bool")
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { defer close(done); b.camera.run(t, images, stop) }()
	t.Cleanup(func() { close(stop); <-done })
	return b
}

// record runs a recorder, triggers it and ends it, and compares what it has left with the triggers.
func (b *blackBox) record(round int, full bool, triggers int) {
	t := b.t
	t.Helper()
	dir := t.TempDir()
	if full {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=200m"); errors.Is(err, fs.ErrPermission) {
			full = false // only root can make a small disk
		} else if err != nil {
			t.Fatal(err)
		} else {
			defer syscall.Unmount(dir, syscall.MNT_DETACH) //nolint:errcheck // at the end of the test
		}
	}
	name := fmt.Sprintf("box_%d", round)
	r := b.g.start(peer.Program(t), "record", "-O", filepath.Join(dir, "box.bag"), "--ring", ringBefore.String(), "--ring-after", ringAfter.String(),
		"--trigger", "topic == '/estop' and m.data", "--trigger-silence", "/odom="+ringSilent.String(), "--min-space", "0", "/images", "/estop", "/odom", "__name:="+name)
	b.g.awaitAudience(1, "/images", "/estop", "/odom")
	began := time.Now()
	b.pause(ringBefore)
	var windows []window
	for range triggers {
		if b.rnd.IntN(4) == 0 {
			b.pause(ringBefore + ringAfter)
		}
		b.pause(time.Duration(b.rnd.IntN(900)) * time.Millisecond)
		if full && r.Ended() {
			break
		}
		w := b.trigger(name, dir, full)
		w.from = later(w.from, began)
		windows = append(windows, w)
		b.triggered++
	}
	b.pause(time.Duration(b.rnd.IntN(1500)) * time.Millisecond)
	waited, ended := starved(t, r.Pid()), time.Now()
	if full {
		peer.Await(t, "the full disk", r.Ended)
	} else {
		r.Signal(syscall.SIGKILL)
	}
	r.Wait()
	late := 2 * b.camera.slack()
	b.judge(dir, windows, full, ended, late, ended.Add(-100*time.Millisecond-late-waited/4)) // several threads wait at the same time
}

// pause lets time pass, with /odom.
func (b *blackBox) pause(d time.Duration) {
	tick := time.NewTicker(ringSilent / 8)
	defer tick.Stop()
	for end := time.Now().Add(d); time.Now().Before(end); <-tick.C {
		b.odom.Publish(msgs.Raw{Head: []byte{1}})
	}
}

// trigger triggers a recorder in a way of its choice.
func (b *blackBox) trigger(name, dir string, full bool) (w window) {
	from := time.Now()
	switch b.rnd.IntN(3) {
	case 0:
		w.by = "service"
		before := len(keptFiles(dir))
		if _, err := b.o.node.CallService(b.t.Context(), "/"+name+"/trigger", msgs.MustService("std_srvs/Trigger"), nil); err != nil {
			if full {
				return window{by: "full"} // it may have ended
			}
			b.t.Fatal(err)
		}
		w.end = time.Now()
		if !full {
			peer.Await(b.t, "a kept file", func() bool { return len(keptFiles(dir)) > before })
			b.waits = append(b.waits, time.Since(from))
		}
	case 1:
		w.by = "topic"
		b.estop.Publish(msgs.Raw{Head: []byte{1}})
		w.end = time.Now().Add(b.camera.slack())
	default:
		w.by = "silence"
		tick := time.NewTimer(ringSilent + ringSilent/8 + 2*b.camera.slack()) // the recorder may see a shorter one
		<-tick.C
		w.end = time.Now().Add(time.Second/4 + b.camera.slack())
	}
	return window{w.by, w.end.Add(-ringBefore), from.Add(ringAfter)}
}

func later(x, y time.Time) time.Time {
	if x.Before(y) {
		return y
	}
	return x
}

func (c *camera) slack() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.late
}

func keptFiles(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "box_*.bag"))
	parts, _ := filepath.Glob(filepath.Join(dir, "box_*.parts", "*.bag"))
	return append(files, parts...)
}

// judge looks for the images of the windows: those that the recorder received up to the end of a window or, if it was
// killed, before safe.
func (b *blackBox) judge(dir string, windows []window, full bool, ended time.Time, late time.Duration, safe time.Time) {
	t := b.t
	t.Helper()
	files := keptFiles(dir)
	left, _ := filepath.Glob(filepath.Join(dir, "box_*.ring", "*.bag*"))
	for i, path := range left {
		if strings.HasSuffix(path, ".active") {
			whole := filepath.Join(t.TempDir(), fmt.Sprintf("left_%d.bag", i))
			if _, code := b.g.try(peer.Program(t), "recover", "-o", whole, path); code == 0 || code == 3 {
				files = append(files, whole)
			}
		} else if strings.HasSuffix(path, ".bag") {
			files = append(files, path)
		}
	}
	found := map[int]bool{}
	last := -1
	for _, path := range files {
		eachImage(t, path, func(n int) {
			found[n] = true
			last = max(last, n)
		})
	}
	count := "import rosbag,sys; print(sum(rosbag.Bag(f).get_message_count() for f in sys.argv[1:]))"
	b.g.run(b.python, append([]string{"-c", count}, files...)...)
	if n := b.camera.published(ended); !full && n > last {
		b.lost = max(b.lost, time.Duration(n-1-last)*cameraPace)
	}
	due := 0
	for i, w := range windows {
		first, end := b.camera.published(w.from), b.camera.published(w.end.Add(-late))
		if !full {
			end = min(end, b.camera.published(safe))
		} else {
			end = min(end, last) // nobody knows when the disk was full
		}
		for n := first; n < end; n++ {
			if !found[n] {
				t.Fatalf("trigger %d of %d (%s), disk full: %t: image %d of %d to %d is missing; the last is %d, of %d published at the end; %v late", i, len(windows), w.by, full, n, first, end, last, b.camera.published(ended), late)
			}
		}
		due += max(0, end-first)
	}
	t.Logf("%d triggers, disk full: %t: %d images due, %d found in %d files", len(windows), full, due, len(found), len(files))
	for _, path := range files {
		_ = os.Remove(path)
	}
}

// eachImage calls f with the numbers of the images of a bag.
func eachImage(t *testing.T, path string, f func(n int)) {
	t.Helper()
	b := samplebag.Open(t, path)
	for m, err := range b.View(bagstore.Query{Connections: func(c *bagstore.Connection) bool { return c.Topic == "/images" }}).Messages() {
		need.Must(t, err)
		f(int(binary.LittleEndian.Uint32(m.Data[4:])))
	}
}
