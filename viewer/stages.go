package viewer

import (
	"errors"
	"sync"
	"sync/atomic"

	"rsros/viewer/api"
	"rsros/viewer/clients"
)

// stage is the source that viewers see and control. The server's owner calls begin, do, resend, busy and end; the
// others are safe for concurrent use. Its life, of which the owner makes all steps but the first:
//
//	open ─► opened.begin ─► present: it is shown ─► swap: viewers have left it ─► end
//	     └► opened.Close, if something is recorded or the viewer has left
type stage interface {
	described() *api.Source
	state() *api.State
	recording() *api.Record                // nil if there is nothing to record with
	stream(id uint16) *stream              // nil if there is none
	span() (start, end api.Nanos, ok bool) // of a recording
	topicList() *topics                    // topics for Foxglove's clients
	// takeMarks adds marks that were found since the last call to the source, and returns them, or nil if there are none.
	takeMarks() []api.Mark
	// canResend reports whether resend can be called, which shows streams at the position to
	// viewers that haven't seen them.
	canResend() bool
	resend([]*stream) error

	// begin starts playback that waits for the first viewer or client of a stream, if there is one.
	begin() error

	// do executes a request other than open. Its result may be nil.
	do(*api.Request) (result map[string]any, err error)

	// busy returns an error if a recording would end with the stage.
	busy() error

	// end closes the devices and files that the stage has opened. It may be called more than once.
	end() error
}

// base is what all stages have.
type base struct {
	server *Server
	source api.Source                 // without marks; of a camera without current values of options
	found  atomic.Pointer[[]api.Mark] // that viewers haven't been sent
	marked atomic.Pointer[[]api.Mark] // that they have been sent
}

func (b *base) described() *api.Source {
	out := b.source
	if list := b.marked.Load(); list != nil {
		out.Marks = *list
	}
	return &out
}

// A stage that has nothing to do for one of these inherits it.
func (b *base) busy() error            { return nil }
func (b *base) begin() error           { return nil }
func (b *base) end() error             { return nil } // subscriptions end with their last viewers
func (b *base) canResend() bool        { return false }
func (b *base) resend([]*stream) error { return nil }
func (b *base) recording() *api.Record { return nil }

func (b *base) span() (start, end api.Nanos, ok bool) {
	if b.source.Start == nil {
		return 0, 0, false
	}
	return *b.source.Start, *b.source.End, true
}

func (b *base) takeMarks() []api.Mark {
	list := b.found.Swap(nil)
	if list == nil {
		return nil
	}
	b.marked.Store(list)
	return *list
}

// errCannot is returned for a request that a stage doesn't support.
var errCannot = errors.New("this can't be done with what is shown")

// stream is a stream or a topic of a stage, and its viewers.
type stream struct {
	stage    stage
	id       uint16
	lost     func() uint64   // number of frames that never reached the program
	queue    clients.Options // of each viewer
	watchers clients.Watchers[*subscription]
	greet    func(*subscription) // sends a viewer after the first one what it needs; nil if nothing

	// Of a recorded stream; countGap is called by one goroutine at a time.
	gaps  atomic.Uint64 // frames that were lost before they were recorded
	next  uint64        // number expected next
	jumps int           // of the player, before the last frame

	mu      sync.Mutex
	samples *samples // being collected
}

// countGap counts the frames missing before one of a recording. After a jump of the player, none is.
func (s *stream) countGap(number uint64, jumps int) {
	if s.next > 0 && number > s.next && jumps == s.jumps {
		s.gaps.Add(number - s.next)
	}
	s.next, s.jumps = number+1, jumps
}

// frames returns the options of a queue that keeps the newest frames, up to waiting.
func frames(waiting int) clients.Options {
	return clients.Options{Class: clients.ClassLarge, Messages: waiting, Window: window}
}

// watched reports whether the stream has viewers.
func (s *stream) watched() bool { return len(s.watchers.All()) > 0 }

// offer sends an item to the stream's viewers and releases it.
func (s *stream) offer(i item) {
	for _, sub := range s.watchers.All() {
		sub.Offer(i)
	}
	i.Release()
}
