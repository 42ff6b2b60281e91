package replay

import (
	"math"
	"time"

	"rsros/bagstore"
)

// timeline maps between bag time and wall time. It knows only the time of the next message.
//
// While time runs, it follows the translator, a followed clock or, in immediate playback, the messages themselves. It
// never passes the next message. While paused or delayed it stays where it is.
type timeline struct {
	tr      translator
	source  timeSource
	skip    time.Duration // gaps longer than this are jumped over; 0 means none
	restamp bool          // header stamps move to the time of publishing

	start, end bagstore.Time // of the first and the last message to play
	from, to   bagstore.Time // of the loop range, or start and end
	begun      bool          // playback has begun and not ended

	at   bagstore.Time // the last time reached; while time is held, the current one
	next bagstore.Time // of the next message, or nothing

	paused, delayed bool
	idle            bool // there is nothing to play; see Reselect
	starved         starved
	over            bool // past the end, with the clock running (Settings.KeepAlive)

	loop, monotonic bool
	part            *Range // loop range; nil means all
	round           int
	roundStart      Wall
	offset          bagstore.Time // added to all published times by a monotonic loop

	followed followedClock
}

// timeSource is what advances bag time.
type timeSource int

const (
	byClock  timeSource = iota // the player's clock, at a rate
	byItself                   // the messages: each is due at once
	byOther                    // a /clock published by another node
)

// followedClock is the state of a clock published by another node.
type followedClock struct {
	heard  bool
	now    bagstore.Time // its last time, in bag time
	offset bagstore.Time // bag time − its time
}

// nothing is the time of the next message if there is none.
const nothing = bagstore.Time(math.MaxInt64)

func newTimeline(s Settings) timeline {
	t := timeline{
		tr: translator{rate: s.Rate}, skip: s.SkipEmpty, restamp: s.Restamp, next: nothing,
		paused: s.Paused, loop: s.Loop, monotonic: s.LoopMonotonic, part: s.LoopRange,
	}
	switch {
	case s.FollowClock:
		t.source = byOther
	case s.Immediate:
		t.source = byItself
	}
	return t
}

func (t *timeline) span(start, end bagstore.Time) {
	t.start, t.end, t.from, t.to, t.at = start, end, start, end, start
}

// begin makes the start due at now. It may be called again.
func (t *timeline) begin(now Wall) {
	t.tr.anchor(t.start, now)
	t.roundStart = now
}

// has reports whether there is another message before the end of what is played. While starved, that isn't known.
func (t *timeline) has() bool { return t.next != nothing && (!t.loop || t.next <= t.to) }

func (t *timeline) held() bool { return t.paused || t.delayed || t.idle }

func (t *timeline) deadline() Wall {
	switch {
	case t.starved.on || t.idle:
		return never
	case t.has():
		return t.due(t.next)
	case t.over:
		return never
	case !t.loop:
		return 0
	}
	return max(t.due(t.to), t.roundStart+minRound)
}

// due returns when bag time at is reached.
func (t *timeline) due(at bagstore.Time) Wall {
	switch {
	case t.held():
		return never
	case t.source == byOther && (!t.followed.heard || at > t.followed.now):
		return never
	case t.source != byClock:
		return 0
	}
	return t.tr.wallOf(at)
}

// minRound is the minimum time of a loop's round, for bags with one message.
const minRound = Wall(10 * time.Millisecond)

// position returns the bag time at now.
func (t *timeline) position(now Wall) bagstore.Time {
	if t.held() || t.starved.on || t.source == byItself || !t.begun {
		return t.at
	}
	at := t.tr.bagOf(now)
	if t.source == byOther {
		at = t.followed.now
	}
	if t.has() {
		at = min(at, t.next)
	} else if !t.over {
		at = min(at, t.to)
	}
	return max(at, t.at)
}

func (t *timeline) shown(now Wall) bagstore.Time { return t.position(now) + t.offset }

// late returns how late a message is. ok is false if messages have no due time.
func (t *timeline) late(at bagstore.Time, now Wall) (late time.Duration, ok bool) {
	if t.paused || t.source != byClock {
		return 0, false
	}
	return time.Duration(now - t.tr.wallOf(at)), true
}

// stampShift returns the shift of the header stamps of a message at bag time at.
func (t *timeline) stampShift(at bagstore.Time, now Wall) bagstore.Time {
	switch {
	case !t.restamp:
		return t.offset
	case t.source == byOther:
		return -t.followed.offset
	case t.held() || t.source == byItself:
		return bagstore.Time(now) - at
	}
	return bagstore.Time(t.tr.wallOf(at)) - at
}

// pause and delay hold time at the position at now.
func (t *timeline) pause(now Wall) { t.at, t.paused = t.position(now), true }

func (t *timeline) delay(now Wall) { t.at, t.delayed = t.position(now), true }

