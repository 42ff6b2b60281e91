// Package upload uploads finished files of a recording while the next ones are written. The queue is on disk: a state
// file next to each file. It survives a kill and days without network, and a later program with the same folder
// continues it. No file is removed before the store has the whole object and has verified its checksums.
package upload

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore/place"
	"rsros/program/work"
)

const (
	// lookEvery is the interval of searching for waiting files of other programs, and of trying to lock folders.
	lookEvery = time.Second
	// firstPause and lastPause are the pauses after the first and after many failed attempts.
	firstPause, lastPause = time.Second, 5 * time.Minute
	// lockName is the name of the file that the uploading program locks.
	lockName = ".uploading"
	// sayEvery is the interval of log lines about the same failure.
	sayEvery = 10 * time.Minute
)

// Queue uploads the files of some folders. If several programs share a folder, only one uploads at a time.
// A nil Queue does nothing.
type Queue struct {
	o    Options
	log  zerolog.Logger
	stop func()
	kick work.Signal

	// disk is held while folders and states are read or written, which may take long. It is locked before mu.
	disk    sync.Mutex
	folders map[string]*os.File // the lock files; nil while another program has the lock

	mu      sync.Mutex
	writing map[string]bool // files of ours that aren't finished
	missing map[string]bool // files of ours whose state couldn't be written
	status  Status
	failure failure // of the goroutine that uploads
}

// Start starts uploading the files that wait in folders and those that Begin and Finish add. It returns
// nil if the options have no address.
func Start(o Options, log zerolog.Logger, folders ...string) (*Queue, error) {
	if err := o.Check(); err != nil || o.To == "" {
		return nil, err
	}
	return start(o, log, folders), nil
}

func start(o Options, log zerolog.Logger, folders []string) *Queue {
	q := &Queue{o: o, log: log, kick: work.NewSignal(), folders: map[string]*os.File{}, writing: map[string]bool{},
		missing: map[string]bool{}}
	for _, dir := range folders {
		q.folders[filepath.Dir(resolved(filepath.Join(dir, "x")))] = nil
	}
	q.look()
	q.stop = work.Run(context.Background(), q.run)
	return q
}

// resolved returns the file's name with symbolic links in its folder resolved.
func resolved(path string) string {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Join(dir, filepath.Base(path))
}

// Begin adds a file that is being written. path is its name once it is finished.
func (q *Queue) Begin(path string) {
	if q == nil {
		return
	}
	path = resolved(path)
	q.disk.Lock()
	defer q.disk.Unlock()
	dir := filepath.Dir(path)
	if _, known := q.folders[dir]; !known {
		q.folders[dir] = nil
	}
	q.mu.Lock()
	q.writing[path] = true
	q.mu.Unlock()
	q.add(path)
}

// add writes the state of a file, now or, if the disk is full, later. The caller holds q.disk.
func (q *Queue) add(path string) {
	e := entry{path: path, To: place.Join(q.o.To, filepath.Base(path)), Keep: q.o.Keep}
	err := e.save()
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil && !q.missing[path] {
		q.log.Warn().Err(err).Str("bag", path).Msg("can't queue a file for upload yet")
	}
	delete(q.missing, path)
	if err != nil {
		q.missing[path] = true
	}
}

// Finish marks a file as complete.
func (q *Queue) Finish(path string) {
	if q == nil {
		return
	}
	q.mu.Lock()
	delete(q.writing, resolved(path))
	q.mu.Unlock()
	q.look()
	q.kick.Set()
}

// Drop removes from the queue a file that another program has replaced.
func (q *Queue) Drop(path string) {
	if q == nil {
		return
	}
	path = resolved(path)
	q.disk.Lock()
	defer q.disk.Unlock()
	q.mu.Lock()
	delete(q.writing, path)
	delete(q.missing, path)
	q.mu.Unlock()
	if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		q.log.Error().Err(err).Msg("a file that was replaced may be uploaded")
	}
}

// Full reports whether the waiting files have reached the limit.
func (q *Queue) Full() bool { return q != nil && q.o.Limit > 0 && q.Status().Bytes >= q.o.Limit }

// Safe reports whether a file may be removed because it doesn't wait for upload.
func (q *Queue) Safe(path string) bool {
	if q == nil {
		return true
	}
	path = resolved(path)
	q.mu.Lock()
	missing := q.missing[path]
	q.mu.Unlock()
	_, err := os.Lstat(path + suffix)
	return errors.Is(err, fs.ErrNotExist) && !missing
}

// Status returns the state of the queue.
func (q *Queue) Status() Status {
	if q == nil {
		return Status{}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.status
}

// Close keeps uploading for up to Options.Wait, and leaves the rest for the next program.
func (q *Queue) Close() {
	if q == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), q.o.Wait)
	defer cancel()
	if err := q.drain(ctx, nil); err != nil {
		s := q.Status()
		q.log.Warn().Int("files", s.Waiting).Int64("bytes", s.Bytes).AnErr("last_error", s.Err).
			Msg("not all files are uploaded; the next recording into this folder continues, or the command upload")
	}
	q.stop()
	q.disk.Lock()
	defer q.disk.Unlock()
	for _, lock := range q.folders {
		if lock != nil {
			lock.Close() //nolint:errcheck // nothing was written
		}
	}
}

