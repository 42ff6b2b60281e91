package play

import (
	"context"
	"testing"

	"github.com/rs/zerolog"

	"rsros/replay"
	"rsros/ros"
	"rsros/test/rig"
)

// TestLoopSoak plays a bag in a loop: the memory in use stays the same from round to round.
func TestLoopSoak(t *testing.T) {
	const messages, rounds = 20, 300
	m := rig.Master(t)
	n := rig.Node(t, m, "judge")
	got := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if _, err := n.Subscribe(ros.SubscriberOptions{Topic: "/chatter"}, func(ros.Received) {
		select {
		case got <- struct{}{}:
		case <-ctx.Done():
		}
	}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{
			ROS: ros.Config{MasterURI: m.URI(), Host: "127.0.0.1"}, Bags: []string{playBag(t, messages)}, Log: zerolog.Nop(),
			Replay: replay.Settings{Loop: true, Immediate: true, WaitForSubscribers: true},
		})
	}()
	rig.Flat(t, rounds, func(int) {
		for range messages {
			select {
			case <-got:
			case err := <-ended:
				t.Fatalf("ended: %v", err)
			}
		}
	})
	stop()
	<-ended
}