// resume and endDelay continue time unless the other of the two holds it.
func (t *timeline) resume(now Wall) {
	t.paused = false
	t.goOn(now)
}

func (t *timeline) endDelay(now Wall) {
	t.delayed = false
	t.goOn(now)
}

func (t *timeline) goOn(now Wall) {
	if !t.held() {
		t.tr.anchor(t.at, now)
		t.starved.since = now
		t.skipGap()
	}
}

func (t *timeline) setRate(rate float64, now Wall) {
	t.at = t.position(now)
	if t.starved.on && !t.held() {
		now = t.tr.wallOf(t.at) // so that the length of the hold is known
	}
	t.tr.rate = rate
	t.tr.anchor(t.at, now)
}

// skipGap makes the next message due now if the gap before it is longer than skip.
func (t *timeline) skipGap() {
	if t.has() && t.skip > 0 && !t.held() && t.next.Sub(t.at) > t.skip {
		t.tr.anchor(t.next, t.tr.wallOf(t.at))
	}
}

func (t *timeline) clamp(at bagstore.Time) bagstore.Time { return min(max(at, t.start), t.end) }

// jump makes bag time at due at w. Afterwards the next message isn't known.
func (t *timeline) jump(at bagstore.Time, w Wall) {
	t.over, t.delayed = false, false
	t.starved = starved{expected: t.starved.expected}
	t.at, t.next = at, nothing
	t.tr.anchor(at, w)
}

// bound applies the loop range. It reports whether the position is outside of it.
func (t *timeline) bound(now Wall) (outside bool, err error) {
	t.from, t.to = t.start, t.end
	if !t.loop || t.part == nil {
		return false, nil
	}
	from, to := t.start.Add(t.part.From), min(t.start.Add(t.part.To), t.end)
	if from >= to {
		t.part = nil
		return false, ErrRange
	}
	t.from, t.to = from, to
	at := t.position(now)
	return at < from || at > to, nil
}

// nextRound starts the next round of a loop. The previous round ends at w on the time
// line; the result is the start of the new one.
func (t *timeline) nextRound(now, w Wall) Wall {
	if t.source != byClock || t.held() {
		w = now
	}
	length := t.to - t.from
	if t.monotonic { // a round may be short, or have ended long ago
		t.offset += max(length, bagstore.Time(float64(minRound)*t.tr.rate), t.position(now)-t.from)
	}
	t.followed.now -= length // the other clock continues while the bag starts again
	t.followed.offset -= length
	t.round++
	t.roundStart = w
	return w
}

// follow moves time with another node's clock. If the first time received isn't in the bag, it becomes the start, and
// elsewhere is true. back reports that the clock went back; the caller must jump to it.
func (t *timeline) follow(at bagstore.Time) (elsewhere, back bool) {
	f := &t.followed
	if !f.heard && (at < t.start || at > t.end) {
		f.offset, elsewhere = t.start-at, true
	}
	last := f.now
	f.now = at + f.offset
	back = f.heard && f.now < last && f.now < t.at
	f.heard = true
	return elsewhere, back
}

// tie maps the followed clock's current time to bag time at.
func (t *timeline) tie(at bagstore.Time) {
	t.followed.offset += at - t.followed.now
	t.followed.now = at
}

func (t *timeline) state(now Wall) State {
	switch {
	case t.over:
		return Finished
	case !t.begun:
		return Waiting
	case t.paused:
		return Paused
	case t.delayed:
		return Delayed
	case t.starved.on && now-t.starved.since >= Wall(statusPeriod):
		return Stalled
	}
	return Running
}

// translator maps bag time to wall time and back, linearly through an anchor: wall(t) = anchor.wall + (t − anchor.bag)
// / rate. A pause, a skipped gap, a seek and a new rate move the anchor.
type translator struct {
	bag  bagstore.Time
	wall Wall
	rate float64
}

func (tr *translator) anchor(t bagstore.Time, w Wall) { tr.bag, tr.wall = t, w }

func (tr *translator) wallOf(t bagstore.Time) Wall {
	return Wall(add(int64(tr.wall), divide(int64(t-tr.bag), tr.rate)))
}

func (tr *translator) bagOf(w Wall) bagstore.Time {
	return bagstore.Time(add(int64(tr.bag), divide(int64(w-tr.wall), 1/tr.rate)))
}

// divide returns d / by, rounded to the nanosecond and clamped to int64.
func divide(d int64, by float64) int64 {
	if by == 1 {
		return d
	}
	switch v := math.Round(float64(d) / by); {
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	default:
		return int64(v)
	}
}

// add returns a + b, clamped to int64.
func add(a, b int64) int64 {
	switch sum := a + b; {
	case b > 0 && sum < a:
		return math.MaxInt64
	case b < 0 && sum > a:
		return math.MinInt64
	default:
		return sum
	}
}
