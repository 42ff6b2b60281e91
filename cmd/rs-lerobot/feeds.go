package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/tools/bagset"
	"rsros/tools/dataset"
)

// The features that sources make.
const (
	stateFeature  = "observation.state"
	actionFeature = "action"
)

// ahead is how much later than a set a sample may be recorded that has an earlier stamp.
const ahead = time.Second

// feeds read the sources of state and action along with the sets. They are for one goroutine.
type feeds struct {
	s      *dataset.Input
	maxAge time.Duration
	list   []*feed
	walk   bagset.Walk
	next   func() (bagstore.Message, error, bool)
	stop   func()
	ended  bool
	read   int64 // file time of the last message
	shift  bagstore.Time
	stamps bool // of the camera are in terms of the host's clock
	oldest time.Duration
}

// taken are the numbers for a set.
type taken struct {
	numbers map[string][]float32
	stamps  []int64 // of each source
}

func newFeeds(s *dataset.Input, robot *Robot) (*feeds, error) {
	f := &feeds{s: s, maxAge: robot.MaxAge, shift: s.File.Shift(), stop: func() {}}
	state := robot.State
	if len(state) == 0 && len(robot.Action) == 0 {
		var err error
		if state, err = f.jointStates(); err != nil {
			return nil, err
		}
	}
	for _, part := range []struct {
		what string
		list []Source
	}{{stateFeature, state}, {actionFeature, robot.Action}} {
		for _, source := range part.list {
			one, err := newFeed(s, part.what, source)
			if err != nil {
				return nil, err
			}
			f.list = append(f.list, one)
		}
	}
	if len(f.list) == 0 {
		return f, nil
	}
	q := s.Filter.Query()
	q.Connections = func(c *bagstore.Connection) bool {
		return slices.ContainsFunc(f.list, func(one *feed) bool { return one.types[c] != nil })
	}
	if q.Start > 0 { // the state at the start was sent before it
		q.Start = max(1, q.Start-bagstore.Time(robot.MaxAge))
	}
	if q.End > 0 {
		q.End += bagstore.Time(ahead)
	}
	f.walk = bagset.NewWalk(s.Context(), s.Options.Log)
	f.next, f.stop = iter.Pull2(f.walk.Messages(s.File.Bag().View(q)))
	return f, nil
}

// jointStates returns the only topic of joints, if there is one.
func (f *feeds) jointStates() ([]Source, error) {
	var topics []string
	selected := f.s.Filter.Query().Connections
	for _, c := range f.s.File.Bag().Connections() {
		if c.Type == jointState && selected(c) && !slices.Contains(topics, c.Topic) {
			topics = append(topics, c.Topic)
		}
	}
	switch len(topics) {
	case 0:
		f.s.Note("there is no topic of %s: the rows have no %s", jointState, stateFeature)
		return nil, nil
	case 1:
		return []Source{{Topic: topics[0]}}, nil
	}
	return nil, fmt.Errorf("%s: the topics %s are %s: choose by --robot", f.s.Recording,
		strings.Join(topics, ", "), jointState)
}

// at returns the last numbers at or before a set. The error may be a leaveOut.
func (f *feeds) at(one *dataset.Set) (t taken, err error) {
	if len(f.list) == 0 {
		return t, nil
	}
	f.stamps = one.Images[0].Frame.Domain != camdriver.HardwareClock
	recorded := int64(f.shift) + int64(one.At)
	if err := f.fill(recorded+int64(ahead), one.Stamps[0], recorded); err != nil {
		return t, err
	}
	t.numbers = make(map[string][]float32)
	for _, source := range f.list {
		when := source.compareTime(one.Stamps[0], recorded)
		v, ok := source.last(when)
		age := time.Duration(when - source.time(v))
		switch {
		case !ok:
			return t, dataset.LeaveOut(fmt.Sprintf("there is no message of %s before it", source.Topic))
		case v.bad != nil:
			return t, dataset.LeaveOut(fmt.Sprintf("the message of %s %v", source.Topic, v.bad))
		case age > f.maxAge:
			return t, dataset.LeaveOut(fmt.Sprintf("the last message of %s is %v older", source.Topic, age))
		}
		f.oldest = max(f.oldest, age)
		t.numbers[source.what] = append(t.numbers[source.what], v.numbers...)
		t.stamps = append(t.stamps, v.stamp)
	}
	return t, nil
}

// fill reads the messages until a file time, or until too many wait.
func (f *feeds) fill(until, stamp, recorded int64) error {
	waiting := 0
	for !f.ended && f.read < until {
		if waiting > maxWaiting {
			waiting = 0
			for _, source := range f.list {
				source.last(source.compareTime(stamp, recorded))
				waiting += len(source.waiting) * max(1, len(source.names))
			}
			if waiting > maxWaiting && f.read > recorded {
				return nil
			}
		}
		m, err, ok := f.next()
		if !ok {
			f.ended = true
			f.s.Damaged += uint64(f.walk.Damaged)
			break
		}
		if err != nil {
			return err
		}
		f.read = int64(m.Time)
		for _, source := range f.list {
			if source.types[m.Conn] != nil {
				source.add(m, f.stamps)
				waiting += max(1, len(source.names))
			}
		}
	}
	return nil
}

// compareTime returns the time of a set for comparison with the source's samples.
func (f *feed) compareTime(stamp, recorded int64) int64 {
	if f.byStamp {
		return stamp
	}
	return recorded
}

// names returns the names of the numbers of each feature, with the topic if there are several. Each source has been
// read.
func (f *feeds) names() map[string][]string {
	all := make(map[string][]string)
	for _, source := range f.list {
		several := slices.ContainsFunc(f.list, func(o *feed) bool { return o != source && o.what == source.what })
		for _, name := range source.names {
			if several {
				name = source.Topic + ":" + name
			}
			all[source.what] = append(all[source.what], name)
		}
	}
	return all
}

// topics names the sources among the stamps.
func (f *feeds) topics() (list []string) {
	for _, source := range f.list {
		list = append(list, source.what+":"+source.Topic)
	}
	return list
}

// notes say how samples were chosen.
func (f *feeds) notes() (list []string) {
	for _, source := range f.list {
		by := "by its stamp"
		if !source.byStamp {
			by = "by its time of recording, since its stamps and the camera's aren't of one clock"
		}
		list = append(list, fmt.Sprintf("%s has the last message of %s at or before each set, %s",
			source.what, source.Topic, by))
	}
	if len(f.list) > 0 {
		list = append(list, fmt.Sprintf("the oldest message was %v before its set; its stamp is among the stamps", f.oldest))
	}
	return list
}

func (f *feeds) close() { f.stop() }
