package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/program"
	"rsros/program/localfile"
	"rsros/tools/convert"
	"rsros/tools/rewrite"
)

// Joining makes room for recording: it waits while as much is queued as a slow disk leaves, and gives up if less than
// joinSpare bytes more than Options.MinSpace are free.
const (
	joinQueued = 16 << 20 // or an eighth of the memory, if that is less
	joinSpare  = 64 << 20
	joinPause  = 10 * time.Millisecond
)

// joiner makes one file each of what triggers keep, on a goroutine for each.
type joiner struct {
	joining      []*kept        // what triggers keep whose time is over; the mutex of the series guards it
	joins        sync.WaitGroup // of the goroutines
	joinMu       sync.Mutex     // one joins at a time
	ending       atomic.Bool    // they don't wait for the queue any more
	join         func(parts []string, out string) error
	betweenSteps func() // called between the steps, for tests
}

// endTrigger ends the time of a trigger, if there is one. The caller must hold s.mu.
func (s *series) endTrigger() {
	if k := s.ring.kept; k != nil {
		s.ring.kept = nil
		s.joining = append(s.joining, k)
		s.joinKept(k)
	}
}

// endTriggerBy ends the time of a trigger that is over, if there is one. The caller must hold s.mu.
func (s *series) endTriggerBy(now time.Time) {
	if s.ring != nil && !now.Before(s.ring.until) {
		s.endTrigger()
	}
}

// endLate is endTriggerBy if nothing is recorded that would end it.
func (s *series) endLate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unfinished) == 1 {
		s.endTriggerBy(s.ring.now)
	}
}

// joinLeft joins what triggers of killed recorders have kept.
func (s *series) joinLeft() {
	for _, k := range leftKept(s.ring.name("")) {
		s.joinKept(k)
	}
}

// joinKept makes one file of what a trigger has kept, in the background.
func (s *series) joinKept(k *kept) {
	bagstore.Quietly(&s.joins, func() {
		s.joinMu.Lock()
		defer s.joinMu.Unlock()
		paths, why, err := k.finish(s.join, s.o.Uploads, s.betweenSteps)
		switch {
		case err != nil:
			s.log.Error().Err(err).Str("folder", k.base+partsSuffix).Msg("what a trigger keeps stays in parts")
		case why != nil:
			text := "what a trigger keeps stays in several files"
			if len(s.devices) == 0 { // whose times would count from the start of each part
				text += "; merge --join joins them"
			}
			s.log.Warn().Err(why).Strs("files", paths).Msg(text)
		case len(paths) > 0:
			s.log.Info().Str("file", paths[0]).Msg("kept")
		}
		s.joined(k, paths, err)
	})
}

// joined counts what has become of a trigger's parts.
func (s *series) joined(k *kept, paths []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.joining = slices.DeleteFunc(s.joining, func(j *kept) bool { return j == k })
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %s has parts: %w", program.ErrIncomplete, k.base+partsSuffix, err)
		s.lostFiles = errors.Join(s.lostFiles, err)
	case len(paths) == len(k.files):
		for n, f := range k.files {
			s.finish(paths[n], f.stats)
		}
	case len(k.files) > 0 && len(paths) > 0:
		sum := k.files[len(k.files)-1].stats
		for _, f := range k.files[:len(k.files)-1] {
			sum.Streams = append(sum.Streams, f.stats.Streams...)
			sum.Duration += f.stats.Duration
			sum.Messages += f.stats.Messages
			sum.Topics = append(sum.Topics, f.stats.Topics...)
		}
		if st, err := os.Stat(paths[0]); err == nil {
			sum.Size = st.Size()
		}
		s.finish(paths[0], sum)
	}
}

// keptParts returns the parts of triggers that aren't joined yet. The caller must hold s.mu.
func (s *series) keptParts() (list []ringFile) {
	for _, k := range s.joining {
		list = append(list, k.files...)
	}
	if s.ring != nil && s.ring.kept != nil {
		list = append(list, s.ring.kept.files...)
	}
	return list
}

// errNoRoom means that a disk has no room for a file next to its parts.
var errNoRoom = errors.New("the disk has no room to join them")

// joinParts makes a file of its parts, which stay.
func (s *series) joinParts(parts []string, out string) error {
	size := int64(0)
	for _, path := range parts {
		if st, err := os.Stat(path); err == nil {
			size += st.Size()
		}
	}
	next := time.Time{}
	pace := func() error {
		for !s.ending.Load() && s.budget.Queued() > min(s.budget.Limit()/8, joinQueued) {
			time.Sleep(joinPause)
		}
		now := time.Now()
		if now.Before(next) {
			return nil
		}
		next = now.Add(tickEvery)
		if free, err := localfile.FreeSpace(filepath.Dir(out)); err == nil && free-size < s.o.MinSpace+joinSpare {
			return errNoRoom
		}
		size = 0
		return nil
	}
	if err := pace(); err != nil {
		return err
	}
	o := s.o.Bag
	o.Overwrite, o.Workers, o.Staging = false, 1, nil
	if _, ext := splitExt(out); ext != extBag {
		return joinStored(parts, out, o, pace)
	}
	return rewrite.JoinParts(context.Background(), parts, out, o, pace)
}

// errDevice means that a file has a device's frames, whose times count from the start of each.
var errDevice = errors.New("recordings of devices are joined in bags only")

// joinStored joins files that aren't bags.
func joinStored(parts []string, out string, o bagstore.Options, pace func() error) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	choose := func(bags []*bagstore.Recording) (o rewrite.Options, err error) {
		rewrite.Join(&o)
		for _, c := range bags[0].Connections() {
			if rslayout.ParseTopic(c.Topic).Kind == rslayout.TopicFileVersion {
				err = errDevice
			}
		}
		return o, err
	}
	progress := func(uint64, uint64) {
		if err := pace(); err != nil {
			cancel(err)
		}
	}
	r, err := convert.Messages(ctx,
		convert.Options{In: parts[0], More: parts[1:], Out: out, Bag: o, Choose: choose, Progress: progress})
	if err == nil && len(r.Lost) > 0 {
		err = errors.Join(fmt.Errorf("%w: %s", program.ErrIncomplete, r.Lost[0].What), remove(out))
	}
	if why := context.Cause(ctx); why != nil {
		err = why
	}
	return err
}
