package replay

import (
	"time"

	"rsros/bagstore"
)

// clockPublisher decides when /clock is published: at a steady wall rate, even
// while bag time is held, and before messages, so that none is ahead of it.
type clockPublisher struct {
	out        func(bagstore.Time)
	period     time.Duration // 0: /clock is off
	perMessage bool
	topics     map[string]bool // if not empty: only messages of these topics
	next       Wall
	last       bagstore.Time
	sent       uint64
}

func newClockPublisher(o Options) clockPublisher {
	perMessage := o.ClockPerMessage || o.Immediate || len(o.ClockTopics) > 0
	c := clockPublisher{perMessage: perMessage, topics: make(map[string]bool)}
	if o.ClockHz > 0 {
		c.period, c.out = time.Duration(1e9/o.ClockHz), o.Output.PublishClock
	}
	for _, t := range o.ClockTopics {
		c.topics[t] = true
	}
	return c
}

// start publishes the first time and aligns the grid of ticks to it.
func (c *clockPublisher) start(now Wall, t bagstore.Time) {
	c.set(t)
	c.next = now + Wall(c.period)
}

// tick publishes t if a tick is due. Missed ticks are skipped; the grid doesn't move.
func (c *clockPublisher) tick(now Wall, t bagstore.Time) {
	if c.period == 0 || now < c.next {
		return
	}
	c.publish(t)
	missed := int64(now-c.next) / int64(c.period)
	c.next += Wall((missed + 1) * int64(c.period))
}

// deadline returns the time of the next tick.
func (c *clockPublisher) deadline() Wall {
	if c.period == 0 {
		return never
	}
	return c.next
}

// before publishes the clock that a message on topic at time t needs.
func (c *clockPublisher) before(topic string, t bagstore.Time) {
	if c.perMessage && (len(c.topics) == 0 || c.topics[topic]) {
		c.set(t)
	}
}

// set publishes t unless it was the last time published.
func (c *clockPublisher) set(t bagstore.Time) {
	if c.period != 0 && (c.sent == 0 || c.last != t) {
		c.publish(t)
	}
}

func (c *clockPublisher) publish(t bagstore.Time) {
	c.out(t)
	c.last = t
	c.sent++
}
