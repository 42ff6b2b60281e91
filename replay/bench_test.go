package replay

import (
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/test/need"
)

// BenchmarkPlayer measures the player itself: reading ahead, the state machine and the clock, without
// waiting and without sockets.
func BenchmarkPlayer(b *testing.B) {
	for name, size := range map[string]int{"imu": 324, "image": 2764800} {
		b.Run(name, func(b *testing.B) {
			count := min(20000, (256<<20)/size)
			path := filepath.Join(b.TempDir(), "bench.bag")
			w, err := rosbag.Create(path, bagstore.Options{})
			need.Must(b, err)
			typ := msgs.MustType("sensor_msgs/Image")
			id, err := w.AddConnection(bagstore.Connection{Topic: "/a", Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition})
			need.Must(b, err)
			data := make([]byte, size)
			for i := range count {
				need.Must(b, w.Write(id, bag0+bagstore.Time(i*ms), data))
			}
			need.Must(b, w.Close())
			bag, err := rosbag.Open(path, bagstore.OpenOptions{})
			need.Must(b, err)
			defer bag.Close() //nolint:errcheck // only read
			b.SetBytes(int64(size * count))
			b.ReportAllocs()
			for b.Loop() {
				p, err := New(Options{Source: Bags([]*bagstore.Recording{bag}), Output: Nowhere{}, Clock: &fakeClock{now: wall0}, Settings: Settings{Immediate: true, ClockHz: 100}})
				need.Must(b, err)
				need.Must(b, p.Run(b.Context()))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/message")
		})
	}
}
