package live

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/playback"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/control"
	"rsros/node/naming"
	"rsros/program/work"
	"rsros/replay"
	"rsros/ros"
)

// bagDevice makes a recording, as a live node's device, a control.Player, so that it has
// play's services, topics and parameters. It publishes /clock on the time line of its
// frames' stamps.
type bagDevice struct {
	camdriver.NopHandler
	dev    *playback.Device
	stamps *naming.Stamper
	ended  func() // stops the node
	clock  *ros.Publisher

	frames atomic.Uint64
	bytes  atomic.Uint64
	begun  atomic.Bool
	offset atomic.Int64 // ROS time of file time 0
	once   sync.Once
}

const clockHz = 100

// offerPlayback offers the controls of playback if the device is a recording.
func (c *camera) offerPlayback(ctx context.Context) error {
	dev, ok := c.device.(*playback.Device)
	if !ok {
		return nil
	}
	t := msgs.MustType("rosgraph_msgs/Clock")
	clock, err := c.node.Advertise(ros.PublisherOptions{Topic: "/clock", Type: t})
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	b := &bagDevice{dev: dev, stamps: &c.stamps, clock: clock, ended: func() { close(stop) }}
	status, err := control.NewStatus(c.node)
	if err != nil {
		return err
	}
	remote, err := control.Offer(ctx, c.node, b, c.log)
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
	status.Changed = remote.Changed
	c.attach(b, nil)
	c.stopped = stop
	c.cleanup.AddFunc(remote.Close)
	c.cleanup.Go(func(ctx context.Context) { b.run(ctx, status) })
	return nil
}

// run publishes /clock and ~status until ctx ends.
func (b *bagDevice) run(ctx context.Context, status *control.Status) {
	var last replay.Status
	n := 0
	work.Every(ctx, time.Second/clockHz, func(time.Time) {
		b.publishClock()
		s := b.Status()
		if n%(clockHz/10) == 0 || s.State != last.State || s.Rate != last.Rate || s.Loop != last.Loop {
			status.Publish(s)
			last = s
		}
		n++
	})
}

func (b *bagDevice) publishClock() {
	if !b.begun.Load() || b.clock.Subscribers() == 0 {
		return
	}
	if at, err := b.dev.Now(); err == nil {
		publish(b.clock, &msgs.Clock{Clock: msgs.Time(b.offset.Load() + int64(at))})
	}
}

// Frame implements camdriver.Handler. The first frame relates file time to stamps.
func (b *bagDevice) Frame(_ int, f *camdriver.Frame) {
	b.frames.Add(1)
	b.bytes.Add(uint64(len(f.Data)))
	if !b.begun.Load() {
		b.offset.Store(int64(b.stamps.Stamp(f)) - int64(b.dev.FileTime(f)))
		b.begun.Store(true)
	}
}

// Do implements control.Player. A device's messages are its frames.
func (b *bagDevice) Do(_ context.Context, command replay.Command) error {
	status := b.dev.Status()
	switch c := command.(type) {
	case replay.Pause:
		if !status.Paused {
			return b.dev.Pause()
		}
		return replay.ErrNoChange
	case replay.Resume:
		if status.Paused {
			return b.dev.Resume()
		}
		return replay.ErrNoChange
	case replay.StepMessage:
		return b.dev.Step()
	case replay.StepFrameSet:
		return b.dev.StepFrameSet()
	case replay.SeekOffset:
		return b.dev.Seek(min(max(c.Offset, 0), status.Duration))
	case replay.SetRate:
		return b.dev.SetSpeed(c.Rate)
	case replay.SetLoop:
		return b.dev.SetLoop(c.On)
	case replay.Stop:
		b.once.Do(b.ended)
		return nil
	}
	return fmt.Errorf("a recording as a device can't execute %T", command)
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
	return b.dev.SeekFrame(id, number)
}

func (b *bagDevice) Status() replay.Status {
	s := b.dev.Status()
	state := replay.Running
	switch {
	case s.Paused:
		state = replay.Paused
	case s.Ended:
		state = replay.Finished
	}
	return replay.Status{
		State: state, Time: bagstore.Time(b.offset.Load() + int64(s.Position)), Position: s.Position, Length: s.Duration,
		Rate: s.Speed, Loop: s.Loop, Round: s.Loops, Messages: b.frames.Load(), Bytes: b.bytes.Load(),
	}
}
