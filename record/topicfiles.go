package record

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/program/work"
	"rsros/record/upload"
)

// topicFiles writes messages into consecutive files. Only the writing goroutine may call
// its methods, except for split, finish and done.
type topicFiles struct {
	series[*topicFile]
	opts    TopicOptions
	large   bool             // the last file was
	staging bagstore.Staging // of all files
	now     func() time.Time // ROS time, the record time of messages

	conns    map[connectionKey]uint32
	budget   *work.Budget
	latched  *latched[topicMessage]
	began    time.Time
	at       bagstore.Time // when the queue's last item arrived
	messages uint64
	written  string            // how the last file was written
	over     bool              // a limit was reached
	opened   func(path string) // called for each new file; may be nil

	once   sync.Once
	ended  chan struct{} // a limit was reached
	left   leftOut       // read after end
	wanted atomic.Bool   // a split was requested
}

// topicFile has a name that ends with activeSuffix until it is complete.
type topicFile struct {
	topicWriter
	active, final string
	complete      atomic.Bool
	overwrite     bool
}

// connectionKey identifies a publisher of a topic, like a bag's connection.
type connectionKey struct{ topic, callerID, md5 string }

func newTopicFiles(o TopicOptions, budget *work.Budget, uploads *upload.Queue, now func() time.Time, log zerolog.Logger) *topicFiles {
	s := &topicFiles{opts: o, now: now, budget: budget, latched: newLatched[topicMessage](budget, log), ended: make(chan struct{}), left: make(leftOut)}
	// No overlap: as with rosbag record, one file at a time is active.
	s.series = series[*topicFile]{create: s.create, log: log, ext: o.ext(), numbered: o.Split, keep: o.MaxSplits, most: o.Keep, uploads: uploads}
	return s
}

// done returns a channel that is closed when recording should end.
func (s *topicFiles) done() <-chan struct{} { return s.ended }

// finish ends the recording. It may be called from any goroutine.
func (s *topicFiles) finish() { s.once.Do(func() { close(s.ended) }) }

// split starts a new file with the next message. It may be called from any goroutine.
func (s *topicFiles) split() { s.wanted.Store(true) }

// activeSuffix is the suffix of a file that is being written, as in rosbag record: programs
// that collect recordings wait for the final name.
const activeSuffix = ".active"

func (s *topicFiles) begin() error {
	if s.base == "" {
		if err := s.name(); err != nil {
			return err
		}
	}
	s.large = s.open && s.cur.Size() >= large
	began := s.now() // before the file exists, because time may jump once others see it
	if err := s.next(); err != nil {
		return err
	}
	s.conns, s.began = map[connectionKey]uint32{}, began
	s.logFile()
	if s.opened != nil {
		s.opened(s.cur.final)
	}
	return s.repeatLatched()
}

// name names the recording, or the ring from which it is kept.
func (s *topicFiles) name() error {
	s.base = s.firstBase()
	if s.opts.Ring.Before == 0 {
		return nil
	}
	base, _ := splitExt(cmp.Or(s.opts.Output, s.opts.Prefix))
	return s.startRing(s.opts.Ring, base, time.Now())
}

// logFile logs the new file, and how it is written if that differs from the last one.
func (s *topicFiles) logFile() {
	line := s.log.Info()
	if s.ring != nil && s.made > 1 {
		line = s.log.Debug()
	}
	line = line.Str("bag", s.cur.final)
	if written := s.cur.WriteMethod(); written != s.written {
		s.written = written
		line = line.Str("written", written)
	}
	line.Msg("recording")
}

// goOn continues in a new file if the current one is lost. It returns other errors.
func (s *topicFiles) goOn(err error) error {
	if !s.lost(err) {
		return err
	}
	s.opts.Split = true
	return s.begin()
}

// large is the size of a file after which the next one is written past the page cache from the start. The way
// through it costs up to ten times as much, and a ring's file of a second has some 100 MB.
const large = 32 << 20

// create creates a file under its active name if the final name is unused.
func (s *topicFiles) create(path string) (*topicFile, error) {
	if !s.opts.Bag.Overwrite {
		if _, err := os.Lstat(path); err == nil {
			return nil, &fs.PathError{Op: "record", Path: path, Err: fs.ErrExist}
		}
	}
	o := s.opts.Bag
	o.Large, o.Staging = s.large, &s.staging
	w, err := createTopics(path+activeSuffix, path, o, s.left)
	return &topicFile{topicWriter: w, active: path + activeSuffix, final: path, overwrite: s.opts.Bag.Overwrite}, err
}

