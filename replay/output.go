package replay

import (
	"context"

	"rsros/bagstore"
	"rsros/msgs"
)

// Output receives a player's messages. Its methods and those of its sinks are called
// by the goroutine of Run, except that the source's goroutine calls Publish and
// PublishWait for messages computed by a Work.
type Output interface {
	// Advertise announces a channel. Several channels may share a topic. If it
	// fails, the channel is left out and reported in Player.Problems.
	Advertise(Channel) (Sink, error)
	// Ready returns when subscribers can find the channels.
	Ready(context.Context) error
	// PublishClock publishes /clock. It is called only if Settings.ClockHz is not 0.
	PublishClock(bagstore.Time)
}

// Channel is the messages of one recorded publisher on one topic.
type Channel struct {
	Topic    string // a legal name
	Type     msgs.Type
	CallerID string
	Latch    bool // a late subscriber gets the last message
	LatchAll bool // a late subscriber gets the last message of every msgs.Raw.Key, or all
}

// Sink takes the messages of one channel. The Body of a channel that doesn't latch
// may be a file's mapping, for the kernel to read (bagstore.Query.Mapped).
type Sink interface {
	// Publish passes the message on without waiting.
	Publish(msgs.Raw)
	// PublishWait waits until there is room for the message, so that none is lost.
	PublishWait(context.Context, msgs.Raw) error
	// Subscribers returns the number of current subscribers.
	Subscribers() int
	// Dropped returns the number of messages that slow subscribers lost.
	Dropped() uint64
	// Settle waits until messages that the sink derives from others, such as
	// compressed images, are published.
	Settle(context.Context) error
	// Flush waits until all published messages have been sent.
	Flush(context.Context) error
}

// Reader is an Output that reads some channels' messages, which aren't mapped then.
type Reader interface{ Reads(Channel) bool }

// Recaller is a Sink that shows the state at one moment; the command Recall passes it
// the message of that moment. Recall is called like Publish, by the same goroutine.
type Recaller interface{ Recall(msgs.Raw) }
