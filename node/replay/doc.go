// Package replay plays bags: it reads messages in time order and hands each to
// an Output when its time has come.
//
// A Player is one state machine that a single goroutine, Run, advances. Its only
// inputs are an injected Clock, the bags, and commands (Pause, Seek, SetRate, …)
// that any goroutine may submit with Do. Everything it does is a function of
// those, so tests move the clock by hand and compare publish times to the
// nanosecond.
//
//	          ┌ commands: pause, step, seek, rate, stop, … ◄ keys, services, topics
//	          ▼
//	bags ► feed ► Player ► translator: bag time ↔ wall time
//	                │  └─► clock publisher ─────────────► Output.PublishClock
//	                └────► channel (restamp, limit) ────► Sink.Publish
//
// States: waiting (for the delay and for subscribers), running, paused, delayed
// (by rate control), finished. Bag time stands still in all but running.
//
// Message bytes aren't copied: what is published points into the bag reader's
// block, which the receiver releases. Only small messages and restamped heads are
// copied. Nothing here knows of ROS connections; node/play.go supplies the Output.
package replay