// firstBase returns the path of the recording without number and extension.
func (s *topicFiles) firstBase() string {
	if s.opts.Output != "" {
		base, _ := splitExt(s.opts.Output)
		return base
	}
	stamp := time.Now().Format(stampLayout)
	if s.opts.Prefix != "" {
		base, _ := splitExt(s.opts.Prefix)
		return base + "_" + stamp
	}
	return stamp
}

func (f *topicFile) Path() string {
	if f.complete.Load() {
		return f.final
	}
	return f.active
}

// Close completes the file and renames it to its final name. If that name is taken by now,
// the file keeps its active name and Close returns an error.
func (f *topicFile) Close() error {
	if err := f.topicWriter.Close(); err != nil {
		return err
	}
	if err := place.Rename(f.active, f.final, f.overwrite); err != nil {
		return fmt.Errorf("the recording stays in %s: %w", f.active, err)
	}
	f.complete.Store(true)
	return nil
}

func (f *topicFile) Stats() rsbag.RecorderStats {
	return rsbag.RecorderStats{Size: f.Size(), WriteMethod: f.WriteMethod()}
}

// path returns the newest file's final one. It may be called from any goroutine.
func (s *topicFiles) path() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur.final
}

// repeatLatched writes the newest latched messages at the start of a later file, so that
// each file can be played alone. Their time is that of the queue: the disk may be late.
func (s *topicFiles) repeatLatched() error {
	return s.latched.repeat(s.made == 1, func(m topicMessage) error { return s.put(m, s.at) })
}

// write writes a message, into a new file if one is due.
func (s *topicFiles) write(m topicMessage) error {
	s.at = m.time
	if err := s.turn(m.time.Std()); err != nil {
		return err
	}
	if s.over {
		return nil
	}
	// It is kept when it is written: if this file is gone, it follows those that begin the next one.
	if err := s.put(m, m.stamp); err != nil {
		return err
	}
	if s.opts.Latched {
		s.latched.keep(m.topic, m.header, m.buffer, m)
		s.latched.follow(len(m.buffer.Bytes()))
	}
	return nil
}

// tick starts a new file, or ends the recording, if it is time, and executes a trigger.
func (s *topicFiles) tick(m topicMessage, missed bool) error {
	s.at = m.time
	if s.ring == nil {
		return s.turn(m.time.Std())
	}
	due := s.ringTurn(m.host)
	if m.trigger || missed {
		complete, err := s.trigger(m.host)
		if err != nil {
			return err
		}
		due = due || complete
	}
	if due {
		return s.begin()
	}
	return s.turn(m.time.Std())
}

// turn starts a new file, or ends the recording, if the current one is full.
func (s *topicFiles) turn(now time.Time) error {
	late := limits{duration: s.opts.MaxTime}.reached(0, now.Sub(s.began))
	full := late || limits{size: s.opts.MaxSize}.reached(s.latched.measure(s.cur.Size(), s.opts.MaxSize), 0)
	asked := s.wanted.Swap(false)
	if full && !s.opts.Split {
		s.over = true
		s.finish()
		return nil
	}
	if !full && !asked {
		return nil
	}
	began := s.began
	s.opts.Split = true // after a split by service, limits start new files, too
	if err := s.begin(); err != nil {
		return err
	}
	if late && !asked {
		// Files start at multiples of the duration, however late the message is.
		s.began = began.Add(now.Sub(began).Truncate(s.opts.MaxTime))
	}
	return nil
}

func (s *topicFiles) put(m topicMessage, at bagstore.Time) error {
	key := connectionKey{m.topic, m.header["callerid"], m.header["md5sum"]}
	id, ok := s.conns[key]
	if !ok {
		var err error
		if id, err = s.connect(key, bagstore.Connection{
			Topic: m.topic, Type: m.header["type"], MD5: m.header["md5sum"], Definition: m.header["message_definition"],
			CallerID: m.header["callerid"], Latching: m.header["latching"] == "1",
		}); err != nil {
			return err
		}
	}
	s.messages++
	// The caller's reference is for a new file, if this one is gone.
	return s.cur.Lend(id, at, lend(s.budget, m.buffer), m.buffer.Bytes())
}

// connect adds a connection to the current file.
func (s *topicFiles) connect(key connectionKey, c bagstore.Connection) (uint32, error) {
	id, err := s.cur.AddConnection(c)
	if err == nil {
		s.conns[key] = id
	}
	return id, err
}

func (s *topicFiles) end() error {
	s.latched.release()
	err := s.series.end()
	if written := s.cur.WriteMethod(); written != s.written {
		s.log.Warn().Str("bag", s.cur.final).Str("written", written).Msg("writing switched to another method")
	}
	return err
}
