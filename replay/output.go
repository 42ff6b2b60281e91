package replay

import (
	"context"

	"rsros/bagstore"
	"rsros/msgs"
)

// Output receives a player's messages. Its methods and those of its sinks are called
// by the goroutine of Run, except that a source's goroutine may call Publish for messages
// made by a Deferred. An output may embed Nowhere for what it doesn't need.
type Output interface {
	// Advertise announces a channel. Several channels may share a topic. If it
	// fails, the channel is left out and reported in Player.Problems.
	Advertise(Channel) (Sink, error)
	// Ready returns when subscribers can find the channels.
	Ready(context.Context) error
	// Reads reports whether the output reads a channel's messages, which aren't mapped then.
	Reads(Channel) bool
	// PublishClock publishes /clock. It is called only if Settings.ClockHz is not 0.
	PublishClock(bagstore.Time)
	// Losses returns the number of messages that slow subscribers lost, and of derived
	// messages, such as compressed images, that were left out because the machine was too slow.
	Losses() (dropped, skipped uint64)
	// Settle waits until the messages that sinks derive from others are published.
	Settle(context.Context) error
	// Flush waits, after Settle, until all published messages have been sent.
	Flush(context.Context) error
}

// Channel is the messages of one recorded publisher on one topic.
type Channel struct {
	Topic      string // a legal name
	Type       msgs.Type
	CallerID   string
	Latch      bool // a late subscriber gets the last message
	BestEffort bool // all of its publishers offered best effort in ROS 2
	LatchAll   bool // a late subscriber gets the last message of every msgs.Raw.Key, or all
}

// Sink takes the messages of one channel. The Body of a channel that doesn't latch
// may be a file's mapping, for the kernel to read (bagstore.Query.Mapped).
type Sink interface {
	// Room waits until a message of a size can be published without loss. If ctx ends first, the error names
	// the subscriber that takes long, and wraps the cause. It is called only with Settings.Immediate.
	Room(ctx context.Context, size int64) error
	// Publish passes the message on. With Settings.Immediate, it waits until there is room
	// for it, so that none is lost; otherwise it doesn't wait.
	Publish(context.Context, msgs.Raw) error
	// Subscribers returns the number of current subscribers.
	Subscribers() int
}

// Recaller is a Sink that shows the state at one moment; the command Recall passes it
// the message of that moment. Recall is called like Publish, by the same goroutine.
type Recaller interface{ Recall(msgs.Raw) }

// Nowhere is an Output and a Sink that discards everything.
type Nowhere struct{}

func (n Nowhere) Advertise(Channel) (Sink, error) { return n, nil }
func (Nowhere) Ready(context.Context) error       { return nil }
func (Nowhere) Reads(Channel) bool                { return false }
func (Nowhere) PublishClock(bagstore.Time)        {}
func (Nowhere) Losses() (dropped, skipped uint64) { return 0, 0 }
func (Nowhere) Settle(context.Context) error      { return nil }
func (Nowhere) Flush(context.Context) error       { return nil }
func (Nowhere) Room(context.Context, int64) error { return nil }
func (Nowhere) Subscribers() int                  { return 0 }

func (Nowhere) Publish(_ context.Context, m msgs.Raw) error {
	if m.Owner != nil {
		m.Owner.Release()
	}
	return nil
}
