package foxglove

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// await waits for a state that other goroutines bring about.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(end) {
			t.Fatal("timed out waiting for " + what)
		}
		time.Sleep(time.Millisecond)
	}
}

// rig is lanes with one subscription for each name.
func rig(names ...string) (*lanes, map[string]*subscription) {
	l, subs := newLanes(), make(map[string]*subscription)
	for i, name := range names {
		subs[name] = &subscription{id: uint32(i), channel: &channel{Topic: Topic{Name: name}}, lanes: l}
	}
	return l, subs
}

func give(s *subscription, text string, size int, keep bool) *memory {
	m := newMemory(text, strings.Repeat(".", max(size-len(text), 0)))
	s.put(item{Message: Message{m, 0}, keep: keep})
	m.Release()
	return m
}

// drain takes everything out and names it.
func drain(t *testing.T, l *lanes) (order []string) {
	t.Helper()
	for {
		out, ok, err := l.next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return order
		}
		switch {
		case out.control != nil:
			order = append(order, string(out.control))
		case out.time != nil:
			order = append(order, fmt.Sprint(out.time.time))
		default:
			order = append(order, string(out.item.Content(nil)[0]))
			out.item.Release()
		}
	}
}

// TestOrder is what is sent first when everything waits at once.
func TestOrder(t *testing.T) {
	l, s := rig("imu", "odom", "depth", "color")
	give(s["depth"], "depth 1", largeMessage+1, false)
	give(s["imu"], "imu 1", 300, false)
	give(s["imu"], "imu 2", 300, false)
	give(s["imu"], "imu 3", 300, false)
	give(s["color"], "color 1", 1<<20, false)
	give(s["odom"], "odom 1", largeMessage, false)
	lost := give(s["depth"], "depth 2", 1<<20, false)
	give(s["depth"], "depth 3", 1<<20, false)
	l.tell(instant{time: 1})
	l.tell(instant{time: 2})
	l.say([]byte("control"))
	got := strings.Join(drain(t, l), ", ")
	if want := "control, 2, imu 1, odom 1, imu 2, imu 3, depth 3, color 1"; got != want {
		t.Errorf("the order is %s, expected %s", got, want)
	}
	if c := s["depth"].count(0); c.Dropped != 2 || l.lost() != 2 || lost.refs.Load() != 0 {
		t.Errorf("%d depth images were dropped, %d messages at all, %d references left", c.Dropped, l.lost(), lost.refs.Load())
	}
}

// TestBounds fills the lanes with nobody to take anything out.
func TestBounds(t *testing.T) {
	l, s := rig("many", "heavy", "latched")
	for i := range 3 * laneMessages {
		give(s["many"], fmt.Sprint(i), 1, false)
	}
	for i := range 100 {
		give(s["heavy"], fmt.Sprint(i), 60<<10, false)
	}
	many, heavy := s["many"].count(0), s["heavy"].count(0)
	if many.Waiting != laneMessages || many.Dropped != 2*laneMessages {
		t.Errorf("of many messages %+v", many)
	}
	if heavy.Waiting*(60<<10) > laneBytes || heavy.Waiting < 10 || int(heavy.Dropped)+heavy.Waiting != 100 {
		t.Errorf("of heavy messages %+v", heavy)
	}
	kept := give(s["latched"], "kept", 100, true)
	for i := range 3 * laneMessages {
		give(s["latched"], fmt.Sprint(i), 1, false)
	}
	if kept.refs.Load() != 1 {
		t.Error("a latched message was dropped")
	}
	order := drain(t, l)
	if first, last := order[0], order[len(order)-1]; first != fmt.Sprint(2*laneMessages) || last != fmt.Sprint(3*laneMessages-1) {
		t.Errorf("from %s to %s was left; expected the newest", first, last)
	}
	for range 100 {
		give(s["latched"], "", 60<<10, true)
	}
	if _, _, err := l.next(); err != errLatchedFull {
		t.Errorf("with 6 MB of latched messages: %v", err)
	}
	l.close()
	l, _ = rig()
	for range controlBytes>>20 + 1 {
		l.say(make([]byte, 1<<20))
	}
	if _, _, err := l.next(); err != errControlFull {
		t.Errorf("with too much to say: %v", err)
	}
}

// TestEnd releases what waits when a subscription ends, and when the client leaves.
func TestEnd(t *testing.T) {
	l, s := rig("a", "b")
	var all []*memory
	for _, sub := range s {
		all = append(all, give(sub, "small", 10, false), give(sub, "latched", 10, true), give(sub, "large", 1<<20, false))
	}
	s["a"].end()
	all = append(all, give(s["a"], "late", 10, false))
	if got := strings.Join(drain(t, l), ", "); got != "small, latched, large" {
		t.Errorf("after the end of a there is %s", got)
	}
	all = append(all, give(s["b"], "small", 10, false), give(s["b"], "large", 1<<20, false))
	l.close()
	all = append(all, give(s["b"], "late", 10, false))
	for i, m := range all {
		if n := m.refs.Load(); n != 0 {
			t.Errorf("message %d has %d references left", i, n)
		}
	}
}
