package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/visitor"
	"rsros/viewer/api"
)

// view starts the view command and returns the address of its page.
func view(b *testing.B, args ...string) (*peer.Process, string) {
	p := peer.Start(b, os.Environ(), peer.Released(b), append([]string{"view", "--no-open"}, args...)...)
	p.Await("the page's address", func(out string) bool { return strings.HasSuffix(out, "\n") })
	return p, strings.TrimSpace(p.Stdout())
}

// BenchmarkViewers measures what viewers cost that take each image at once, with depth and
// colour of 1280x720 at 30 from the simulated camera, for 6 s.
func BenchmarkViewers(b *testing.B) {
	const span = 6 * time.Second
	p, page := view(b, "--depth", "1280x720@30", "--color", "1280x720@30", "--infra1", "off", "--infra2", "off",
		"--gyro", "off", "--accel", "off", "sim")
	for _, codec := range []string{"raw", "packed"} {
		serve(b, p, page, codec, 1, 2*span) // until the camera has rendered its scene
		for _, n := range []int{0, 1, 2, 4} {
			b.Run(fmt.Sprintf("%s/%d", codec, n), func(b *testing.B) {
				for b.Loop() {
					cpu, images, size := serve(b, p, page, codec, n, span)
					b.ReportMetric(cpu/span.Seconds(), "processors")
					b.ReportMetric(float64(images)/span.Seconds(), "images/s")
					b.ReportMetric(float64(size)/span.Seconds()/1e6, "MB/s")
				}
				b.ReportMetric(resident(b, p), "MiB")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// serve runs n viewers. It returns the program's processor time in seconds, and the number
// and bytes of images.
func serve(b *testing.B, p *peer.Process, page, codec string, n int, span time.Duration) (cpu float64, images, size int64) {
	var count, received atomic.Int64
	var done atomic.Bool
	var all sync.WaitGroup
	for range n {
		c := visitor.DialViewer(b, page)
		for _, id := range c.Source(func(*api.Source) bool { return true }) {
			c.SubscribeAs(id, codec, 1)
		}
		all.Go(func() {
			defer c.Conn.CloseNow() //nolint:errcheck // it is only left
			c.Await(func(m visitor.Message) bool {
				if m.Body != nil {
					count.Add(1)
					received.Add(int64(len(m.Body)))
				}
				return done.Load()
			})
		})
	}
	time.Sleep(time.Second) // until all have their first images
	cpu, images, size = usedBy(b, p), count.Load(), received.Load()
	time.Sleep(span)
	cpu, images, size = usedBy(b, p)-cpu, count.Load()-images, received.Load()-size
	done.Store(true)
	all.Wait()
	return cpu, images, size
}

// BenchmarkSeek opens the RealSense recording BENCH_BAG, which is not in the page cache, and
// seeks in it while it is paused. It measures the times from the request to the first image of
// depth, or of another video stream.
func BenchmarkSeek(b *testing.B) {
	path := need.Variable(b, "BENCH_BAG")
	_, page := view(b, filepath.Dir(path))
	c := visitor.DialViewer(b, page)
	random := rand.New(rand.NewPCG(1, 1))
	var opens, seeks []float64
	for b.Loop() {
		forget(b, path)
		begun := time.Now()
		c.Send("open", visitor.Object{"id": 1, "file": filepath.Base(path)})
		source := c.Await(func(m visitor.Message) bool {
			if failed := m.Fields["error"]; failed != nil {
				b.Fatal(failed)
			}
			return m.Op == "source" && m.Source != nil
		}).Source
		var chosen uint16
		for _, s := range source.Streams {
			if s.Kind == "video" && (chosen == 0 || s.Format == "Z16") {
				chosen = s.ID
			}
		}
		if chosen == 0 || source.End == nil {
			b.Fatalf("%s has no images to seek to", path)
		}
		c.Subscribe(chosen)
		c.Await(func(m visitor.Message) bool { return m.Body != nil && m.Head.Stream == chosen })
		opens = append(opens, time.Since(begun).Seconds()*1e3)
		c.Send("pause", visitor.Object{"id": 2})
		for range 10 {
			begun, at := time.Now(), random.Int64N(int64(*source.End))
			c.Send("seek", visitor.Object{"id": 3, "time": api.Nanos(at)})
			c.Await(func(m visitor.Message) bool {
				return m.Body != nil && m.Head.Stream == chosen && m.Head.Time == uint64(at)
			})
			seeks = append(seeks, time.Since(begun).Seconds()*1e3)
		}
	}
	b.ReportMetric(0, "ns/op")
	for name, took := range map[string][]float64{"open": opens, "seek": seeks} {
		slices.Sort(took)
		b.ReportMetric(took[len(took)/2], name+"-p50-ms")
		b.ReportMetric(took[len(took)*99/100], name+"-p99-ms")
	}
}

// forget drops a file from the page cache.
func forget(b *testing.B, path string) {
	f, err := os.Open(path)
	need.Must(b, err)
	defer f.Close()
	if err := f.Sync(); err != nil { // unwritten pages can't be dropped
		b.Fatal(err)
	}
	need.Must(b, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
}

// usedBy returns the processor time of a program in seconds.
func usedBy(b *testing.B, p *peer.Process) (seconds float64) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid()))
	need.Must(b, err)
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	for _, f := range fields[11:13] { // utime, stime
		ticks, err := strconv.ParseFloat(string(f), 64)
		need.Must(b, err)
		seconds += ticks / 100 // USER_HZ
	}
	return seconds
}

// resident returns a program's memory without files, in MiB.
func resident(b *testing.B, p *peer.Process) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid()))
	need.Must(b, err)
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	need.Must(b, err)
	return kib / 1024
}
