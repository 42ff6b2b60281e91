package rosbag

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/place"
	"rsros/program/buffers"
	"rsros/test/need"
	"rsros/test/workload"
)

// The workload matches the C++ peers': depth and colour at 1280x720 and 30 Hz, with an IMU at 200 Hz.
// BENCH_PAIRS is the number of image pairs (default 150, 0.7 GB); BENCH_DIR is the folder for the bags.

const (
	benchPool  = 16
	benchStart = bagstore.Time(1_700_000_000) * 1e9
)

func benchPairs() int {
	if n, err := strconv.Atoi(os.Getenv("BENCH_PAIRS")); err == nil {
		return n
	}
	return 150
}

func benchPath(b *testing.B, name string) string {
	dir := os.Getenv("BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	path := filepath.Join(dir, name)
	b.Cleanup(func() { os.Remove(path) })
	return path
}

// benchMemory allocates image memory in huge pages, as a camera does.
func benchMemory(n int) []byte {
	b := buffers.Aligned((n+buffers.HugePage-1)&^(buffers.HugePage-1), buffers.HugePage)
	buffers.AdviseHuge(b)
	return b[:n]
}

// camera is the workload, in memory.
type camera struct {
	depth, color [benchPool][]byte
	head         []byte // image message without its pixels
	imu          []byte
	onlyDepth    bool // of each pair
}

func newCamera() *camera {
	c := &camera{head: make([]byte, 70), imu: make([]byte, 352)}
	for i := range benchPool {
		c.depth[i] = workload.Depth(benchMemory(workload.DepthSize), i)
		c.color[i] = workload.Color(benchMemory(workload.ColorSize), i)
	}
	return c
}

// write writes the workload and returns its size in bytes. The pixels never change, so they may be
// lent.
func (c *camera) write(tb testing.TB, path string, o bagstore.Options, pairs int, lent bool) (bytes int64) {
	o.Overwrite = true
	w, err := Create(path, o)
	need.Must(tb, err)
	for _, topic := range []string{"/camera/depth/image_raw", "/camera/color/image_raw", "/camera/imu"} {
		if _, err := w.AddConnection(bagstore.Connection{Topic: topic, Type: "sensor_msgs/Image", MD5: "060021388200f6f0f447d0fcd9c64743"}); err != nil {
			tb.Fatal(err)
		}
	}
	put := func(conn uint32, t bagstore.Time, parts ...[]byte) {
		if c.onlyDepth && conn != 0 {
			return
		}
		write := w.Write
		if lent {
			write = func(conn uint32, t bagstore.Time, parts ...[]byte) error { return w.Lend(conn, t, func() {}, parts...) }
		}
		need.Must(tb, write(conn, t, parts...))
	}
	imu := 0
	for i := range pairs {
		t := benchStart + bagstore.Time(i)*1e9/30
		for ; benchStart+bagstore.Time(imu)*1e9/200 <= t; imu++ {
			put(2, benchStart+bagstore.Time(imu)*1e9/200, c.imu)
		}
		put(0, t, c.head, c.depth[i%benchPool])
		put(1, t+100_000, c.head, c.color[i%benchPool])
	}
	need.Must(tb, w.Close())
	if why := w.c.sink.Fallback(); why != nil {
		tb.Logf("no direct writing: %v", why)
	}
	return int64(w.Stats().Bytes)
}

// meter reports bytes per second and CPU seconds per gigabyte.
func meter(b *testing.B, run func() int64) {
	b.Helper()
	b.ReportAllocs()
	total := int64(0)
	u0, s0 := workload.CPUTime()
	for b.Loop() {
		total += run()
	}
	u, s := workload.CPUTime()
	gb := float64(total) / 1e9
	b.ReportMetric(float64(total)/1e6/b.Elapsed().Seconds(), "MB/s")
	b.ReportMetric((u-u0)/gb, "user-s/GB")
	b.ReportMetric((s-s0)/gb, "sys-s/GB")
}

func BenchmarkWriteImages(b *testing.B) {
	c := newCamera()
	for _, k := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		for _, sink := range []struct {
			name string
			kind bagstore.SinkKind
			lent bool
		}{{"buffered", bagstore.Buffered, false}, {"direct", bagstore.Direct, false}, {"lent", bagstore.Direct, true}} {
			for _, noSync := range []bool{true, false} {
				b.Run(fmt.Sprintf("%s/%s/sync=%t", k, sink.name, !noSync), func(b *testing.B) {
					path := benchPath(b, "w.bag")
					meter(b, func() int64 {
						return c.write(b, path, bagstore.Options{Compression: k, Sink: sink.kind, NoSync: noSync}, benchPairs(), sink.lent)
					})
				})
			}
		}
	}
}

// BenchmarkWriteDepth compresses depth images, which have short runs.
func BenchmarkWriteDepth(b *testing.B) {
	c := newCamera()
	c.onlyDepth = true
	path := benchPath(b, "depth.bag")
	meter(b, func() int64 {
		return c.write(b, path, bagstore.Options{Compression: bagstore.LZ4, Sink: bagstore.Buffered, NoSync: true}, benchPairs(), false)
	})
}

