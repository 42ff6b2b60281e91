package foxglove

import (
	"context"
	"time"

	"rsros/msgs"
)

// Graph is what a server shows of a ROS graph. Its methods may be called by several
// goroutines.
type Graph interface {
	// Follow calls back with the state, soon and after each change, until stop is
	// called. Calls don't overlap, and none is under way when stop returns. The state
	// isn't changed afterwards.
	Follow(changed func(*State)) (stop func())

	// Subscribe delivers the messages of a topic of the state, the latched ones
	// first, until stop is called; a call that is under way then may still end.
	// deliver doesn't block, and may be called by several goroutines.
	Subscribe(t Topic, deliver func(Message)) (stop func(), err error)

	// Publish begins to publish a topic.
	Publish(topic string, typ msgs.Type) (Publisher, error)

	// Call calls a service of the state. The request may be reused afterwards.
	Call(ctx context.Context, s Service, request []byte) ([]byte, error)

	// SetParam sets a parameter, or deletes it if the value is nil.
	SetParam(ctx context.Context, name string, value any) error
}

// Recaller is a Graph that can deliver the last message of a topic again, to all its
// subscribers, for one that has just come.
type Recaller interface{ Recall(Topic) }

// State is the state of a graph.
type State struct {
	Topics   []Topic
	Services []Service
	Params   map[string]any // leaves by full name
	Problems []string       // sentences about what can't be shown
	Session  int            // another one means that clients forget what they know

	Publishers, Subscribers map[string][]string // names of nodes by topic
	Providers               map[string][]string // by service
}

// Topic is a topic of one type.
type Topic struct {
	Name    string
	Type    msgs.Type
	Latched bool // a new subscriber gets messages that were published before
}

// Service is a service whose definition is known.
type Service struct {
	Name string
	Type msgs.Service
}

// Message is a message of a topic on its way to several clients.
type Message struct {
	Body
	Time int64 // when it was received, or its recorded time, in ns since 1970
}

// Body is the memory of a message, counted by reference. Its holders don't change it;
// what is in it may be a file's mapping, which only the kernel should read.
type Body interface {
	Retain()
	Release()
	Content(vec [][]byte) [][]byte // appends the parts, valid until Release
	ContentSize() int64
}

// Publisher publishes a topic for a client.
type Publisher interface {
	// Publish sends a message, whose bytes may be reused afterwards.
	Publish(message []byte)
	Close()
}

// Playback is a recording that is played. Its methods may be called by several
// goroutines.
type Playback interface {
	// Range is the time of the first and the last message, in ns; false while nothing is
	// played. That changes with State.Session only.
	Range() (start, end int64, ok bool)
	// Follow calls back with the state, soon, after each change, and several times a
	// second while it plays, until stop is called.
	Follow(changed func(PlaybackState)) (stop func())
	// Do carries a command out and returns the state after it.
	Do(ctx context.Context, c PlaybackCommand) (PlaybackState, error)
}

// PlaybackStatus is a player's state as a number of the protocol.
type PlaybackStatus byte

const (
	Playing   PlaybackStatus = 0
	Paused    PlaybackStatus = 1
	Buffering PlaybackStatus = 2
	Ended     PlaybackStatus = 3
)

// PlaybackState is the state of a player.
type PlaybackState struct {
	Status PlaybackStatus
	Time   int64 // ns
	Speed  float32
	Jumps  int // how often the position was set rather than reached
}

// PlaybackCommand is a client's command to a player.
type PlaybackCommand struct {
	Play  bool // else pause
	Speed float32
	Seek  bool
	Time  int64 // to seek to; ns
}

// The range of speeds; others are clamped.
const (
	slowest = 0.01
	fastest = 100
)

// callTime bounds a call of a service or of the parameter server for a client.
const callTime = 10 * time.Second
