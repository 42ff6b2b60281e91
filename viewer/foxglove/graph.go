package foxglove

import (
	"context"
	"errors"
	"time"

	"rsros/msgs"
)

// Source has topics to subscribe to. Its methods may be called by several goroutines. The topics
// are those of [Server.Update], unless it is a [Graph].
type Source interface {
	// Subscribe delivers the messages of a topic, latched ones first, until stop is called. A call of deliver may still be
	// running when stop returns. deliver must not block, and may be called by several goroutines.
	Subscribe(t Topic, deliver func(Message)) (stop func(), err error)
}

// Recaller is a Source that can deliver the last message of a topic again to all its subscribers, for a new one.
type Recaller interface{ Recall(Topic) }

// Graph is a Source that also has services and parameters, and topics that clients publish.
type Graph interface {
	Source

	// Follow calls changed with the current state, and after each change, until stop is called. Calls don't overlap, and
	// none is running when stop returns. The State passed isn't modified afterwards.
	Follow(changed func(*State)) (stop func())

	// Publish begins to publish a topic.
	Publish(topic string, typ msgs.Type) (Publisher, error)

	// Call calls a service of the state. The request may be reused afterwards.
	Call(ctx context.Context, s Service, request []byte) ([]byte, error)

	// SetParam sets a parameter, or deletes it if the value is nil.
	SetParam(ctx context.Context, name string, value any) error
}

// errNoGraph is returned for a request that a Source can't execute.
var errNoGraph = errors.New("there is no ROS graph here")

// State is the state of a source.
type State struct {
	Topics   []Topic
	Services []Service
	Params   map[string]any // values by full name; trees are split into their leaves
	Problems []string       // a sentence for each thing that can't be shown

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

// Message is a message of a topic for any number of clients.
type Message struct {
	Body
	Time      int64  // when it was received, or its recorded time, in ns since 1970
	Latched   bool   // a new subscriber gets it, too
	Publisher string // of a latched message of which each publisher has one; "" if there may be several
}

// Body is the reference-counted memory of a message. It must not be changed. It may be part
// of a file's mapping, which only the kernel should read.
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

// Playback is a recording that is played. Its methods may be called by several goroutines.
type Playback interface {
	// Range returns the times of the first and the last message in ns; ok is false while
	// nothing is played. The result changes only before [Server.Begin].
	Range() (start, end int64, ok bool)
	// Do executes a command and returns the resulting state.
	Do(PlaybackCommand) (PlaybackState, error)
}

// PlaybackStatus is the protocol's number for a player's state.
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
	Jumps  int // number of times that the position was set by a seek or loop
}

// PlaybackCommand is a client's command to a player.
type PlaybackCommand struct {
	Play  bool // otherwise pause
	Speed float32
	Seek  bool
	Time  int64 // to seek to; ns
}

// The range of speeds, to which others are clamped.
const (
	Slowest = 0.01
	Fastest = 100
)

// callTime bounds a call of a service or of the parameter server for a client.
const callTime = 10 * time.Second
