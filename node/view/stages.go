package view

import (
	"errors"
	"sync"

	"rsros/node/clients"
	"rsros/node/view/wire"
)

// stage is the source that viewers see and control. Requests are carried out one at a time;
// methods that only read are safe for concurrent use.
type stage interface {
	described() *wire.Source
	state() *wire.State
	recording() *wire.Record                // nil if there is nothing to record with
	stream(id uint16) *stream               // nil if there is none
	span() (start, end wire.Nanos, ok bool) // of a recording
	offers() *topics                        // what Foxglove's clients may subscribe to
	// still reports whether showAgain can be called: it shows streams at the position to
	// viewers who haven't seen them.
	still() bool
	showAgain([]*stream) error

	// do carries out a request other than open. Its result may be nil.
	do(*wire.Request) (result map[string]any, err error)

	// end closes what the stage has opened. It may be called often.
	end() error
}

// errCannot is the error of a request that a stage doesn't know.
var errCannot = errors.New("this can't be done with what is shown")

// stream is a stream or a topic of a stage, and its viewers.
type stream struct {
	stage    stage
	id       uint16
	lost     func() uint64   // number of frames that never reached the program
	queue    clients.Options // of each viewer
	watchers clients.List[*subscription]

	mu      sync.Mutex
	samples *samples // that are being collected
}

// frames is the queue of a stream of which the newest waiting frames count.
func frames(waiting int) clients.Options {
	return clients.Options{Class: clients.ClassLarge, Messages: waiting, Window: window}
}

// watched reports whether anybody watches the stream.
func (s *stream) watched() bool { return len(s.watchers.All()) > 0 }

// offer sends an item to the stream's viewers and releases it.
func (s *stream) offer(i item) {
	for _, sub := range s.watchers.All() {
		sub.Offer(i)
	}
	i.Release()
}
