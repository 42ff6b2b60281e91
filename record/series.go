package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program"
	"rsros/program/work"
	"rsros/ros"
)

// series writes a recording into consecutive files. It chooses unused names, closes the files, starts the next one when
// one is due, and continues in a new file when another program deletes or replaces the current one. Only the writing
// goroutine may call its methods, except those that say otherwise. Of a complete file, it keeps the path and the
// counts.
//
//	next ──► cur, open ──► being closed ──► done, or in the ring ──► a trigger's parts ──► joined: done
//	  ▲          │              │                    └──► removed, when it is older than the ring
//	  └── gone ◄─┴──────────────┘
type series struct {
	// The recording, from newSeries on.
	o       Options
	create  func(path string, bag bagstore.Options) (*part, error) // fails with fs.ErrExist if the name is taken
	devices []device                                               // of the recording
	now     func() time.Time                                       // ROS time; nil in a recording of devices
	opened  func(*part)                                            // called for each new file; may be nil
	full    func()                                                 // called when a limit ends the recording
	log     zerolog.Logger
	latched *latched
	budget  *work.Budget
	staging bagstore.Staging // of all files
	ring    *ring            // nil if every file is kept
	fileNames
	progress
	joiner
	// overlap: a file is closed in the background, which may wait for the disk, while the
	// next one is written. At most one file is being closed at a time.
	overlap bool
	closing sync.WaitGroup

	// The current file, from next to next.
	cur    *part     // changed with mu held
	open   bool      // cur is neither closed nor being closed
	used   bool      // cur has a frame or a message
	paused bool      // cur is, in a recording of devices
	began  time.Time // when a ring's cur did, on the host's clock

	// mu guards the following, which are read for the status, and the ring and joining.
	mu         sync.Mutex
	unfinished []*part         // cur, and the one that is being closed before it
	done       Figures         // of the complete files outside of a ring; its paths are those that are kept
	topics     map[string]bool // of which they have messages
	err        error           // of files that couldn't be completed
	lostFiles  error           // of files that others deleted, replaced or truncated, and of a ring's that weren't joined
}

// fileNames are the names of a series' files.
type fileNames struct {
	base     string // of all paths, without number and extension
	ext      string // of all paths; "" means a bag, whose extension is added to numbered files only
	numbered bool   // the first file has a number, too
	made     int    // number of files so far
}

// newSeries returns the files of a recording at a base. In a recording with a ring, the base is that of kept files.
func newSeries(o Options, base, ext string, budget *work.Budget, log zerolog.Logger) (*series, error) {
	s := &series{
		o: o, log: log, budget: budget, latched: newLatched(budget, log), topics: map[string]bool{}, full: func() {},
		fileNames: fileNames{base: base, ext: ext, numbered: o.MaxSize > 0 || o.MaxTime > 0},
	}
	s.join, s.betweenSteps = s.joinParts, func() {}
	if o.Ring.Before > 0 {
		return s, s.startRing(o.Ring, base, time.Now())
	}
	return s, nil
}

// pathOf returns the path of the next file for a base: NAME.bag, or NAME_0.bag, NAME_1.bag, … as in rosbag record.
func (n *fileNames) pathOf(base string) string {
	if n.numbered || n.made > 0 {
		return partPath(base, n.made, n.ext)
	}
	return base + n.ext
}

// large is the size of a file after which the next one is written past the page cache from the start. The way
// through it costs up to ten times as much, and a ring's file of a second has some 100 MB.
const large = 32 << 20

// next starts the next file, with the newest latched messages.
func (s *series) next() error {
	bag := s.o.Bag
	bag.Staging, bag.Large = &s.staging, s.open && s.cur.Size() >= large
	if s.now != nil {
		s.start = s.now() // before the file exists, because time may jump once others see it
	}
	if s.made == 0 {
		s.firstStart = s.start
	}
	if s.open {
		s.bytesBefore += s.cur.Size()
	}
	if s.open && !s.overlap {
		s.open = false
		s.close(s.cur, s.span())
		if err := errors.Join(s.failed(), s.trim()); err != nil {
			return err
		}
	}
	f, err := s.createNext(bag)
	if err != nil {
		return err
	}
	if s.open {
		last, over := s.cur, s.span()
		s.closing.Wait()
		s.closing.Go(func() { s.close(last, over) })
	}
	s.mu.Lock()
	s.unfinished = append(s.unfinished, f)
	s.cur, s.open = f, true
	if s.ring != nil {
		s.ring.early = false
	}
	s.mu.Unlock()
	if s.ring != nil {
		s.began = s.ring.now
	}
	s.used, s.paused = false, false
	if s.ring != nil && s.made == 1 {
		s.joinLeft()
	}
	if err := s.failed(); err != nil {
		return err
	}
	if s.opened != nil {
		s.opened(f)
	}
	// Their time is that of the queue: the disk may be late.
	return s.latched.repeat(s.made == 1, func(it *item) error {
		if err := s.put(it, instant{stamp: s.itemTime}); !errors.Is(err, camdriver.ErrUnsupported) {
			return err
		}
		return nil
	})
}

