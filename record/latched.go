package record

import (
	"github.com/rs/zerolog"

	"rsros/program/work"
	"rsros/record/topicfile"
	"rsros/ros"
)

// latched has the newest message of each latching publisher, which begin the next file. They are part of
// the recorder's budget of memory. Only the writing goroutine may use it.
type latched struct {
	budget *work.Budget
	log    zerolog.Logger
	list   map[topicfile.Key]*item
	size   int64
	full   bool // a message was too large

	// Of the current file: the sizes of the messages that it begins with, and of what followed them.
	repeated, followed int64
}

func newLatched(budget *work.Budget, log zerolog.Logger) *latched {
	return &latched{budget: budget, log: log, list: map[topicfile.Key]*item{}}
}

// keep keeps a message if its publisher latches.
func (l *latched) keep(it *item) {
	if it.header["latching"] != "1" {
		return
	}
	key := topicfile.KeyOf(it.topic, it.header)
	l.drop(key)
	size := int64(len(it.buffer.Bytes())) + eventSize
	if !l.budget.Keep(l.size, size) {
		if !l.full {
			l.full = true
			l.log.Warn().Str("topic", it.topic).Int64("bytes", size).Msg("latched messages are too large for the memory: later files don't begin with all of them")
		}
		return
	}
	it.buffer.Retain()
	l.size += size
	kept := *it
	l.list[key] = &kept
}

func (l *latched) drop(key topicfile.Key) {
	old, ok := l.list[key]
	if !ok {
		return
	}
	size := int64(len(old.buffer.Bytes())) + eventSize
	delete(l.list, key)
	old.buffer.Release()
	l.size -= size
	l.budget.Release(size)
}

// repeat begins a file: put writes the kept messages to it, unless it is the first.
func (l *latched) repeat(first bool, put func(*item) error) error {
	l.repeated, l.followed = 0, 0
	if first {
		return nil
	}
	for _, m := range l.list {
		if err := put(m); err != nil {
			return err
		}
	}
	l.repeated = l.size
	return nil
}

// follow counts a message or a frame of n bytes.
func (l *latched) follow(n int) { l.followed += int64(n) + eventSize }

// measure returns the size of the current file for a limit of size. It is 0 until as much has followed the
// repeated messages as these have, or as the limit is: otherwise each message would begin a file if the
// repeated ones reach the limit.
func (l *latched) measure(size, limit int64) int64 {
	if l.followed < min(l.repeated, limit) {
		return 0
	}
	return size
}

// release drops all.
func (l *latched) release() {
	for key := range l.list {
		l.drop(key)
	}
}

// lend retains a message while it is being written. The result gives it back.
func lend(budget *work.Budget, buffer *ros.Buffer) (done func()) {
	size := int64(len(buffer.Bytes()))
	buffer.Retain()
	budget.Reserve(size)
	return func() {
		buffer.Release()
		budget.Release(size)
	}
}
