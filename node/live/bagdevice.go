package live

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/control"
	"rsros/node/naming"
	"rsros/replay"
	"rsros/replay/recorded"
	"rsros/ros"
)

// bagDevice is a recording as a live node's device, with play's services, topics and parameters.
// It publishes /clock on the time line of its frames' stamps.
type bagDevice struct {
	camdriver.NopHandler
	*recorded.Device
	stamps *naming.Stamper
	ended  func() // stops the node
	clock  *ros.Publisher

	begun atomic.Bool
	shift atomic.Int64 // from the device's time line to that of stamps
	once  sync.Once
}

const clockHz = 100

// offerPlayback offers the controls of playback if the device is a recording.
func (c *camera) offerPlayback() error {
	dev, ok := c.device.(*recorded.Device)
	if !ok {
		return nil
	}
	t := msgs.MustType("rosgraph_msgs/Clock")
	clock, err := c.node.Advertise(ros.PublisherOptions{Topic: "/clock", Type: t})
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	b := &bagDevice{Device: dev, stamps: &c.stamps, clock: clock, ended: func() { close(stop) }}
	remote, err := control.Offer(c.node, b, c.log)
	if err != nil {
		return err
	}
	if err := remote.Subscribe("~seek_frame", "std_msgs/String", func(r ros.Received) {
		if err := b.seekFrame(r.Data); err != nil {
			c.log.Warn().Err(err).Msg("~seek_frame")
		}
	}); err != nil {
		return err
	}
	c.attach(b, nil)
	c.stopped = stop
	c.cleanup.AddFunc(remote.Close)
	dev.Observe(b.publishClock, func(s replay.Status) { remote.Publish(b.stamped(s)) })
	c.cleanup.AddFunc(func() { dev.Observe(nil, nil) })
	return nil
}

func (b *bagDevice) publishClock(t bagstore.Time) {
	if b.begun.Load() && b.clock.Subscribers() > 0 {
		publish(b.clock, &msgs.Clock{Clock: msgs.Time(int64(t) + b.shift.Load())})
	}
}

// Frame implements camdriver.Handler. The first frame relates the device's time line to stamps.
func (b *bagDevice) Frame(_ int, f *camdriver.Frame) {
	if !b.begun.Load() {
		b.shift.Store(int64(b.stamps.Stamp(f)) - f.Arrival.UnixNano())
		b.begun.Store(true)
	}
}

// Do implements control.Player.
func (b *bagDevice) Do(ctx context.Context, c replay.Command) error {
	if c == (replay.Stop{}) {
		b.once.Do(b.ended)
		return nil
	}
	return b.Device.Do(ctx, c)
}

// Status implements control.Player.
func (b *bagDevice) Status() replay.Status { return b.stamped(b.Device.Status()) }

// stamped returns a status whose time is that of stamps.
func (b *bagDevice) stamped(s replay.Status) replay.Status {
	s.Time += bagstore.Time(b.shift.Load())
	if !b.begun.Load() {
		s.Time = bagstore.Time(s.Position)
	}
	return s
}

// seekFrame receives a std_msgs/String such as "Depth_0 150", and seeks to the stream's
// first frame with at least that number.
func (b *bagDevice) seekFrame(data []byte) error {
	var m msgs.String
	if err := msgs.Unmarshal(data, &m); err != nil {
		return err
	}
	stream, text, _ := strings.Cut(strings.TrimSpace(m.Data), " ")
	number, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return fmt.Errorf("%q: want a stream and a frame number, such as Depth_0 150", m.Data)
	}
	id, err := camdriver.ParseStreamID(stream)
	if err != nil {
		return err
	}
	return b.SeekFrame(context.Background(), id, number)
}
