package viewer

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"rsros/test/peer"
	"rsros/test/visitor"
)

// TestSoak has viewers and Foxglove's clients come, watch something and go, some in the middle of an
// image: what a client took is free when it has gone.
func TestSoak(t *testing.T) {
	const clients, rounds, growth = 20, 6, 1 << 20 // a client that is kept has more than 64 KiB
	s, page, hello := start(t, Options{}, "sim")
	depth := streams(hello["source"])["Depth_0"]
	var before uint64
	for n := range rounds {
		t.Run(fmt.Sprint(n), func(t *testing.T) { // whose clients are forgotten at its end
			for range clients {
				v := visitor.DialViewer(t, page.Page)
				v.SubscribeAs(depth, "packed", 1)
				v.Frame()
				v.Conn.CloseNow() //nolint:errcheck // it doesn't say goodbye
				c := visitor.DialFoxglove(t, "ws"+strings.TrimPrefix(page.Page, "http"))
				c.Subscribe(1, "/device_0/sensor_0/Depth_0/image/data")
				c.Await("an image", isMessage)
				c.Close()
			}
		})
		peer.Await(t, "all to have left", func() bool { return len(s.viewers.All()) == 1 && len(s.foxglove.Counts()) == 0 })
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what the first one left in pools
		runtime.ReadMemStats(&m)
		t.Logf("after round %d the heap has %d bytes", n, m.HeapAlloc)
		if n == 1 { // pools are full
			before = m.HeapAlloc
		}
		if n > 1 && m.HeapAlloc > before+growth {
			t.Errorf("after round %d the heap has %d bytes, after the second one %d", n+1, m.HeapAlloc, before)
		}
	}
}
