package view

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/node/record"
	"rsros/node/view/wire"
)

// recording implements stage.
func (g *camera) recording() *wire.Record {
	r := &wire.Record{Part: 1, Streams: []uint16{}}
	r.Free, _ = record.Free(g.dir) // unknown is 0
	p, on := g.records.Progress()
	if !on {
		return r
	}
	r.On, r.Paused, r.Seconds, r.Bytes, r.Drops = p.Err == nil, p.Paused, p.Duration.Seconds(), p.Bytes, p.Dropped
	if p.Err != nil {
		r.Error = p.Err.Error()
	}
	if n := len(p.Paths); n > 0 {
		r.File, r.Part = filepath.Base(p.Paths[n-1]), n
	}
	for _, st := range g.streams {
		r.Streams = append(r.Streams, st.id)
	}
	slices.Sort(r.Streams)
	return r
}

// maxName is the length of a recording's name that a viewer may choose.
const maxName = 64

// namedPath is the path of a recording that a viewer named: inside the folder of
// recordings, whatever the name is.
func (g *camera) namedPath(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	if len(name) > maxName || strings.ContainsAny(name, `/\:`) || strings.HasPrefix(name, ".") || !filepath.IsLocal(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("%.80q is no name for a recording: want up to %d characters without / and \\", name, maxName)
	}
	if filepath.Ext(name) != ".bag" {
		name += ".bag"
	}
	return filepath.Join(g.dir, name), nil
}

// startRecording implements stage: it begins a recording as a viewer wants it.
func (g *camera) startRecording(r *wire.Request) (file string, err error) {
	s := g.server
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
	path, err := g.namedPath(r.Name)
	if err != nil {
		return "", err
	}
	switch {
	case g.own:
		if _, on := g.records.Progress(); !on {
			g.records.Serve(g.records.Source, o, g.dir, s.o.Log)
		}
	case r.Compression != "" || r.SplitSeconds > 0 || r.SplitBytes > 0:
		return "", errors.New("compression and splits are those of the program's flags here")
	}
	if path, err = g.records.Start(path); err != nil {
		return "", err
	}
	return filepath.Base(path), nil
}

func (g *camera) pauseRecording(on bool) error { return g.records.Pause(on) }

func (g *camera) splitRecording() error { return g.records.Split() }

func (g *camera) stopRecording() (map[string]any, error) {
	sum, err := g.records.Stop()
	if err != nil {
		return nil, err
	}
	result := map[string]any{"frames": sum.Frames, "dropped": sum.Dropped}
	if n := len(sum.Paths); n > 0 {
		result["file"] = filepath.Base(sum.Paths[n-1])
	}
	return result, nil
}
