package record

import (
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// topicFiles writes messages into one bag after another. It belongs to the
// writing goroutine, but for split and done.
type topicFiles struct {
	opts TopicOptions
	log  zerolog.Logger
	now  func() time.Time

	w        *bagstore.Writer
	conns    map[connectionKey]uint32
	latched  map[connectionKey]topicMessage // newest of each latching publisher
	began    time.Time
	number   int
	paths    []string
	messages uint64

	once   sync.Once
	ended  chan struct{} // a limit was reached
	mu     sync.Mutex
	wanted bool // a split was asked for
}

// connectionKey tells publishers of a topic apart, as a bag's connections do.
type connectionKey struct{ topic, callerID, md5 string }

func newTopicFiles(o TopicOptions, log zerolog.Logger) *topicFiles {
	return &topicFiles{
		opts: o, log: log, now: time.Now,
		latched: map[connectionKey]topicMessage{}, ended: make(chan struct{}),
	}
}

// done is closed when a limit says that recording should end.
func (s *topicFiles) done() <-chan struct{} { return s.ended }

// finish ends the recording. Any goroutine may call it.
func (s *topicFiles) finish() { s.once.Do(func() { close(s.ended) }) }

// split makes the next message begin a new file. Any goroutine may call it.
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

// open begins the next file.
func (s *topicFiles) open() error {
	path := s.path()
	w, err := bagstore.Create(path, s.opts.Bag)
	if err != nil {
		return err
	}
	s.w, s.conns, s.began = w, map[connectionKey]uint32{}, s.now()
	s.paths = append(s.paths, path)
	s.number++
	s.log.Info().Str("bag", path).Msg("recording")
	return s.repeatLatched()
}

// path names the next file as rosbag record does: NAME.bag, or NAME_0.bag,
// NAME_1.bag when split.
func (s *topicFiles) path() string {
	base := strings.TrimSuffix(s.opts.Output, ".bag")
	if base == "" {
		base = s.now().Format(stampLayout)
		if s.opts.Prefix != "" {
			base = strings.TrimSuffix(s.opts.Prefix, ".bag") + "_" + base
		}
	}
	if s.opts.Split {
		return partPath(base, s.number)
	}
	return base + ".bag"
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

// write appends a message, in a new file if it is time for one.
func (s *topicFiles) write(m topicMessage) error {
	if s.full() || s.splitWanted() {
		if !s.opts.Split && s.full() {
			s.finish()
			return nil
		}
		if err := s.next(); err != nil {
			return err
		}
	}
	s.keepLatched(m)
	return s.put(m, m.time)
}

func (s *topicFiles) full() bool {
	return limits{s.opts.MaxSize, s.opts.MaxTime}.reached(s.w.Size(), s.now().Sub(s.began))
}

func (s *topicFiles) next() error {
	if err := s.w.Close(); err != nil {
		return err
	}
	if n := s.opts.MaxSplits; n > 0 && len(s.paths) >= n {
		if err := os.Remove(s.paths[0]); err != nil && !errors.Is(err, os.ErrNotExist) {
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

// close ends the last file.
func (s *topicFiles) close() error {
	for _, m := range s.latched {
		m.buffer.Release()
	}
	s.latched = nil
	if s.w == nil {
		return nil
	}
	return s.w.Close()
}
