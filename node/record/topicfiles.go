package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// topicFiles writes messages into one bag after another. Only the writing goroutine
// may use it, except for split, finish and done.
type topicFiles struct {
	opts TopicOptions
	log  zerolog.Logger
	now  func() time.Time // ROS time, which messages are stamped with

	base     string // of all paths; empty before the first file
	path     string // of the file that is written, when it is whole
	w        *bagstore.Writer
	conns    map[connectionKey]uint32
	latched  map[connectionKey]topicMessage // newest of each latching publisher
	began    time.Time
	number   int
	paths    []string
	messages uint64
	over     bool              // a limit was reached
	opened   func(path string) // called with the path of each new file; may be nil

	once   sync.Once
	ended  chan struct{} // a limit was reached
	mu     sync.Mutex
	wanted bool // a split was asked for
}

// connectionKey identifies a publisher of a topic, as a bag's connections do.
type connectionKey struct{ topic, callerID, md5 string }

func newTopicFiles(o TopicOptions, now func() time.Time, log zerolog.Logger) *topicFiles {
	return &topicFiles{
		opts: o, log: log, now: now,
		latched: map[connectionKey]topicMessage{}, ended: make(chan struct{}),
	}
}

// done returns a channel that is closed when recording should end.
func (s *topicFiles) done() <-chan struct{} { return s.ended }

// finish ends the recording. Any goroutine may call it.
func (s *topicFiles) finish() { s.once.Do(func() { close(s.ended) }) }

// split starts a new file with the next message. Any goroutine may call it.
func (s *topicFiles) split() {
	s.mu.Lock()
	s.wanted = true
	s.mu.Unlock()
}

func (s *topicFiles) splitWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.wanted
	s.wanted = false
	return w
}

// activeSuffix ends the name of a file while it is written, as rosbag record's do:
// programs that take recordings away wait for the final name.
const activeSuffix = ".active"

// open begins the next file.
func (s *topicFiles) open() error {
	if s.base == "" {
		s.base = s.firstBase()
	}
	began := s.now() // before there is a file: time may jump once others see it
	wanted := s.pathOf(s.base)
	base, renamed, err := newBase(s.base, time.Now(), s.create)
	if err != nil {
		return err
	}
	s.base = base
	if renamed {
		s.log.Warn().Str("taken", wanted).Str("bag", s.path).Msg("a recording never replaces a file (--overwrite does)")
	}
	s.conns, s.began = map[connectionKey]uint32{}, began
	s.number++
	s.log.Info().Str("bag", s.path).Msg("recording")
	if s.opened != nil {
		s.opened(s.path)
	}
	return s.repeatLatched()
}

// create creates the next file under its active name, if the final one is free.
func (s *topicFiles) create(base string) error {
	path := s.pathOf(base)
	if !s.opts.Bag.Overwrite {
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "record", Path: path, Err: fs.ErrExist}
		}
	}
	w, err := bagstore.Create(path+activeSuffix, s.opts.Bag)
	if err != nil {
		return err
	}
	s.w, s.path = w, path
	return nil
}

// firstBase is the path of the recording without .bag and the number of a part.
func (s *topicFiles) firstBase() string {
	if s.opts.Output != "" {
		return strings.TrimSuffix(s.opts.Output, ".bag")
	}
	stamp := time.Now().Format(stampLayout)
	if s.opts.Prefix != "" {
		return strings.TrimSuffix(s.opts.Prefix, ".bag") + "_" + stamp
	}
	return stamp
}

// pathOf names the next file as rosbag record does: NAME.bag, or NAME_0.bag,
// NAME_1.bag when split.
func (s *topicFiles) pathOf(base string) string {
	if s.opts.Split {
		return partPath(base, s.number)
	}
	return base + ".bag"
}

