package play

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/naming"
	"rsros/program"
	"rsros/replay"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/rig"
)

// cameraGraph returns a graph with a subscriber, and options of a player that plays a recording of 16
// frame sets as a camera into it.
func cameraGraph(t *testing.T) (*ros.Node, Options) {
	t.Helper()
	m := rig.Master(t)
	n := rig.Node(t, m, "judge")
	return n, Options{
		ROS: ros.Config{Name: "player", MasterURI: m.URI(), Host: "127.0.0.1"}, Bags: []string{rig.ReadDifficult(t, "../..").Bag},
		Naming: naming.Wrapper, Log: zerolog.Nop(),
	}
}

// A computer too slow for all frame sets makes the replay incomplete.
func TestSkippedSetsAreIncomplete(t *testing.T) {
	n, o := cameraGraph(t)
	const points = "/camera/depth/color/points"
	if _, err := n.Subscribe(ros.SubscriberOptions{Topic: points}, func(ros.Received) {}); err != nil {
		t.Fatal(err)
	}
	o.Wrapper.PointCloud, o.Wrapper.AlignDepth = true, true
	o.Wrapper.Filters = []string{"spatial", "temporal", "hole_filling"}                                              // much slower than reading
	o.Replay = replay.Settings{WaitForSubscribers: true, Rate: 1e6, Filter: replay.Filter{Topics: []string{points}}} // all at once
	if err := Run(t.Context(), o); !errors.Is(err, program.ErrIncomplete) || !strings.Contains(err.Error(), "weren't processed in time") {
		t.Errorf("%v, want ErrIncomplete for frame sets", err)
	}
	o.LossyOK = true
	if err := Run(t.Context(), o); err != nil {
		t.Errorf("%v, though losses are fine", err)
	}
}

// Messages that nobody subscribes to count as played, as under the SDK's naming.
func TestUnheardMessagesCount(t *testing.T) {
	_, o := cameraGraph(t)
	log := new(rig.Log)
	o.Log = zerolog.New(log)
	o.Replay = replay.Settings{Immediate: true, Filter: replay.Filter{Topics: []string{"/camera/color/image_raw", "/camera/color/camera_info"}}}
	need.Must(t, Run(t.Context(), o))
	if log.Count(": 32 messages") != 1 { // of 16 frames
		t.Errorf("log:\n%s", log)
	}
}

// Compressed images that a slow subscriber loses count, too.
func TestCompressedDropsAreIncomplete(t *testing.T) {
	n, o := cameraGraph(t)
	const topic = "/camera/color/image_raw/compressed"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var once sync.Once
	lost := make(chan struct{})
	if _, err := n.Subscribe(ros.SubscriberOptions{Topic: topic}, func(ros.Received) { <-lost }); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Subscribe(ros.SubscriberOptions{Topic: "/player/status"}, func(r ros.Received) {
		var s msgs.DiagnosticStatus
		if msgs.Unmarshal(r.Data, &s) != nil {
			return
		}
		for _, v := range s.Values {
			if strings.HasPrefix(v.Key, "dropped "+topic) && v.Value != "0" {
				once.Do(func() { close(lost); cancel() })
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	o.Queue = 1
	o.Replay = replay.Settings{Loop: true, Rate: 10}
	if err := Run(ctx, o); !errors.Is(err, program.ErrIncomplete) || !strings.Contains(err.Error(), topic+" by /judge") {
		t.Errorf("%v, want ErrIncomplete for compressed images", err)
	}
	once.Do(func() { close(lost) })
}