// BenchmarkWriteBare measures the disk alone: it writes the workload's images one after the other,
// bypassing the page cache.
func BenchmarkWriteBare(b *testing.B) {
	c := newCamera()
	path := benchPath(b, "bare")
	meter(b, func() (bytes int64) {
		f, err := place.New(path, true)
		need.Must(b, err)
		if _, err := disk.SetDirect(f.File); err != nil {
			need.System(b, "%v", err)
		}
		for i := range benchPairs() {
			for _, image := range [][]byte{c.depth[i%benchPool], c.color[i%benchPool]} {
				if _, err := f.Write(image); err != nil {
					b.Fatal(err)
				}
				bytes += int64(len(image))
			}
		}
		need.Must(b, errors.Join(f.Sync(), f.Close()))
		return bytes
	})
}

func writeTiny(tb testing.TB, path string, n int, o bagstore.Options) {
	o.Overwrite = true
	w, err := Create(path, o)
	need.Must(tb, err)
	for i := range 4 {
		if _, err := w.AddConnection(bagstore.Connection{Topic: fmt.Sprintf("/t%d", i), Type: "std_msgs/UInt64", MD5: "1b2a79973e8bf53d7b53acb71299cb57", Definition: "uint64 data\n"}); err != nil {
			tb.Fatal(err)
		}
	}
	var data [8]byte
	for i := range n {
		binary.LittleEndian.PutUint64(data[:], uint64(i))
		need.Must(tb, w.Write(uint32(i&3), benchStart+bagstore.Time(i)*100_000, data[:]))
	}
	need.Must(tb, w.Close())
}

func BenchmarkWriteTiny(b *testing.B) {
	for _, k := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		b.Run(string(k), func(b *testing.B) {
			path := benchPath(b, "tiny.bag")
			for b.Loop() {
				writeTiny(b, path, 1_000_000, bagstore.Options{Compression: k, NoSync: true})
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/1e6, "ns/msg")
		})
	}
}

func openBench(b *testing.B, path string) *bagstore.Recording {
	bag, err := Open(path, bagstore.OpenOptions{})
	need.Must(b, err)
	return bag
}

// readBag reads every message.
func readBag(b *testing.B, path string) (bytes int64) {
	bag := openBench(b, path)
	defer bag.Close()
	v := bagstore.NewView([]*bagstore.Recording{bag}, bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	for it.Next() {
		bytes += int64(len(it.Message().Data))
	}
	if it.Err() != nil {
		b.Fatal(it.Err())
	}
	return bytes
}

func BenchmarkReadImages(b *testing.B) {
	c := newCamera()
	for _, k := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		path := benchPath(b, string(k)+".bag")
		c.write(b, path, bagstore.Options{Compression: k, NoSync: true}, benchPairs(), false)
		b.Run(string(k), func(b *testing.B) { meter(b, func() int64 { return readBag(b, path) }) })
	}
}

// BenchmarkReadPeak reads the bag named by BENCH_BAG in an otherwise empty process and reports resident
// memory in MB: the peak, and at the end anonymous memory and mapped files, including the program.
func BenchmarkReadPeak(b *testing.B) {
	path := need.Variable(b, "BENCH_BAG")
	meter(b, func() int64 { return readBag(b, path) })
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		need.System(b, "%v", err)
	}
	for name, unit := range map[string]string{"VmHWM": "peak-MB", "RssAnon": "anon-MB", "RssFile": "file-MB"} {
		var kB float64
		if _, after, ok := strings.Cut(string(status), name+":"); ok {
			fmt.Sscan(after, &kB) //nolint:errcheck // 0 shows
		}
		b.ReportMetric(kB*1024/1e6, unit)
	}
}

func BenchmarkTiny(b *testing.B) {
	for _, k := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		path := benchPath(b, "tiny"+string(k)+".bag")
		writeTiny(b, path, 1_000_000, bagstore.Options{Compression: k, NoSync: true})
		b.Run("read/"+string(k), func(b *testing.B) {
			for b.Loop() {
				readBag(b, path)
			}
		})
		b.Run("range/"+string(k), func(b *testing.B) {
			for b.Loop() {
				bag := openBench(b, path)
				for _, err := range bag.View(bagstore.Query{}).Messages() {
					need.Must(b, err)
				}
				bag.Close()
			}
		})
		b.Run("open/"+string(k), func(b *testing.B) {
			for b.Loop() {
				openBench(b, path).Close()
			}
		})
		b.Run("seek/"+string(k), func(b *testing.B) { benchSeek(b, path) })
	}
}

// benchSeek creates a view and an iterator for each seek and reports the median, as the C++ peer does.
func benchSeek(b *testing.B, path string) {
	bag := openBench(b, path)
	defer bag.Close()
	rnd := rand.New(rand.NewPCG(7, 7))
	start, span := bag.Start(), int64(bag.End()-bag.Start())
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		v := bagstore.NewView([]*bagstore.Recording{bag}, bagstore.Query{Start: start + bagstore.Time(rnd.Int64N(span))})
		it := v.Iterator()
		if !it.Next() {
			b.Fatal(it.Err())
		}
		it.Close()
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
}

func BenchmarkSeekImages(b *testing.B) {
	c := newCamera()
	for _, k := range []bagstore.Compression{bagstore.None, bagstore.LZ4} {
		path := benchPath(b, "seek"+string(k)+".bag")
		c.write(b, path, bagstore.Options{Compression: k, NoSync: true}, benchPairs(), false)
		b.Run(string(k), func(b *testing.B) { benchSeek(b, path) })
	}
}
