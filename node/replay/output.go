package replay

import (
	"context"

	"rsros/bagstore"
)

// Output is where a player's messages go. All its methods, and those of its
// sinks, are called by the goroutine of Run.
type Output interface {
	// Advertise announces a channel. Several channels may share a topic.
	Advertise(Channel) (Sink, error)
	// Ready returns when everybody can know the channels.
	Ready(context.Context) error
	// PublishClock publishes /clock. It is called only if Options.Clock is on.
	PublishClock(bagstore.Time)
}

// Channel is what one recorded publisher published on one topic.
type Channel struct {
	Topic                 string // a legal name
	Type, MD5, Definition string
	CallerID              string
	Latch                 bool // a late subscriber gets the last message
	LatchAll              bool // a late subscriber gets the last message of every Message.Key, or all
}

// Sink takes the messages of one channel.
type Sink interface {
	// Publish hands the message on without waiting.
	Publish(Message)
	// PublishWait waits until there is room for the message, so that none is lost.
	PublishWait(context.Context, Message) error
	Subscribers() int
	// Dropped counts messages that slow subscribers lost.
	Dropped() uint64
	// Flush returns when everything published has left.
	Flush(context.Context) error
}

// Message is a message's bytes: Head, then Body.
type Message struct {
	Head []byte // valid until Publish returns
	// Body is unchanged until Owner is released. Of a channel that doesn't latch it
	// may be a file's mapping, for the kernel to read (bagstore.Query.Mapped).
	Body []byte
	// Owner is nil if there is no Body. The sink releases it exactly once.
	Owner interface{ Release() }
	Key   string // with LatchAll: replaces the kept message of the same key, if not empty
}
