package record

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/program/localfile"
)

// bottleneck tells what limits a recording when something is dropped: then its queue is full, because the files wait
// for the disk, or because the processor has no time for what comes and for its compression.
type bottleneck struct {
	waits   bagstore.Stopwatch // of the files, for the disk
	exclude atomic.Value       // a string, the regular expression of topics that come twice

	mu      sync.Mutex
	seconds [3]second // the last ones, oldest first
	said    [advices]string
}

// second is what was measured until its end.
type second struct {
	at   time.Time
	disk time.Duration // waited for
}

// advice is what a user should know once: why messages were dropped, why others were lost before, and which come twice.
type advice int

const (
	aboutDrops advice = iota
	aboutGaps
	aboutDuplicates
	advices
)

// tick is called at the start and once a second.
func (b *bottleneck) tick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	copy(b.seconds[:], b.seconds[1:])
	b.seconds[len(b.seconds)-1] = second{time.Now(), b.waits.Total()}
}

// limit returns what limits now.
func (b *bottleneck) limit() limit {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.seconds[:], func(s second) bool { return !s.at.IsZero() })
	return second{time.Now(), b.waits.Total()}.limitSince(b.seconds[max(i, 0)], pressure())
}

// pressure returns in how many percent of the last ten seconds a program has waited for a processor, as Linux measures
// it, or 0.
func pressure() (percent float64) {
	text, _ := localfile.Read("/proc/pressure/cpu", 1<<10)
	_, _ = fmt.Sscanf(string(text), "some avg10=%f", &percent) // unknown is 0
	return percent
}

// limit is what can't keep up.
type limit string

const (
	limitDisk      limit = "the disk"
	limitProcessor limit = "the processor"
	limitBoth      limit = "the processor or the disk"
)

// limitSince says that the disk limits if files have waited for it most of the time. A busy processor is late to see
// that a write is over: then it may be either.
func (s second) limitSince(earlier second, pressure float64) limit {
	switch waited := s.disk - earlier.disk; {
	case 2*waited < s.at.Sub(earlier.at):
		return limitProcessor
	case pressure > 50:
		return limitBoth
	}
	return limitDisk
}

// once keeps advice, and reports whether it is the first of its kind.
func (b *bottleneck) once(kind advice, text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := b.said[kind] == ""
	if first {
		b.said[kind] = text
	}
	return first
}

// given returns the advice of a kind, or a text if there is none.
func (b *bottleneck) given(kind advice, text string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return cmp.Or(b.said[kind], text)
}

// explain says why something is dropped and, the first time, what to change.
func (r *Recording) explain(l limit) string {
	text := fmt.Sprintf("%s were dropped: %s can't keep up", r.space.what, l)
	if full := text + "; " + r.relief(l); r.neck.once(aboutDrops, full) {
		return full
	}
	return text
}

// less returns how to record less.
func (r *Recording) less() string {
	if len(r.taps) > 0 {
		return "choose fewer, smaller or slower streams"
	}
	text := "leave topics out with -x"
	if twice, ok := r.neck.exclude.Load().(string); ok {
		text += " '" + twice + "'"
	}
	return text
}

// relief returns what to change when a limit is reached.
func (r *Recording) relief(l limit) string {
	less := r.less()
	packed := r.o.Bag.Kind() != bagstore.None
	switch {
	case l == limitDisk && !packed && !r.o.DB3:
		return less + ", write less with --lz4, or record to a faster disk"
	case l == limitDisk:
		return less + ", or record to a faster disk"
	case l == limitProcessor && packed && r.o.ext() == extMCAP:
		return less + ", or record without compression"
	case l == limitProcessor && packed:
		return less + ", or record without compression, or with --lz4-topics for those that need it"
	}
	return less + ", or run fewer programs on this computer"
}

// gaps says that messages were lost before they arrived and, if none were dropped here, what to change.
func (r *Recording) gaps() string {
	if r.dropped().total().Messages > 0 {
		return r.lostBefore()
	}
	return r.lostBefore() + ": a publisher's queue was full, as the network or this computer is too slow; " + r.less() +
		", or record on the publisher's computer"
}
