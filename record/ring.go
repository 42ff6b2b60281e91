package record

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/program"
	"rsros/program/localfile"
)

// Ring makes a recorder a black box: it keeps only the last seconds on disk, in short files, until
// a trigger keeps these and what follows.
type Ring struct {
	Before time.Duration `setting:"ring,record-ring"`             // kept before a trigger; 0 means no ring
	After  time.Duration `setting:"ring-after,record-ring-after"` // kept after a trigger
	Size   int64         `setting:"ring-size,record-ring-size"`   // bytes of the ring, without what is kept; 0: no limit
}

func (r Ring) check(limits bool) error {
	switch {
	case r.Before == 0 && r.Size != 0:
		return fmt.Errorf("%w: the ring has a size, and no length", program.ErrUsage)
	case r.Before > 0 && limits:
		return fmt.Errorf("%w: a ring has files of its own: it doesn't go with limits of files or --overwrite", program.ErrUsage)
	}
	return nil
}

// each returns the length of a ring's files: a tenth of the ring, so that little is kept that
// nobody asked for, but no less than two seconds or, of a short ring, a fifth of it and a second, so that
// files don't cost more than their messages.
func (r Ring) each() time.Duration {
	return min(max(r.Before/10, min(r.Before/5, 2*time.Second), time.Second), 30*time.Second)
}

// after returns how long recording goes on after a trigger.
func (r Ring) after() time.Duration { return cmp.Or(r.After, 10*time.Second) }

// answer is what a trigger's service says.
func (r Ring) answer() string {
	return fmt.Sprintf("the last %v and the next %v are kept", r.Before, r.after())
}

var errNoRing = errors.New("everything is recorded: there is no ring")

// ring has the complete files of a series that a trigger would keep. Its times are the host's, as of
// the queue's items, so that a slow disk shifts no window. Its fields need the mutex of the series,
// except now, which belongs to the writing goroutine.
type ring struct {
	Ring
	base, ext string // of kept files; base may be empty
	folder    string
	now       time.Time

	files []ringFile // oldest first
	size  int64
	short bool      // Size leaves less than Before
	tight bool      // the disk's free space leaves less than Before
	stay  bool      // the ring stays on disk: recording failed
	early bool      // the current file, which was too short at a trigger, ends as soon as it isn't
	kept  *kept     // of the trigger whose time isn't over; nil if there is none
	until time.Time // files that begin earlier are kept
	// pending are the times of triggers that wait in the recorder's queue.
	pending []time.Time
}

type ringFile struct {
	path  string
	stats rsbag.RecorderStats
	span
}

// span is the time of a file, from its creation to that of the next.
type span struct{ began, ended time.Time }

// startRing turns the series into a ring, in a folder beside the recording.
func (s *series) startRing(o Ring, base string, now time.Time) error {
	o.After = o.after()
	r := &ring{Ring: o, base: base, ext: s.ext, now: now}
	if left, _ := localfile.List(r.name(""), ringSuffix); len(left) > 0 { // making the ring's folder reports an error
		s.log.Warn().Strs("folders", left).Msg("recordings that didn't end properly have left their rings")
	}
	name, err := unusedName(r.name(now.Format(stampLayout)),
		func(name string) error { return os.Mkdir(name+ringSuffix, 0o777) })
	if err != nil {
		return err
	}
	r.folder = name + ringSuffix
	s.ring, s.base, s.numbered = r, filepath.Join(r.folder, "ring"), true
	return nil
}

// ringSuffix is that of a ring's folder. After a crash, the folder is still there.
const ringSuffix = ".ring"

// name returns the base of names with a time stamp.
func (r *ring) name(stamp string) string {
	if r.base == "" {
		return stamp
	}
	return r.base + "_" + stamp
}

// ringDue tells the ring the time, and reports whether its next file is due. Only the writing goroutine may call it.
func (s *series) ringDue(now time.Time) bool {
	r := s.ring
	if r == nil {
		return false
	}
	r.now = now
	s.mu.Lock()
	defer s.mu.Unlock()
	over := s.began.Before(r.until) && !now.Before(r.until)
	each := r.each()
	if r.early || r.tight && len(r.files) == 0 { // only complete files can be kept or removed
		each = min(each, shortest)
	}
	return over || now.Sub(s.began) >= each
}

// shortest is the least length of a ring's file that a trigger or a full disk ends early.
const shortest = time.Second

// withRing calls do with the mutex held, if the series is a ring.
func (s *series) withRing(do func(*ring)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ring != nil {
		do(s.ring)
	}
}

// announce protects the window of a trigger that will be executed later. It may be called from any goroutine.
func (s *series) announce(at time.Time) {
	s.withRing(func(r *ring) { r.pending = append(r.pending, at) })
}

// needed reports whether a trigger that waits in the queue keeps a file.
func (r *ring) needed(f ringFile) bool {
	return slices.ContainsFunc(r.pending, func(at time.Time) bool { return !f.ended.Before(at.Add(-r.Before)) })
}