// Rest uploads the files that wait in folders until none is left or ctx ends, and returns the final state. progress is
// in bytes.
func Rest(ctx context.Context, log zerolog.Logger, progress func(done, total uint64), folders ...string) (
	Status, error) {
	q := start(Options{}, log, folders)
	defer q.Close()
	err := q.drain(ctx, progress)
	return q.Status(), err
}

// drain returns when no file waits.
func (q *Queue) drain(ctx context.Context, progress func(done, total uint64)) error {
	tick := time.NewTicker(lookEvery / 10)
	defer tick.Stop()
	total := int64(0)
	for s := q.Status(); s.Waiting > 0; s = q.Status() {
		if total = max(total, s.Bytes); progress != nil {
			progress(uint64(max(0, total-s.Bytes+s.Sent)), uint64(total))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// run uploads one file after another, oldest first. After a failure it continues with the next one.
func (q *Queue) run(ctx context.Context) {
	if q.o.To != "" {
		// The first file may be finished in hours.
		if err := place.Probe(ctx, place.Join(q.o.To, "probe")); errors.Is(err, fs.ErrPermission) {
			q.update(func(s *Status) { s.Err = err })
			q.log.Warn().Err(err).Msg("the recordings can't be uploaded")
		}
	}
	last := ""
	for ctx.Err() == nil {
		e := q.next(last)
		if e == nil {
			last = ""
			select {
			case <-ctx.Done():
			case <-q.kick:
			case <-time.After(lookEvery):
				q.look()
			}
			continue
		}
		last = e.path
		err := e.send(ctx, func(n int64) { q.update(func(s *Status) { s.Sent = n }) })
		if ctx.Err() != nil {
			return
		}
		q.result(e, err)
		q.look()
		if err != nil && !errors.Is(err, errRenamed) {
			q.pause(ctx)
		}
	}
}

func (q *Queue) pause(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, q.failure.pause())
	defer cancel()
	work.Every(ctx, lookEvery, func(time.Time) { q.look() })
}

// update changes the state of the queue.
func (q *Queue) update(do func(*Status)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	do(&q.status)
}

func (q *Queue) result(e *entry, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.status.Sent, q.status.Err = 0, err
	if err == nil {
		q.status.Uploaded++
		q.failure = failure{}
		q.log.Info().Str("bag", e.path).Str("to", e.To).Str("sha256", e.SHA256).Msg("uploaded")
		return
	}
	if errors.Is(err, errRenamed) {
		q.status.Err = nil
		q.log.Warn().Str("bag", e.path).Str("to", e.To).Msg("the name in the store was taken; the recording is uploaded under another one")
		return
	}
	if q.failure.add(err, time.Now()) {
		q.log.Warn().Err(err).Str("bag", e.path).Msg("upload failed; retrying")
	}
}

// waiting is a finished file.
type waiting struct {
	path string // of entry
	st   fs.FileInfo
}

// look counts the waiting files.
func (q *Queue) look() {
	q.disk.Lock()
	defer q.disk.Unlock()
	q.mu.Lock()
	missing := slices.Collect(maps.Keys(q.missing))
	q.mu.Unlock()
	for _, path := range missing {
		q.add(path)
	}
	found, bytes := q.waiting(), int64(0)
	for _, w := range found {
		if w.st != nil {
			bytes += w.st.Size()
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.status.Waiting, q.status.Bytes = len(q.missing)+len(found), bytes
}

// isWriting reports whether a file of ours isn't finished.
func (q *Queue) isWriting(path string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.writing[path]
}

// waiting returns the finished files of all folders, oldest first. The caller holds q.disk.
func (q *Queue) waiting() (found []waiting) {
	for dir := range maps.Keys(q.folders) {
		list, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, item := range list {
			name, ok := strings.CutSuffix(item.Name(), suffix)
			path := filepath.Join(dir, name)
			if !ok || q.isWriting(path) {
				continue
			}
			file, st, err := (&entry{path: path}).file()
			switch {
			case errors.Is(err, fs.ErrNotExist): // it was removed by another program, or by us before its state
				_ = os.Remove(path + suffix)
				continue
			case err == nil && place.InUse(file): // another program is writing it
				continue
			}
			found = append(found, waiting{path, st})
		}
	}
	slices.SortStableFunc(found, func(a, b waiting) int {
		if a.st == nil || b.st == nil {
			return strings.Compare(a.path, b.path)
		}
		return a.st.ModTime().Compare(b.st.ModTime())
	})
	return found
}

// next returns a file to upload: the one after last, or the first.
func (q *Queue) next(last string) *entry {
	q.disk.Lock()
	defer q.disk.Unlock()
	list := slices.DeleteFunc(q.waiting(), func(w waiting) bool { return !q.lock(filepath.Dir(w.path)) })
	at := slices.IndexFunc(list, func(w waiting) bool { return w.path == last }) + 1
	for i := range list {
		e, err := readEntry(list[(at+i)%len(list)].path)
		if err == nil {
			return e
		}
		q.update(func(s *Status) { s.Err = err })
		if q.failure.add(err, time.Now()) {
			q.log.Error().Err(err).Msg("a file can't be uploaded")
		}
	}
	return nil
}

// lock locks a folder, so that only this program uploads from it. The caller holds q.disk.
func (q *Queue) lock(dir string) bool {
	if q.folders[dir] == nil {
		f, err := place.Lock(filepath.Join(dir, lockName))
		if err != nil {
			return false
		}
		q.folders[dir] = f
	}
	return true
}
