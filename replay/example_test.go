package replay_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/replay"
)

// testClock jumps to the time that the player waits for.
type testClock struct{ now replay.Wall }

func (c *testClock) Now() replay.Wall   { return c.now }
func (c *testClock) Wait(t replay.Wall) { c.now = t }
func (c *testClock) Wake()              {}

// printer is an Output that prints what is published, and when.
type printer struct {
	replay.Nowhere
	clock *testClock
}

func (p printer) Advertise(c replay.Channel) (replay.Sink, error) { return channel{p, c}, nil }

type channel struct {
	printer
	replay.Channel
}

func (c channel) Publish(_ context.Context, m msgs.Raw) error {
	var s msgs.String
	if err := msgs.Unmarshal(append(m.Head, m.Body...), &s); err != nil {
		log.Fatal(err)
	}
	if m.Owner != nil {
		m.Owner.Release()
	}
	fmt.Println(time.Duration(c.clock.now), c.Topic, s.Data)
	return nil
}

func (c channel) Subscribers() int { return 1 }

// writeGreetings records three messages a second apart.
func writeGreetings(path string) error {
	w, err := rosbag.Create(path, bagstore.Options{})
	if err != nil {
		return err
	}
	typ := msgs.MustType("std_msgs/String")
	id, err := w.AddConnection(bagstore.Connection{Topic: "/greeting", Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition})
	if err != nil {
		return err
	}
	for i, text := range []string{"good morning", "good day", "good night"} {
		if err := w.Write(id, bagstore.NewTime(1_700_000_000+uint32(i), 0), msgs.Marshal(&msgs.String{Data: text})); err != nil {
			return err
		}
	}
	return w.Close()
}

// Play a bag at twice its speed, on a clock that never waits.
func Example() {
	dir, err := os.MkdirTemp("", "replay")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // an example's folder
	path := filepath.Join(dir, "greetings.bag")
	if err := writeGreetings(path); err != nil {
		log.Fatal(err)
	}
	bag, err := rosbag.Open(path, bagstore.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer bag.Close() //nolint:errcheck // only read

	clock := new(testClock)
	player, err := replay.New(replay.Options{
		Source:   replay.Bags([]*bagstore.Recording{bag}),
		Output:   printer{clock: clock},
		Clock:    clock,
		Settings: replay.Settings{Rate: 2, Delay: 100 * time.Millisecond},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := player.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(player.Status().Messages, "messages,", player.Status().State)
	// Output:
	// 100ms /greeting good morning
	// 600ms /greeting good day
	// 1.1s /greeting good night
	// 3 messages, finished
}
