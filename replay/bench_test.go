package replay

import (
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// BenchmarkPlayer measures the player itself: reading ahead, the state machine and the clock, without
// waiting and without sockets.
func BenchmarkPlayer(b *testing.B) {
	for name, size := range map[string]int{"imu": 324, "image": 2764800} {
		b.Run(name, func(b *testing.B) {
			count := min(20000, (256<<20)/size)
			path := filepath.Join(b.TempDir(), "bench.bag")
			w := samplebag.Create(b, path, bagstore.Options{})
			data := make([]byte, size)
			for i := range count {
				w.Put(samplebag.Topic("/a", "sensor_msgs/Image"), bag0+bagstore.Time(i*ms), data)
			}
			w.Done()
			bag := samplebag.Open(b, path)
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
