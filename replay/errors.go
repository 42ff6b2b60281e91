package replay

import "errors"

// Errors of commands, in addition to those of publishing.
var (
	ErrNoChange = errors.New("nothing to change")               // such as Pause while paused
	ErrRunning  = errors.New("only while paused")               // a step while bag time runs
	ErrWaiting  = errors.New("playback hasn't started")         // a seek or step while the player waits
	ErrStopped  = errors.New("playback has ended")              // anything after that
	ErrEnd      = errors.New("at the end of playback")          // a step with no message left
	ErrRange    = errors.New("not within the playback")         // an empty range
	ErrStalled  = errors.New("the next message isn't read yet") // another command interrupted a step that waited for it
	ErrHeldUp   = errors.New("it takes no messages")            // with Immediate, a subscriber has no room
)
