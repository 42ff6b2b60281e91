package e2e

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rsros/bagstore"
	recordings "rsros/bagstore/recording"
	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// camera publishes numbered images at a fixed rate, and records when it has published them.
type camera struct {
	mu   sync.Mutex
	at   []time.Time
	late time.Duration // worst delay of its timer and of small writes to the disk
	sync time.Duration // worst delay of a small file's sync
}

const (
	cameraPace  = 10 * time.Millisecond
	cameraBytes = 400_000 // 40 MB/s, more than bzip2 compresses
)

// run publishes until stop is closed.
func (c *camera) run(t *testing.T, p *ros.Publisher, stop chan struct{}) {
	probe, err := os.Create(filepath.Join(t.TempDir(), "probe"))
	if err != nil {
		t.Error(err)
		return
	}
	defer probe.Close()
	var syncs sync.WaitGroup
	defer syncs.Wait()
	syncs.Go(func() { c.timeSyncs(t, probe, stop) })
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	due := time.NewTimer(0)
	for n := 0; ; n++ {
		next := time.Now().Add(cameraPace)
		due.Reset(cameraPace)
		select {
		case <-stop:
			return
		case <-due.C:
		}
		if _, err := probe.Write(noise[:512]); err != nil {
			t.Error(err)
		}
		image := binary.LittleEndian.AppendUint32(nil, uint32(n))
		image = append(image, noise[n%1000*97:][:cameraBytes]...)
		p.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: string(image)})})
		c.mu.Lock()
		c.late = max(c.late, time.Since(next))
		c.at = append(c.at, time.Now())
		c.mu.Unlock()
	}
}

// timeSyncs syncs a file until stop is closed.
func (c *camera) timeSyncs(t *testing.T, f *os.File, stop chan struct{}) {
	for tick := time.NewTicker(10 * cameraPace); ; {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		began := time.Now()
		if err := f.Sync(); err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		c.sync = max(c.sync, time.Since(began))
		c.mu.Unlock()
	}
}

// published returns how many images were published before a time.
func (c *camera) published(before time.Time) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n < len(c.at) && c.at[n].Before(before) {
		n++
	}
	return n
}

// starved returns the total time that the threads of a process have waited for a processor.
func starved(t *testing.T, pid int) (all time.Duration) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	need.Must(t, err)
	for _, thread := range threads {
		text, _ := os.ReadFile(thread) // the thread may have ended
		var ran, waited time.Duration
		if _, err := fmt.Sscan(string(text), &ran, &waited); err == nil {
			all += waited
		}
	}
	return all
}

// TestKilledRecord kills recorders of more images than they can compress at many instants. After
// recover, at most the last 0.1 s is missing (of an MCAP file, 0.6 s), and stock rosbag finds
// messages from 0.5 s after the first one on. The limits are extended by the machine's delays and
// by the recorder's waits for a processor.
func TestKilledRecord(t *testing.T) {
	python := need.Python(t, "rosbag")
	g := onMaster(t)
	for _, k := range []killed{
		{"none", "x.bag", nil, 100 * time.Millisecond}, {"lz4", "x.bag", []string{"--lz4"}, 100 * time.Millisecond},
		{"bz2", "x.bag", []string{"--bz2"}, 100 * time.Millisecond}, {"mcap", "x.mcap", nil, 600 * time.Millisecond},
	} {
		t.Run(k.name, func(t *testing.T) {
			g := g.in(t)
			o := g.onlooker()
			for after := k.missing + 500*time.Millisecond; after < 3*time.Second; after += 1300 * time.Millisecond {
				g.killRecord(o, python, k, after)
			}
		})
	}
}

// killed is a recorder that is killed.
type killed struct {
	name, file string
	args       []string
	missing    time.Duration // at most, at the end
}

// killRecord kills one recorder some time after it received the first image.
func (g *graph) killRecord(o *onlooker, python string, k killed, after time.Duration) {
	t := g.t
	t.Helper()
	topic := fmt.Sprintf("/%s_%d", k.name, after.Milliseconds())
	p, err := o.node.Advertise(ros.PublisherOptions{Topic: topic, Type: msgs.MustType("std_msgs/String")})
	need.Must(t, err)
	defer p.Close()
	bag := filepath.Join(t.TempDir(), k.file)
	record := g.start(peer.Program(t), append([]string{"record", "-O", bag, topic}, k.args...)...)
	g.awaitAudience(1, topic)
	var c camera
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		c.run(t, p, stop)
	}()
	var began time.Time
	peer.Await(t, "the time of the kill", func() bool {
		if began.IsZero() && c.published(time.Now()) > 0 {
			began = time.Now()
		}
		return !began.IsZero() && time.Since(began) > after
	})
	waited, killed := starved(t, record.Pid()), time.Now()
	record.Signal(syscall.SIGKILL)
	record.Wait()
	close(stop)
	<-done

	slack := 2*c.late + waited/4 // several threads wait at the same time
	what := fmt.Sprintf("%s, killed after %v on a machine that was %v late, synced in %v and let it wait %v", k.name, after, c.late, c.sync, waited)
	count := "reads no MCAP"
	if filepath.Ext(bag) == ".bag" {
		count, _ = g.try(python, "-c", "import rosbag,sys; print(rosbag.Bag(sys.argv[1]).get_message_count())", bag+".active")
		// A checkpoint is the sequential work of several threads.
		if stock, _ := strconv.Atoi(strings.TrimSpace(count)); stock == 0 && after > 500*time.Millisecond+slack+waited+2*c.sync {
			t.Errorf("%s: stock rosbag finds no message", what)
		}
	}
	_, code := g.try(peer.Program(t), "recover", "-o", bag, bag+".active")
	if _, checked := g.try(peer.Program(t), "check", bag); code != 1 && checked != 0 {
		t.Errorf("%s: recover ended with %d, check of what it wrote with %d", what, code, checked)
	}
	if filepath.Ext(bag) == ".mcap" { // made safe in the background, one at a time
		slack += 2 * c.sync
	}
	want := c.published(killed.Add(-k.missing - slack))
	if want == 0 {
		t.Logf("%s: nothing is due", what)
		return // there may be nothing to recover
	}
	got := numbersOf(t, bag)
	for i, n := range got {
		if n != uint32(i) {
			t.Fatalf("%s: image %d is number %d", what, i, n)
		}
	}
	if len(got) < want {
		t.Errorf("%s: recover found %d images of %d that were due", what, len(got), want)
	}
	t.Logf("%s: recovered %d, due %d, stock %s", what, len(got), want, strings.TrimSpace(count))
}

// numbersOf returns the numbers of the images of a bag.
func numbersOf(t *testing.T, path string) (numbers []uint32) {
	t.Helper()
	b, err := recordings.Open(path, bagstore.OpenOptions{})
	need.Must(t, err)
	defer b.Close()
	samplebag.Each(t, func(m bagstore.Message) { numbers = append(numbers, binary.LittleEndian.Uint32(m.Data[4:])) }, b)
	return numbers
}
