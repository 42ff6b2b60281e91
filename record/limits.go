package record

import (
	"errors"
	"time"

	"rsros/bagstore"
)

// errOver is returned for what comes after a limit has ended the recording.
var errOver = errors.New("a limit has ended the recording")

// progress is how far a series is, for its limits. It belongs to the writing goroutine.
type progress struct {
	itemTime     bagstore.Time // ROS time of the queue's last item of a topic, event or tick
	lastSplit    uint32        // number of the last executed split
	start        time.Time     // when the current file began, by now
	firstStart   time.Time     // when the first file began
	bytesBefore  int64         // of the files before the current one
	limitReached bool          // the recording is over
}

// isFull reports whether the current file has reached a limit of the options, and whether it is that of time.
func (s *series) isFull() (full, late bool) {
	late = s.o.MaxTime > 0 && s.length() >= s.o.MaxTime
	return late || s.o.MaxSize > 0 && s.latched.measure(s.cur.Size(), s.o.MaxSize) >= s.o.MaxSize, late
}

// isOver reports whether all files together have reached a limit.
func (s *series) isOver() bool {
	return s.o.TotalTime > 0 && s.itemTime.Std().Sub(s.firstStart) >= s.o.TotalTime ||
		s.o.TotalSize > 0 && s.bytesBefore+s.cur.Size() >= s.o.TotalSize
}

// length returns how long the current file is. That of devices has its own time, without pauses; otherwise ROS
// time passes without messages, too.
func (s *series) length() time.Duration {
	if s.cur.device != nil {
		return s.cur.device.Duration()
	}
	return s.itemTime.Std().Sub(s.start)
}

// splitIfDue starts a new file, or ends the recording, if a split was requested before the item, or if the current file
// is full. A file of devices has at least a frame or a message.
func (s *series) splitIfDue(it *item) error {
	if s.cur.device != nil && (it.paused || !s.used) {
		return nil
	}
	// An item of another device or topic may be from before the last split.
	part := max(it.part, s.lastSplit)
	asked := part != s.lastSplit
	full, late := s.isFull()
	if s.isOver() {
		s.limitReached = true
		s.full()
		return nil
	}
	if !full && !asked {
		return nil
	}
	s.lastSplit = part
	start := s.start
	if err := s.next(); err != nil {
		return err
	}
	if late && !asked && s.cur.device == nil {
		// Files start at multiples of the duration, however late the message is.
		s.start = start.Add(s.itemTime.Std().Sub(start).Truncate(s.o.MaxTime))
	}
	return nil
}

// tick starts a new file, or ends the recording, if it is time.
func (s *series) tick(it *item) error {
	if s.ringDue(it.arrival) {
		if s.worth() {
			return s.next()
		}
		s.endLate()
	}
	if s.cur.device != nil {
		return nil
	}
	return s.splitIfDue(it)
}

// ringTrigger keeps what the ring has, and completes the current file.
func (s *series) ringTrigger(at time.Time) error {
	due := s.ringDue(at)
	complete, err := s.trigger(at)
	if err == nil && (due || complete) && s.worth() {
		err = s.next()
	}
	return err
}

// worth reports whether the current file of a ring has something, or may be empty.
func (s *series) worth() bool { return s.used || s.cur.device == nil }
