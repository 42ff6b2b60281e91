package mcap

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"rsros/bagstore"
	"rsros/bagstore/place"
)

// Live is a file whose messages arrive while it is written. Readers that scan can read it up to its last chunk, also
// after a kill. It is for one goroutine, except Size.
type Live struct {
	*Writer
	f      *place.Commits
	noSync bool
	topics []string // by channel
	size   atomic.Int64
	kept   bagstore.Kept // set by Close
}

// Create creates a file under its name, and locks it until Close. The options are Compression, Overwrite, NoSync,
// Checkpoint, Waits and Now, as for rosbag.Create. The error for an existing file is fs.ErrExist.
func Create(path, profile string, o bagstore.Options) (*Live, error) {
	if o.LZ4Topics != nil {
		return nil, fmt.Errorf("create %s: chunks of an MCAP file are all compressed, or none is", path)
	}
	f, err := place.New(path, o.Overwrite)
	if err != nil {
		return nil, err
	}
	l := &Live{f: place.NewCommits(f, o.Checkpoint, o.Now), noSync: o.NoSync, topics: make([]string, 1)}
	if l.Writer, err = NewWriter(timed{f, o.Waits}, profile, o.Kind()); err != nil {
		return nil, f.Finish(err)
	}
	l.lends = o.Kind() == bagstore.None
	return l, nil
}

// timed measures for how long writing takes.
type timed struct {
	io.Writer
	waits *bagstore.Stopwatch // may be nil
}

func (t timed) Write(p []byte) (int, error) {
	if t.waits != nil {
		t.waits.Add(1)
		defer t.waits.Add(-1)
	}
	return t.Writer.Write(p)
}

// AddTopic is Writer.AddTopic.
func (l *Live) AddTopic(t bagstore.Topic) (int64, error) {
	id, err := l.Writer.AddTopic(t)
	if err == nil {
		l.topics = append(l.topics, t.Name)
	}
	return int64(id), err
}

// Write writes a message, the concatenation of its parts, which are borrowed, at a time.
func (l *Live) Write(topic, ns int64, parts ...[]byte) error {
	if err := l.Writer.Write(uint16(topic), bagstore.Time(ns), parts...); err != nil {
		return err
	}
	l.measure()
	return nil
}

func (l *Live) measure() { l.size.Store(int64(l.out.pos) + int64(len(l.chunk.records))) }

// end ends the chunk.
func (l *Live) end() error {
	defer l.measure()
	return l.flush(nil)
}

// CommitIfDue ends the chunk if it is time, and has it made safe from a power cut in the background. The error is
// bagstore.ErrGone if somebody else took the file away.
func (l *Live) CommitIfDue() error {
	if due, err := l.f.Due(int64(l.out.pos)); !due {
		return err
	}
	if err := l.end(); err != nil || l.noSync {
		return err
	}
	l.f.Go(l.f.Sync)
	return nil
}

// Commit ends the chunk, and returns when it is safe from a power cut.
func (l *Live) Commit() error {
	err := cmp.Or(l.f.Wait(), l.end())
	if err == nil && !l.noSync {
		err = l.f.Sync()
	}
	return err
}

// Size returns the size of the file so far, with the open chunk. It may be called from any goroutine.
func (l *Live) Size() int64 { return l.size.Load() }

// Kept returns what is in the file after Close, also one that failed. It is empty if another program has taken the file
// away.
func (l *Live) Kept() bagstore.Kept { return l.kept }

// Close makes the file whole. After an error it has the chunks that are whole, without the summary.
func (l *Live) Close() error {
	err := cmp.Or(l.f.Wait(), l.f.Gone(int64(l.out.pos)))
	if err == nil {
		err = l.Writer.Close()
	}
	if err == nil && !l.noSync {
		err = l.f.Sync()
	}
	if err != nil && !errors.Is(err, bagstore.ErrGone) {
		err = errors.Join(err, l.f.Truncate(int64(l.whole)))
	}
	if !errors.Is(err, bagstore.ErrGone) {
		for id, c := range l.channels {
			if c.stored > 0 {
				l.kept.Add(l.topics[id], c.stored, bagstore.Time(l.stored.first), bagstore.Time(l.stored.last))
			}
		}
	}
	l.measure()
	return errors.Join(err, l.f.Close())
}
