package page

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/test/peer"
)

// collect records, in the page, the latency of each image: from its arrival at the program to the draw
// call, in ms on the program's clock.
const collect = `(() => {
	window.late = {}
	for (const v of viewer.store.views.value.values()) {
		if (v.info.kind !== 'video') continue
		const list = window.late[v.info.name] = []
		v.onDraw((f) => list.push(performance.timeOrigin + performance.now() + viewer.store.clockOffset.value - Number(f.head.stamp / 1000n) / 1000))
	}
	return true
})()`

// BenchmarkLatency measures the latency of depth and colour of 1280x720 at 30 Hz, for 20 s.
func BenchmarkLatency(b *testing.B) {
	p := peer.Start(b, os.Environ(), peer.Released(b), "view", "--no-open", "--depth", "1280x720@30", "--color", "1280x720@30",
		"--infra1", "off", "--infra2", "off", "--gyro", "off", "--accel", "off", "sim")
	p.Await("the page's address", func(out string) bool { return strings.HasSuffix(out, "\n") })
	page := newTab(b)
	page.open(strings.TrimSpace(p.Stdout()))
	page.await(`window.viewer && viewer.store.connected.value && viewer.store.roundTrip.value !== null`)
	for _, codec := range []string{"raw", "packed"} {
		b.Run(codec, func(b *testing.B) {
			eval[bool](page, `(localStorage.setItem('rs-ros.view.wire', JSON.stringify($1)), true)`, codec)
			page.reload()
			page.await(`window.viewer && viewer.store.roundTrip.value !== null && viewer.store.views.value.size > 1 && [...viewer.store.views.value.values()].every((v) => v.info.kind !== 'video' || v.counters.drawn > 30)`)
			for b.Loop() {
				eval[bool](page, collect)
				time.Sleep(20 * time.Second)
			}
			for name, late := range eval[map[string][]float64](page, "window.late") {
				if len(late) == 0 {
					b.Fatalf("no image of %s was drawn", name)
				}
				slices.Sort(late)
				b.ReportMetric(late[len(late)/2], name+"-p50-ms")
				b.ReportMetric(late[len(late)*99/100], name+"-p99-ms")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
