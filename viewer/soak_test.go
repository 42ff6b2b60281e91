package viewer

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"rsros/test/peer"
	"rsros/test/visitor"
)

// TestDeaf has viewers that read nothing: they keep an image or two each, which are free when they have gone.
func TestDeaf(t *testing.T) {
	const deaf, each = 20, 1 << 20 // an image has up to 300 KiB
	s, page, hello := start(t, Options{}, "sim")
	streams := streams(hello["source"])
	heap := func() uint64 {
		runtime.GC()
		runtime.GC() // what the first one left in pools
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	t.Run("deaf", func(t *testing.T) { // they leave at its end
		for range deaf {
			v := visitor.DialViewer(t, page.Page)
			for _, name := range []string{"Depth_0", "Color_0", "Infrared_1", "Infrared_2"} {
				v.SubscribeAs(streams[name], "packed", 1)
			}
		}
		peer.Await(t, "all to have missed images", func() bool {
			missed := 0
			for _, v := range s.viewers.All() {
				if v.Dropped() > 100 {
					missed++
				}
			}
			return missed == deaf
		})
		if now := heap(); now > before+deaf*each {
			t.Errorf("%d bytes for %d viewers that don't read", now-before, deaf)
		}
	})
	peer.Await(t, "all to have left, and their memory to be free", func() bool {
		return len(s.viewers.All()) == 1 && heap() < before+maxFree+1<<20
	})
}

// TestSoak has viewers and Foxglove's clients come, watch something and go, some in the middle of an
// image: what a client took is free when it has gone.
func TestSoak(t *testing.T) {
	const clients, rounds, growth = 20, 6, 1 << 20 // a client that is kept has more than 64 KiB
	s, page, hello := start(t, Options{}, "sim")
	depth := streams(hello["source"])["Depth_0"]
	const topic = "/device_0/sensor_0/Depth_0/image/data"
	var before uint64
	for n := range rounds {
		t.Run(fmt.Sprint(n), func(t *testing.T) { // whose clients are forgotten at its end
			for range clients {
				v := visitor.DialViewer(t, page.Page)
				v.SubscribeAs(depth, "packed", 1)
				v.Frame()
				v.Conn.CloseNow() //nolint:errcheck // it doesn't say goodbye
				c := visitor.DialFoxglove(t, "ws"+strings.TrimPrefix(page.Page, "http"))
				c.Subscribe(1, topic)
				c.Await("an image", isMessage)
				c.Close()
			}
		})
		peer.Await(t, "all to have left", func() bool {
			return len(s.viewers.All()) == 1 && len(s.current().topicList().byName[topic].taps.All()) == 0
		})
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