// createNext creates a file under an unused name.
func (s *series) createNext(bag bagstore.Options) (f *part, err error) {
	wanted := s.pathOf(s.base)
	base, renamed, err := newBase(s.base, time.Now(), func(base string) (err error) {
		path := s.pathOf(base)
		if !s.o.Uploads.Safe(path) {
			return fs.ErrExist // it isn't replaced while it waits
		}
		f, err = s.create(path, bag)
		return err
	})
	if err != nil {
		return nil, err
	}
	if renamed {
		s.log.Warn().Str("taken", wanted).Str("bag", s.pathOf(base)).Msg("a recording never replaces a file (--overwrite does)")
	}
	if s.ring == nil {
		s.o.Uploads.Begin(s.pathOf(base))
	}
	s.base = base
	s.made++
	return f, nil
}

// write writes a frame or message, into a new file if one is due.
func (s *series) write(it *item) error {
	if it.frame != nil {
		if err := s.splitIfDue(it); err != nil {
			return err
		}
		s.pause(it.paused)
		s.used = s.used || !it.paused
		s.latched.follow(len(it.frame.Data))
		return s.cur.device.devices[it.device].Frame(it.sensor, it.frame)
	}
	s.itemTime = it.at
	if err := s.splitIfDue(it); err != nil {
		return err
	}
	if s.limitReached {
		return errOver
	}
	s.pause(false)
	s.used = true
	// It is kept when it is written: if this file is gone, it follows those that begin the next one.
	if err := s.put(it, instant{it.stamp, it.arrival}); err != nil {
		return err
	}
	if s.o.Latched {
		s.latched.keep(it)
	}
	s.latched.follow(len(it.buffer.Bytes()))
	return nil
}

// put writes a message to the current file.
func (s *series) put(it *item, at instant) error {
	// The caller's reference is for a new file, if this one is gone.
	return s.message(it.topic, it.header, at, lend(s.budget, it.buffer), it.buffer.Bytes())
}

func (s *series) message(topic string, h ros.Header, at instant, done func(), data []byte) error {
	err := s.cur.Message(topic, h, at, done, data)
	if err == nil {
		s.cur.messages.Add(1)
	}
	return err
}

// note writes a message of the recorder's own, unless the file can't represent it.
func (s *series) note(topic, typ, node string, at bagstore.Time, m msgs.Message) error {
	t := msgs.MustType(typ)
	h := ros.Header{"type": t.Name, "md5sum": t.MD5, "message_definition": t.Definition, "callerid": node}
	err := s.message(topic, h, instant{stamp: at}, func() {}, msgs.Marshal(m))
	if errors.Is(err, camdriver.ErrUnsupported) {
		return nil
	}
	return err
}

// pause pauses or resumes the current file.
func (s *series) pause(on bool) {
	if on == s.paused {
		return
	}
	s.paused = on
	if on {
		s.cur.device.Pause()
	} else {
		s.cur.device.Resume()
	}
}

// option writes a changed option and keeps it for the next file's description.
func (s *series) option(number, sensor int, id camdriver.OptionID, value float32, at time.Time) error {
	n := slices.IndexFunc(s.devices, func(d device) bool { return d.number == number })
	if snap := s.devices[n].snap; sensor >= 0 && sensor < len(snap.Sensors) {
		list := snap.Sensors[sensor].Options
		if i := slices.IndexFunc(list, func(o camdriver.Option) bool { return o.ID == id }); i >= 0 {
			list[i].Value = value
		}
	}
	return s.cur.device.devices[number].Option(sensor, id, value, at)
}

// path returns the newest file's final one. It may be called from any goroutine.
func (s *series) path() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur.path
}

