package replay

import (
	"bytes"
	"runtime"
	"testing"
	"testing/synctest"

	"rsros/bagstore"
)

// TestFeedIsBounded: a feed stops at its bound while nobody takes anything, and
// gives everything back.
func TestFeedIsBounded(t *testing.T) {
	var list []raw
	for i := range 40 {
		list = append(list, raw{bag0 + bagstore.Time(i), "/image", "sensor_msgs/Image", make([]byte, 1<<20)})
	}
	view := Bags([]*bagstore.Recording{writeRaw(t, list...)}).View(bagstore.Query{})
	f := newFeed(view, aheadBytes, func() {})
	defer f.close()
	for range 2 { // seeking starts over
		f.seek(0, unlatched)
		for i := range list {
			m, ok, _ := f.next(new(fakeClock))
			if !ok || m.err != nil || m.Time != list[i].at || len(m.Data) != 1<<20 {
				t.Fatalf("message %d: %v, %v, %v", i, m.Time, ok, m.err)
			}
			if ahead := f.now.bytes.Load(); ahead > aheadBytes+1<<20 {
				t.Fatalf("%d bytes ahead", ahead)
			}
			m.block.Release()
		}
		if _, _, end := f.next(new(fakeClock)); !end {
			t.Fatal("more than there is")
		}
	}
	f.seek(0, unlatched) // and stopping in the middle leaves nothing behind
}

// TestSeeksDuringARead: while a read hangs, only the last of many seeks waits for it.
func TestSeeksDuringARead(t *testing.T) {
	view := Bags([]*bagstore.Recording{counting(t, 1)}).View(bagstore.Query{})
	synctest.Test(t, func(t *testing.T) {
		f := newFeed(view, aheadBytes, func() {})
		defer f.close()
		read := make(chan struct{})
		f.seek(0, func(func(item) bool) { <-read })
		synctest.Wait()
		for range 100 {
			f.seek(0, unlatched)
		}
		synctest.Wait()
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if n := bytes.Count(stacks, []byte(".(*feed).work(")); n != 2 { // the one that reads, and the last
			t.Errorf("%d runs read or wait", n)
		}
		close(read)
		m, ok, _ := f.next(new(fakeClock))
		if !ok || m.err != nil {
			t.Fatalf("nothing is read afterwards: %v", m.err)
		}
		m.release()
	})
}

// unlatched is the prelude of what has no latched messages.
func unlatched(func(item) bool) {}
