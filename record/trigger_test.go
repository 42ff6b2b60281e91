package record

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"rsros/test/need"
)

// TestSilences checks that each silence triggers once: one that a tick sees, and one that ends between two ticks.
func TestSilences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fired := 0
		same := func(name string) (string, error) { return name, nil }
		r, err := newTriggers(TriggerRules{Silences: []string{"/odom=0.3"}}, &definitions{}, same, zerolog.Nop(), func(string) { fired++ })
		need.Must(t, err)
		want := func(n int, when string) {
			t.Helper()
			if fired != n {
				t.Errorf("%s: %d triggers, want %d", when, fired, n)
			}
		}
		r.tick(time.Now())
		r.heard("/other")
		time.Sleep(time.Second)
		r.tick(time.Now())
		want(0, "before the first message")
		for range 5 {
			r.heard("/odom")
			time.Sleep(299 * time.Millisecond)
			r.tick(time.Now())
		}
		want(0, "messages in time")
		time.Sleep(2 * time.Millisecond)
		r.heard("/odom")
		r.tick(time.Now())
		want(1, "a silence between two ticks")
		time.Sleep(time.Second)
		r.tick(time.Now())
		r.tick(time.Now())
		r.heard("/odom")
		want(2, "a silence that a tick has seen")
	})
}

// TestTriggerWithBlockedLog checks that other topics trigger while the log blocks the line about a topic.
func TestTriggerWithBlockedLog(t *testing.T) {
	log := blockedLog{make(chan struct{}), make(chan struct{})}
	r := &triggers{log: zerolog.New(log), bad: map[string]bool{}}
	said := make(chan struct{})
	go func() {
		r.failed("/dropped", errors.New("no such field"))
		close(said)
	}()
	<-log.blocked
	r.failed("/dropped", errors.New("no such field")) // said already
	if !r.due() {
		t.Error("no trigger is due")
	}
	close(log.until)
	<-said
}