// span returns that of a ring's current file, up to now.
func (s *series) span() span {
	if s.ring == nil {
		return span{}
	}
	return span{s.began, s.ring.now}
}

// lost reports, and logs, whether the file was deleted, replaced or truncated by others.
func (s *series) lost(err error) bool {
	if !errors.Is(err, bagstore.ErrGone) {
		return false
	}
	s.log.Error().Err(err).Msg("the current file is lost; recording continues in a new file")
	return true
}

func (s *series) close(f *part, over span) {
	written := f.stats()
	err := f.Close()
	why, kept := failed, f.stats()
	switch { // before others wait for mu: the queue of uploads may wait for the disk
	case errors.Is(err, bagstore.ErrGone):
		why = gone
		s.o.Uploads.Drop(f.path)
	case s.ring == nil:
		s.o.Uploads.Finish(f.path)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unfinished = slices.Delete(s.unfinished, 0, 1)
	defer s.endTriggerBy(over.ended)
	s.done.Losses[why].lose(written, kept)
	switch {
	case why == gone:
		s.done.Files++
		s.lostFiles = errors.Join(s.lostFiles, fmt.Errorf("%w: close %s: %w", program.ErrIncomplete, f.name(), err))
		return // another file has its name now
	case s.ring == nil:
		s.finish(f.name(), kept)
	case err == nil:
		err = s.complete(ringFile{f.name(), kept, over})
	}
	if err != nil {
		s.err = errors.Join(s.err, fmt.Errorf("close %s: %w", f.name(), err))
	}
}

// finish counts a complete file. The caller must hold s.mu.
func (s *series) finish(path string, st rsbag.RecorderStats) {
	s.done.add(path, st)
	for _, name := range st.Topics {
		s.topics[name] = true
	}
	s.done.Topics = len(s.topics)
}

// remove removes a complete file. It may be gone already.
func remove(path string) error { return place.Remove(context.Background(), path) }

// trim removes the oldest complete files if there are more than MaxSplits or Keep, up to one that waits for upload.
func (s *series) trim() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.o.Keep > 0 { // others may have moved files away
		paths := s.done.Paths
		s.done.Paths, s.done.Bytes = nil, 0
		for _, path := range paths {
			if st, err := os.Stat(path); err == nil {
				s.done.Paths, s.done.Bytes = append(s.done.Paths, path), s.done.Bytes+st.Size()
			}
		}
	}
	for s.o.MaxSplits > 0 && len(s.done.Paths) > s.o.MaxSplits || s.o.Keep > 0 && s.done.Bytes > s.o.Keep {
		oldest := s.done.Paths[0]
		if !s.o.Uploads.Safe(oldest) {
			return nil
		}
		if st, err := os.Stat(oldest); err == nil {
			s.done.Bytes -= st.Size()
		}
		if err := remove(oldest); err != nil {
			return err
		}
		s.done.Paths = s.done.Paths[1:]
	}
	return nil
}

func (s *series) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// end waits until all files are complete on disk. It may be called more than once.
func (s *series) end() error {
	s.latched.release()
	s.closing.Wait()
	if s.open {
		s.open = false
		s.close(s.cur, s.span())
	}
	s.ending.Store(true)
	s.mu.Lock()
	err := s.endRing()
	s.mu.Unlock()
	s.joins.Wait()
	return errors.Join(s.err, s.lostFiles, err)
}

// totals describes all files, without those that a ring has removed. It may be called from any goroutine.
func (s *series) totals() Figures {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := s.done
	sum.Paths = slices.Clip(sum.Paths)
	if s.ring != nil {
		for _, f := range append(s.keptParts(), s.ring.files...) {
			sum.add(f.path, f.stats)
		}
	}
	for _, f := range s.unfinished {
		sum.add(f.name(), f.stats())
	}
	return sum
}

// newBase returns a base for the names of a recording's files: base itself or, if a file with that name exists, base
// with the time stamp appended. first creates the first file for a base; while it returns fs.ErrExist, newBase tries
// the next name. renamed reports whether the result differs from base.
func newBase(base string, now time.Time, first func(base string) error) (got string, renamed bool, err error) {
	if err = first(base); !errors.Is(err, fs.ErrExist) {
		return base, false, err
	}
	got, err = unusedName(base+"_"+now.Format(stampLayout), first)
	return got, true, err
}
