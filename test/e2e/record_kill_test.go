package e2e

import (
	"encoding/binary"
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
	"rsros/msgs"
	"rsros/node/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// camera publishes numbered images at a pace, and knows when it has published them.
type camera struct {
	mu   sync.Mutex
	at   []time.Time
	late time.Duration // of its timer and of small writes to the disk, at most
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

// published returns how many images were published before a time, and how late the machine was.
func (c *camera) published(before time.Time) (n int, late time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n < len(c.at) && c.at[n].Before(before) {
		n++
	}
	return n, c.late
}

// TestKilledRecord kills recorders of more images than they can compress at many instants. After recover, at
// most the last 0.1 s is missing, and stock rosbag finds messages from 0.5 s after the first one on. A busy
// machine gets what it was late on top.
func TestKilledRecord(t *testing.T) {
	python := need.Python(t, "rosbag")
	for _, compression := range []string{"", "--lz4", "--bz2"} {
		t.Run("with"+compression, func(t *testing.T) {
			g := onRoscore(t)
			o := g.onlooker()
			for after := 600 * time.Millisecond; after < 3*time.Second; after += 750 * time.Millisecond {
				g.killRecord(o, python, compression, after)
			}
		})
	}
}

// killRecord kills one recorder some time after it has got the first image.
func (g *graph) killRecord(o *onlooker, python, compression string, after time.Duration) {
	t := g.t
	t.Helper()
	topic := "/images_" + strconv.FormatInt(after.Milliseconds(), 10)
	p, err := o.node.Advertise(ros.PublisherOptions{Topic: topic, Type: msgs.MustType("std_msgs/String")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	bag := filepath.Join(t.TempDir(), "x.bag")
	args := []string{"record", "-O", bag, topic}
	if compression != "" {
		args = append(args, compression)
	}
	record := g.start(peer.Program(t), args...)
	g.awaitAudience(1, topic)
	var c camera
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		c.run(t, p, stop)
	}()
	var began time.Time
	peer.Await(t, "the time of the kill", func() bool {
		if n, _ := c.published(time.Now()); n == 0 {
			return false
		}
		if began.IsZero() {
			began = time.Now()
		}
		return time.Since(began) > after
	})
	killed := time.Now()
	record.Signal(syscall.SIGKILL)
	record.Wait()
	close(stop)
	<-done

	_, late := c.published(killed)
	count, _ := g.try(python, "-c", "import rosbag,sys; print(rosbag.Bag(sys.argv[1]).get_message_count())", bag+".active")
	if stock, _ := strconv.Atoi(strings.TrimSpace(count)); stock == 0 && after > 500*time.Millisecond+5*late {
		t.Errorf("%s killed after %v: stock rosbag finds no message", compression, after)
	}
	g.try(peer.Program(t), "recover", "-o", bag, bag+".active")
	want, _ := c.published(killed.Add(-100*time.Millisecond - 5*late))
	got := numbersOf(t, bag)
	for i, n := range got {
		if n != uint32(i) {
			t.Fatalf("%s killed after %v: image %d is number %d", compression, after, i, n)
		}
	}
	if len(got) < want {
		t.Errorf("%s killed after %v: recover found %d images of %d that were published 0.1 s before (the machine was %v late)", compression, after, len(got), want, late)
	}
	t.Logf("%s killed after %v: %d images, %d due, late %v, stock %s", compression, after, len(got), want, late, count)
}

// numbersOf returns the numbers of the images of a bag.
func numbersOf(t *testing.T, path string) (numbers []uint32) {
	t.Helper()
	b, err := bagstore.Open(path, bagstore.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	samplebag.Each(t, func(m bagstore.Message) { numbers = append(numbers, binary.LittleEndian.Uint32(m.Data[4:])) }, b)
	return numbers
}