// finishFile closes the file that is written and gives it its final name. If that
// was taken meanwhile, the file keeps the active one, and the error says so.
func (s *topicFiles) finishFile() error {
	if s.w == nil {
		return nil
	}
	active := s.path + activeSuffix
	err := s.w.Close()
	s.w = nil
	if err != nil {
		s.paths = append(s.paths, active)
		return err
	}
	if err := rename(active, s.path, s.opts.Bag.Overwrite); err != nil {
		s.paths = append(s.paths, active)
		return fmt.Errorf("the recording stays in %s: %w", active, err)
	}
	s.paths = append(s.paths, s.path)
	return nil
}

// abandon starts a new file after ErrGone.
func (s *topicFiles) abandon() error {
	_ = s.w.Close() // reports ErrGone again
	s.w = nil
	s.opts.Split = true
	return s.open()
}

// rename gives a file its final name without replacing another one.
func rename(from, to string, overwrite bool) error {
	if overwrite {
		return os.Rename(from, to)
	}
	err := os.Link(from, to)
	switch {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// A file system without hard links: the name was free a moment ago.
	if _, err := os.Lstat(to); err == nil {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// repeatLatched begins a later file of a split with the newest latched messages,
// so that each file can be played alone.
func (s *topicFiles) repeatLatched() error {
	if !s.opts.Latched || s.number == 1 {
		return nil
	}
	now := bagstore.Time(s.now().UnixNano())
	for _, m := range s.latched {
		if err := s.put(m, now); err != nil {
			return err
		}
	}
	return nil
}

// write writes a message, into a new file if one is due.
func (s *topicFiles) write(m topicMessage) error {
	if err := s.turn(m.time.Std()); err != nil {
		return err
	}
	if s.over {
		return nil
	}
	s.keepLatched(m)
	return s.put(m, m.time)
}

// turn begins a new file, or ends the recording, if the one that is written is full
// at the given ROS time.
func (s *topicFiles) turn(now time.Time) error {
	late := limits{duration: s.opts.MaxTime}.reached(0, now.Sub(s.began))
	full := late || limits{size: s.opts.MaxSize}.reached(s.w.Size(), 0)
	asked := s.splitWanted()
	if full && !s.opts.Split {
		s.over = true
		s.finish()
		return nil
	}
	if !full && !asked {
		return nil
	}
	began := s.began
	if err := s.next(); err != nil {
		return err
	}
	if late && !asked {
		// Files begin at whole multiples of the duration, however late the message is.
		s.began = began.Add(now.Sub(began).Truncate(s.opts.MaxTime))
	}
	return nil
}

func (s *topicFiles) next() error {
	if err := s.finishFile(); err != nil {
		return err
	}
	if n := s.opts.MaxSplits; n > 0 && len(s.paths) > n {
		if err := os.Remove(s.paths[0]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		s.paths = s.paths[1:]
	}
	s.opts.Split = true // a split by service numbers the files that follow
	return s.open()
}

func (s *topicFiles) put(m topicMessage, at bagstore.Time) error {
	key := connectionKey{m.topic, m.header["callerid"], m.header["md5sum"]}
	id, ok := s.conns[key]
	if !ok {
		var err error
		id, err = s.w.AddConnection(bagstore.Connection{
			Topic: m.topic, Type: m.header["type"], MD5: m.header["md5sum"], Definition: m.header["message_definition"],
			CallerID: m.header["callerid"], Latching: m.header["latching"] == "1",
		})
		if err != nil {
			return err
		}
		s.conns[key] = id
	}
	s.messages++
	return s.w.Write(id, at, m.buffer.Bytes())
}

func (s *topicFiles) keepLatched(m topicMessage) {
	if !s.opts.Latched || m.header["latching"] != "1" {
		return
	}
	key := connectionKey{m.topic, m.header["callerid"], m.header["md5sum"]}
	if old, ok := s.latched[key]; ok {
		old.buffer.Release()
	}
	m.buffer.Retain()
	s.latched[key] = m
}

// close closes the last file.
func (s *topicFiles) close() error {
	for _, m := range s.latched {
		m.buffer.Release()
	}
	s.latched = nil
	return s.finishFile()
}
