package foxglove

import (
	"fmt"
	"strings"
	"testing"

	"rsros/test/peer"
	"rsros/test/visitor"
)

// TestSlowClient connects one client that reads and one that pauses: the first receives everything, the
// second every small message and the newest image.
func TestSlowClient(t *testing.T) {
	const images, samples = 30, 20 // samples per image
	f := newFake("/image", "/imu")
	s, url := start(t, Options{Source: f})
	fast, slow := visitor.DialFoxglove(t, url), visitor.DialFoxglove(t, url)
	for _, c := range []*visitor.Foxglove{fast, slow} {
		c.Subscribe(1, "/image")
		c.Subscribe(2, "/imu")
	}
	peer.Await(t, "the subscriptions", func() bool { return len(subscriptions(s, "/image")) == 2 && len(subscriptions(s, "/imu")) == 2 })
	pixels := strings.Repeat("x", 1<<20)
	for i := range images {
		f.publish("/image", int64(i), "head", pixels)
		for k := range samples {
			f.publish("/imu", int64(i*samples+k), fmt.Sprint(i*samples+k))
		}
		fast.Await("each image", func(e visitor.Event) bool { return e.ID == 1 && e.Time == int64(i) && len(e.Data) == len(pixels)+4 })
	}
	received, warned := 0, false
	next := int64(0)
	for last := int64(-1); last < images-1 || next < images*samples; {
		e := slow.Await("what was kept", func(e visitor.Event) bool { return isMessage(e) || e.Op == "status" })
		switch {
		case e.Op == "status":
			warned = true
		case e.ID == 2 && e.Time != next:
			t.Fatalf("sample %d came, expected %d", e.Time, next)
		case e.ID == 2:
			next++
		case e.Time <= last:
			t.Fatalf("image %d came after %d", e.Time, last)
		default:
			last = e.Time
			received++
		}
	}
	var got status
	for !warned {
		slow.AwaitOp("status").Decode(t, &got)
		warned = got.Message == dropText && got.ID == dropStatusID && got.Level == levelWarning
	}
	var dropped []int
	for _, sub := range subscriptions(s, "/image") {
		dropped = append(dropped, int(sub.large.Counts().Dropped))
	}
	for _, sub := range subscriptions(s, "/imu") {
		if n := sub.small.Counts().Dropped; n > 0 {
			t.Errorf("%d samples were dropped", n)
		}
	}
	if lost := images - received; lost == 0 || len(dropped) != 2 || dropped[0]+dropped[1] != lost {
		t.Errorf("the slow client lost %d images; counted were %d", lost, dropped)
	}
}
