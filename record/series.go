package record

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/program"
	"rsros/record/upload"
)

type seriesFile interface {
	// Close completes the file. It is called once.
	Close() error
	// Path returns the file's current path, which Close may change. It may be called from any goroutine.
	Path() string
	// Stats returns what is in the file so far, also after Close. It may be called from any goroutine.
	Stats() rsbag.RecorderStats
}

// series writes a recording into consecutive files. It chooses unused names, closes the
// files, and continues in a new file when another program deletes or replaces the current
// one. Only the writing goroutine may call its methods, except totals. Of a complete file, it
// keeps the path and the counts.
type series[F seriesFile] struct {
	create   func(path string) (F, error) // fails with fs.ErrExist if the name is taken
	log      zerolog.Logger
	base     string // of all paths, without number and extension
	ext      string // of all paths; "" means a bag, whose extension is added to numbered files only
	numbered bool   // the first file has a number, too
	// overlap: a file is closed in the background, which may wait for the disk, while the
	// next one is written. At most one file is being closed at a time.
	overlap bool
	keep    int   // number of complete files that are kept; 0 means all
	most    int64 // bytes of complete files that are kept; 0 means all
	uploads *upload.Queue
	ring    *ring // nil if every file is kept

	cur     F         // changed with mu held
	open    bool      // cur is neither closed nor being closed
	began   time.Time // when a ring's cur did
	made    int       // number of files so far
	closing sync.WaitGroup

	mu         sync.Mutex
	unfinished []F     // cur, and the one that is being closed before it
	done       Summary // of the complete files outside of a ring; its paths are those that are kept
	err        error   // of files that couldn't be completed
	gone       error   // of files that another program deleted, replaced or truncated
}

// pathOf returns the path of the next file for a base: NAME.bag, or NAME_0.bag, NAME_1.bag, …
// as in rosbag record.
func (s *series[F]) pathOf(base string) string {
	if s.numbered || s.made > 0 {
		return partPath(base, s.made, s.ext)
	}
	return base + s.ext
}

func (s *series[F]) next() error {
	if s.open && !s.overlap {
		s.open = false
		s.close(s.cur, s.span())
		if err := errors.Join(s.failed(), s.trim()); err != nil {
			return err
		}
	}
	var f F
	wanted := s.pathOf(s.base)
	base, renamed, err := newBase(s.base, time.Now(), func(base string) (err error) {
		path := s.pathOf(base)
		if !s.uploads.Safe(path) {
			return fs.ErrExist // it isn't replaced while it waits
		}
		f, err = s.create(path)
		return err
	})
	if err != nil {
		return err
	}
	if renamed {
		s.log.Warn().Str("taken", wanted).Str("bag", s.pathOf(base)).Msg("a recording never replaces a file (--overwrite does)")
	}
	if s.ring == nil {
		s.uploads.Begin(s.pathOf(base))
	}
	s.base = base
	s.made++
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
	return s.failed()
}

// span returns that of a ring's current file, up to now.
func (s *series[F]) span() span {
	if s.ring == nil {
		return span{}
	}
	return span{s.began, s.ring.now}
}

// lost reports, and logs, whether the file was deleted, replaced or truncated by others.
func (s *series[F]) lost(err error) bool {
	if !errors.Is(err, bagstore.ErrGone) {
		return false
	}
	s.log.Error().Err(err).Msg("the current file is lost; recording continues in a new file")
	return true
}

func (s *series[F]) close(f F, over span) {
	err := f.Close()
	final := strings.TrimSuffix(f.Path(), activeSuffix)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unfinished = slices.Delete(s.unfinished, 0, 1)
	if errors.Is(err, bagstore.ErrGone) {
		s.done.Files++
		s.gone = errors.Join(s.gone, fmt.Errorf("%w: close %s: %w", program.ErrIncomplete, f.Path(), err))
		s.uploads.Drop(final)
		return // another file has its name now
	}
	switch {
	case s.ring == nil:
		s.uploads.Finish(final)
		s.done.add(f.Path(), f.Stats())
	case err == nil:
		err = s.complete(ringFile{f.Path(), f.Stats(), over})
	}
	if err != nil {
		s.err = errors.Join(s.err, fmt.Errorf("close %s: %w", f.Path(), err))
	}
}

// remove removes a complete file. It may be gone already.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// trim removes the oldest complete files if there are more than keep or most, up to one that
// waits for upload.
func (s *series[F]) trim() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 0 { // others may have moved files away
		paths := s.done.Paths
		s.done.Paths, s.done.Bytes = nil, 0
		for _, path := range paths {
			if st, err := os.Stat(path); err == nil {
				s.done.Paths, s.done.Bytes = append(s.done.Paths, path), s.done.Bytes+st.Size()
			}
		}
	}
	for s.keep > 0 && len(s.done.Paths) > s.keep || s.most > 0 && s.done.Bytes > s.most {
		oldest := s.done.Paths[0]
		if !s.uploads.Safe(oldest) {
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

func (s *series[F]) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// end waits until all files are complete on disk. It may be called more than once.
func (s *series[F]) end() error {
	s.closing.Wait()
	if s.open {
		s.open = false
		s.close(s.cur, s.span())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.err, s.gone, s.endRing())
}

// totals describes all files, without those that a ring has removed. It may be called from any goroutine.
func (s *series[F]) totals() Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := s.done
	sum.Paths, sum.ByStream = slices.Clip(sum.Paths), map[camdriver.StreamID]Count{}
	maps.Copy(sum.ByStream, s.done.ByStream)
	if s.ring != nil {
		for _, f := range s.ring.files {
			sum.add(f.path, f.stats)
		}
	}
	for _, f := range s.unfinished {
		sum.add(f.Path(), f.Stats())
	}
	return sum
}

// newBase returns a base for the names of a recording's files: base itself or, if a file
// with that name exists, base with the time stamp appended. first creates the first file
// for a base; while it returns fs.ErrExist, newBase tries the next name. renamed reports
// whether the result differs from base.
func newBase(base string, now time.Time, first func(base string) error) (got string, renamed bool, err error) {
	stamped := base + "_" + now.Format(stampLayout)
	for n := 0; ; n++ {
		switch n {
		case 0:
			got = base
		case 1:
			got = stamped
		default:
			got = fmt.Sprintf("%s-%d", stamped, n)
		}
		err := first(got)
		if !errors.Is(err, fs.ErrExist) || n == maxNames {
			return got, n > 0, err
		}
	}
}

const maxNames = 100

// limits determine when a file of a recording is full. 0 means no limit.
type limits struct {
	size     int64 // bytes
	duration time.Duration
}

func (l limits) any() bool { return l.size > 0 || l.duration > 0 }

func (l limits) reached(size int64, d time.Duration) bool {
	return l.size > 0 && size >= l.size || l.duration > 0 && d >= l.duration
}
