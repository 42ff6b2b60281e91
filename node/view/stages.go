package view

import (
	"errors"
	"slices"
	"sync/atomic"

	"rsros/node/view/wire"
)

// stage is what viewers see, and what their requests act on. Requests are carried out
// one at a time; what tells of the stage may be called by any goroutine.
type stage interface {
	described() *wire.Source
	state() *wire.State
	recording() *wire.Record  // nil if there is nothing to record with
	stream(id uint16) *stream // nil if there is none
	// still tells whether showAgain can be called: it shows streams at the position to
	// viewers who haven't seen them.
	still() bool
	showAgain([]*stream) error

	play() error
	pause() error
	seek(*wire.Request) error
	step(sets int) error
	setRate(float64) error
	setLoop(on bool) error
	setRange(*[2]wire.Nanos) error // nil for all
	setOption(*wire.Request) error

	startRecording(*wire.Request) (file string, err error)
	stopRecording() (result map[string]any, err error)
	pauseRecording(on bool) error
	splitRecording() error

	// end closes what the stage has opened. It may be called often.
	end() error
}

var errNoFile = errors.New("only a recording can do that")

// stream is a stream or a topic of a stage, and who watches it.
type stream struct {
	stage    stage
	id       uint16
	lost     func() uint64 // how many frames never reached the program
	keep     int           // how many items wait for a viewer; 0 is one
	watchers atomic.Pointer[[]*session]
}

// watching returns who watches the stream now.
func (s *stream) watching() []*session {
	if list := s.watchers.Load(); list != nil {
		return *list
	}
	return nil
}

// watch adds a viewer to those who watch, or removes it. The server's lock is held.
func (s *stream) watch(v *session, on bool) {
	list := slices.DeleteFunc(slices.Clone(s.watching()), func(x *session) bool { return x == v })
	if on {
		list = append(list, v)
	}
	s.watchers.Store(&list)
}
