package replay

import (
	"context"

	"rsros/bagstore"
	"rsros/msgs"
)

// Output is where a player's messages go. Its methods and those of its sinks are
// called by the goroutine of Run; Publish and PublishWait of a sink whose messages are
// made by a Work are called by the source's goroutine.
type Output interface {
	// Advertise announces a channel. Several channels may share a topic. If it
	// fails the channel is left out, and Player.Problems says so.
	Advertise(Channel) (Sink, error)
	// Ready returns when subscribers can find the channels.
	Ready(context.Context) error
	// PublishClock publishes /clock. It is called only if Settings.ClockHz is not 0.
	PublishClock(bagstore.Time)
}

// Channel is what one recorded publisher published on one topic.
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
	// Subscribers is how many there are now.
	Subscribers() int
	// Dropped is the number of messages that slow subscribers lost.
	Dropped() uint64
	// Settle returns when what the sink makes of messages beside them, such as
	// compressed images, is published as well.
	Settle(context.Context) error
	// Flush returns when everything published has left.
	Flush(context.Context) error
}

// Reader is an Output that reads messages of some channels itself, instead of leaving that
// to the kernel. These are never a file's mapping.
type Reader interface{ Reads(Channel) bool }

// Recaller is a Sink that shows what is at one moment, and is told of it by the command
// Recall. Recall is like Publish, also in who calls it.
type Recaller interface{ Recall(msgs.Raw) }