// trigger keeps what was recorded since Before, and what will be until After. A trigger in the time
// of the last one prolongs that. due reports whether the next file should begin,
// so that what there is becomes complete. Only the writing goroutine may call it.
func (s *series) trigger(at time.Time) (due bool, err error) {
	r := s.ring
	s.mu.Lock()
	defer s.mu.Unlock()
	r.pending = slices.DeleteFunc(r.pending, func(t time.Time) bool { return !t.After(at) })
	if r.kept == nil {
		if r.kept, err = newKept(r.name(at.Format(stampLayout)), cmp.Or(r.ext, extBag)); err != nil {
			return false, err
		}
		s.log.Info().Str("file", r.kept.base+r.kept.ext).Stringer("before", r.Before).Stringer("after", r.After).
			Msg("triggered")
	}
	if until := at.Add(r.After); until.After(r.until) {
		r.until = until
	}
	for len(r.files) > 0 && r.files[0].ended.Before(at.Add(-r.Before)) {
		if err := s.forget(); err != nil {
			return false, err
		}
	}
	for len(r.files) > 0 {
		if err := r.kept.add(r.pop()); err != nil {
			return false, err
		}
	}
	due = at.Sub(s.began) >= shortest
	r.early = !due
	return due, nil
}

func (r *ring) pop() ringFile {
	f := r.files[0]
	r.files, r.size = slices.Delete(r.files, 0, 1), r.size-f.stats.Size
	return f
}

// complete takes a complete file. The caller must hold s.mu.
func (s *series) complete(f ringFile) error {
	r := s.ring
	if r.kept != nil && f.began.Before(r.until) {
		return r.kept.add(f)
	}
	r.files, r.size = append(r.files, f), r.size+f.stats.Size
	for len(r.files) > 0 {
		// A trigger may wait in the queue while its ring goes on.
		old := f.ended.Sub(r.files[0].ended) > r.Before+r.each()
		large := r.Size > 0 && r.size > r.Size && !r.needed(r.files[0])
		if !old && !large {
			break
		}
		if large && !old && !r.short {
			r.short = true
			s.log.Warn().Int64("ring_size", r.Size).Stringer("ring", r.Before).Msg("the ring's size is too small for its time")
		}
		if err := s.forget(); err != nil {
			return err
		}
	}
	return nil
}

// shorten removes the ring's oldest file to make room on the disk, unless it is in the window of a
// trigger. It returns the file's size; ok is false if none was removed. Only the writing goroutine may call it.
func (s *series) shorten() (size int64, ok bool) {
	s.withRing(func(r *ring) {
		if !r.tight {
			r.tight = true
			s.log.Warn().Stringer("ring", r.Before).Msg("the disk is nearly full: the ring becomes shorter")
		}
		if len(r.files) == 0 || r.needed(r.files[0]) {
			return
		}
		size = r.files[0].stats.Size
		if err := s.forget(); err != nil {
			s.log.Error().Err(err).Msg("a file of the ring can't be removed")
		} else {
			ok = true
		}
	})
	return size, ok
}

// lengthen notes that the disk has room while the ring is whole again.
func (s *series) lengthen() {
	s.withRing(func(r *ring) {
		oldest := s.began
		if len(r.files) > 0 {
			oldest = r.files[0].began
		}
		if r.tight && r.now.Sub(oldest) >= r.Before {
			r.tight = false
			s.log.Info().Stringer("ring", r.Before).Msg("the disk has room for the whole ring again")
		}
	})
}

// forget removes the oldest file. The caller must hold s.mu.
func (s *series) forget() error { return remove(s.ring.pop().path) }

// endRing removes the ring, unless recording failed, and ends a trigger's time. The caller must hold s.mu.
func (s *series) endRing() error {
	r := s.ring
	if r == nil || r.folder == "" {
		return nil
	}
	defer s.endTrigger() // when there is more room
	folder := r.folder
	r.folder = ""
	if r.stay {
		s.log.Warn().Str("folder", folder).Msg("the ring stays, because recording failed")
		return nil
	}
	for len(r.files) > 0 {
		if err := s.forget(); err != nil {
			return err
		}
	}
	_ = os.Remove(folder) // it stays if something is left in it
	return nil
}

// leaveRing lets the ring stay on disk at the end.
func (s *series) leaveRing() { s.withRing(func(r *ring) { r.stay = true }) }

// keptFiles returns how many files triggers have kept. It may be called from any goroutine.
func (s *series) keptFiles() (n int) {
	s.withRing(func(*ring) { n = len(s.done.Paths) + len(s.keptParts()) })
	return n
}

// describe says what a ring has, for a status. It is empty if there is none.
func (s *series) describe() (text string) {
	s.withRing(func(r *ring) {
		text = fmt.Sprintf("%d files, %d MB, in %s; %d files kept", len(r.files), r.size>>20, r.folder,
			len(s.done.Paths)+len(s.keptParts()))
		if r.tight {
			text += "; shorter than " + r.Before.String() + ": the disk is nearly full"
		}
	})
	return text
}
