package view

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/node/record"
	"rsros/node/view/wire"
)

// taping is the recording of the stage as its viewers see it.
type taping struct {
	path    string
	since   time.Time     // when it began, or went on after the last pause
	before  time.Duration // recorded before that
	paused  bool
	running bool
}

func (t *taping) duration(now time.Time) time.Duration {
	if !t.running || t.paused {
		return t.before
	}
	return t.before + now.Sub(t.since)
}

// recording is what recording is doing.
func (s *Server) recording(g *stage) wire.Record {
	s.mu.Lock()
	t := s.taping
	s.mu.Unlock()
	r := wire.Record{Part: 1, Streams: []uint16{}}
	r.Free, _ = record.Free(s.o.RecordDir) // unknown is 0
	status, on := g.records.Status()
	if !on || !t.running {
		return r
	}
	r.On, r.Paused, r.File, r.Seconds = true, t.paused, filepath.Base(t.path), t.duration(time.Now()).Seconds()
	for _, v := range status.Values {
		n, _ := strconv.ParseUint(v.Value, 10, 64)
		switch v.Key {
		case "Dropped":
			r.Drops = n
		case "Files":
			r.Part = int(n)
		}
	}
	for _, path := range record.Files(t.path) {
		if st, err := os.Stat(path); err == nil {
			r.Bytes += st.Size()
		}
	}
	for _, st := range g.streams {
		r.Streams = append(r.Streams, st.id)
	}
	return r
}

// maxName is the length of a recording's name that a viewer may choose.
const maxName = 64

// namedPath is the path of a recording that a viewer named: inside the folder of
// recordings, whatever the name is.
func (s *Server) namedPath(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if len(name) > maxName || strings.ContainsAny(name, `/\:`+"\x00") || strings.HasPrefix(name, ".") || !filepath.IsLocal(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("%.80q is no name for a recording: want up to %d characters without / and \\", name, maxName)
	}
	if filepath.Ext(name) != ".bag" {
		name += ".bag"
	}
	return filepath.Join(s.o.RecordDir, name), nil
}

// startRecording begins a recording as a viewer wants it.
func (s *Server) startRecording(g *stage, r *wire.Request) (file string, err error) {
	o := s.o.Recording
	switch r.Compression {
	case "":
	case "none":
		o.Bag.Compression = bagstore.None
	case "lz4":
		o.Bag.Compression = bagstore.LZ4
	default:
		return "", fmt.Errorf("compression %q, want none or lz4", r.Compression)
	}
	if r.SplitSeconds < 0 || r.SplitBytes < 0 || r.SplitSeconds > 1e6 {
		return "", errors.New("a split can't be negative, nor after more than 1000000 s")
	}
	if r.SplitSeconds > 0 {
		o.SplitDuration = time.Duration(r.SplitSeconds * float64(time.Second))
	}
	if r.SplitBytes > 0 {
		o.SplitSize = r.SplitBytes
	}
	path, err := s.namedPath(r.Name)
	if err != nil {
		return "", err
	}
	if _, on := g.records.Status(); !on {
		g.records.Serve(g.records.Source, o, s.o.RecordDir, s.o.Log)
	}
	if path, err = g.records.Start(path); err != nil {
		return "", err
	}
	s.mu.Lock()
	s.taping = taping{path: path, since: time.Now(), running: true}
	s.mu.Unlock()
	return filepath.Base(path), nil
}

func (s *Server) pauseRecording(g *stage, on bool) error {
	if err := g.records.Pause(on); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.taping.before, s.taping.since, s.taping.paused = s.taping.duration(now), now, on
	return nil
}

func (s *Server) stopRecording(g *stage) (map[string]any, error) {
	sum, err := g.records.Stop()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	file := filepath.Base(s.taping.path)
	s.taping = taping{}
	s.mu.Unlock()
	return map[string]any{"file": file, "frames": sum.Frames, "dropped": sum.Dropped}, nil
}
