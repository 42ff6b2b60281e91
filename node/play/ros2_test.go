package play

import (
	"context"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/msgs"
	"rsros/node/bridge"
	"rsros/ros2"
	"rsros/test/need"
	"rsros/test/peer"
)

// TestROS2 controls a replay in ROS 2 by rosbag2's services and by parameters.
func TestROS2(t *testing.T) {
	domain := 102 + os.Getpid()%100
	t.Setenv("ROS_DOMAIN_ID", strconv.Itoa(domain))
	t.Setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
	o := Options{Bags: []string{"../../bagstore/db3/testdata/small.db3"}, Worlds: bridge.ROS2, Quiet: true, Log: zerolog.Nop()}
	o.ROS.Name = "player"
	o.Replay.Paused, o.Replay.Loop = true, true
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, o) }()
	defer cancel()
	n, err := ros2.Join(t.Context(), ros2.Config{Name: "remote", Domain: domain, Range: ros2.Localhost, Log: zerolog.Nop()})
	need.Must(t, err)
	defer n.Close()
	call := func(name, typ string, encode func(*msgs.Encoder)) *msgs.Decoder {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var e msgs.Encoder
		e.BeginCDR()
		encode(&e)
		b, err := n.Call(ctx, name, typ, e.B)
		need.Must(t, err)
		return msgs.NewCDRDecoder(b)
	}
	nothing := func(e *msgs.Encoder) { e.U8(0) }
	player := func(name, typ string, encode func(*msgs.Encoder)) *msgs.Decoder {
		t.Helper()
		return call("/rosbag2_player/"+name, "rosbag2_interfaces/srv/"+typ, encode)
	}
	paused := func() bool { return player("is_paused", "IsPaused", nothing).Bool() }

	peer.Await(t, "a paused player", paused)
	if !player("play_next", "PlayNext", nothing).Bool() || player("burst", "Burst", func(e *msgs.Encoder) { e.U64(3) }).U64() != 3 {
		t.Error("it doesn't step")
	}
	if !player("set_rate", "SetRate", func(e *msgs.Encoder) { e.F64(0.01) }).Bool() || player("get_rate", "GetRate", nothing).F64() != 0.01 {
		t.Error("the rate isn't set")
	}
	if player("set_rate", "SetRate", func(e *msgs.Encoder) { e.F64(-1) }).Bool() {
		t.Error("the rate is -1")
	}
	if !player("seek", "Seek", func(e *msgs.Encoder) { e.Time(msgs.NewTime(1, 50_000_000)) }).Bool() {
		t.Error("it doesn't seek")
	}
	play := func(length int32) bool {
		return player("play", "Play", func(e *msgs.Encoder) {
			for _, v := range []int32{0, 0, length, 0, -1, 0} {
				e.I32(v)
			}
		}).Bool()
	}
	if play(1) || !play(-1) || paused() || play(-1) || player("play_next", "PlayNext", nothing).Bool() {
		t.Error("play: want it once, and without an end")
	}
	player("toggle_paused", "TogglePaused", nothing)
	player("pause", "Pause", nothing)
	if !paused() {
		t.Error("it plays")
	}
	player("resume", "Resume", nothing)

	// Parameters.
	events := make(chan []byte, 10)
	_, err = n.Subscribe(ros2.SubscriberOptions{
		Topic: "/parameter_events", Type: "rcl_interfaces/msg/ParameterEvent", QoS: ros2.QoS{Reliable: true, Depth: 10},
		Callback: func(r ros2.Received) { events <- slices.Clone(r.Data) },
	})
	need.Must(t, err)
	set := func(name string, encode func(*msgs.Encoder)) (bool, string) {
		d := call("/player/set_parameters", "rcl_interfaces/srv/SetParameters", func(e *msgs.Encoder) {
			e.Len(1)
			e.String(name)
			encode(e)
		})
		d.Len(1)
		return d.Bool(), d.String()
	}
	value := func(kind uint8, f float64) func(*msgs.Encoder) {
		return func(e *msgs.Encoder) {
			e.U8(kind)
			e.Bool(f != 0)
			e.I64(int64(f))
			e.F64(f)
			e.String("")
			for range 5 {
				e.Len(0)
			}
		}
	}
	if done, why := set("rate", value(3, 0.5)); !done || player("get_rate", "GetRate", nothing).F64() != 0.5 {
		t.Errorf("the rate isn't set: %s", why)
	}
	if done, why := set("position", value(3, 0.1)); !done {
		t.Errorf("the position isn't set: %s", why)
	}
	for name, encode := range map[string]func(*msgs.Encoder){"rate": value(2, 1), "none": value(3, 1), "position": value(3, 1e9)} {
		if done, _ := set(name, encode); done {
			t.Errorf("%s was set", name)
		}
	}
	d := call("/player/list_parameters", "rcl_interfaces/srv/ListParameters", func(e *msgs.Encoder) { e.Len(0); e.U64(0) })
	var names []string
	for range d.Len(5) {
		names = append(names, d.String())
	}
	if want := []string{"loop", "paused", "position", "rate"}; !slices.Equal(names, want) {
		t.Errorf("parameters %q, want %q", names, want)
	}
	select {
	case <-events:
	case <-time.After(20 * time.Second):
		t.Error("no parameter event")
	}
	player("stop", "Stop", nothing)
	need.Must(t, <-ended)
}
