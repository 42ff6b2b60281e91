// Package replay plays recordings: it reads messages in time order and passes each to an Output when it is due.
//
// It doesn't depend on ROS connections, command lines or terminals. An Output supplies the topics, a Clock the time and
// a Source the messages: bags (see Bags), or messages that a program computes from a recording.
//
// # How it works
//
// A Player is a state machine that one goroutine, the caller of Run, advances. Its only inputs are the Clock, the
// Source, and commands (Pause, SeekTo, SetRate, …) that any goroutine may submit. Everything it does is a function of
// those, so tests move the clock by hand and compare publish times to the nanosecond.
//
//	          ┌ commands: pause, step, seek, rate, stop, … ◄ keys, services, topics
//	          ▼
//	bags ► feed ► Player ► time line: bag time ↔ wall time
//	                │  └─► clock publisher ─────────────► Output.PublishClock
//	                └────► channel (restamp, limit) ────► Sink.Publish
//
// A player waits (for Settings.Delay and for subscribers), runs, is paused, is delayed (by rate control), is stalled
// (by a message that isn't read in time) or has finished. Bag time goes on only while it runs.
//
// # Time
//
// A bag time (bagstore.Time) is what a recording says; a Wall is an instant of the Clock. RealSense recordings have
// static messages at 1 ns. They are not part of the time line: they are published before it starts. At the start, after
// a seek and in each round of a loop, the latched messages that a subscriber would have by then are published first.
//
// # Memory
//
// Message bytes aren't copied. The Body that a Sink receives is part of the bag reader's buffer or of the file's
// mapping, and the Sink releases it (see msgs.Raw). Messages up to 4 KiB and the heads of messages whose stamps are
// moved are copied into a buffer that is valid until Publish returns. The player reads at most 8 MiB and one message
// ahead.
//
// # Goroutines
//
// Run starts one goroutine, which reads ahead, and waits for its end. All methods of the Output, of each Sink, of the
// Clock (but Wake) and OnStatus are called by the goroutine of Run, so they need no locks, and must not call Player.Do.
package replay
