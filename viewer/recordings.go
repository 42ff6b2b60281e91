package viewer

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"rsros/bagstore"
	"rsros/program/localfile"
	"rsros/record"
	"rsros/viewer/wire"
)

func (g *camera) recording() *wire.Record {
	rec := g.Records.Current()
	if rec == nil {
		r := &wire.Record{Part: 1, Streams: []uint16{}, Upload: g.Records.Uploads(), Empty: g.Records.Empty()}
		r.Free, _ = localfile.FreeSpace(g.RecordDir) // unknown is 0
		return r
	}
	f := rec.Figures()
	r := figures(f)
	r.On, r.Drops = f.Err == nil, f.Dropped
	if f.Err != nil {
		r.Error = f.Err.Error()
	}
	if n := len(f.Paths); n > 0 {
		r.File, r.Part = filepath.Base(f.Paths[n-1]), n
	}
	for _, st := range g.streams {
		r.Streams = append(r.Streams, st.id)
	}
	slices.Sort(r.Streams)
	return r
}

// maxTable is the maximum number of rows of a recording's table.
const maxTable = 200

// figures describes a recording by its figures.
func figures(f record.Figures) *wire.Record {
	r := &wire.Record{
		Paused: f.Paused, Seconds: f.Duration.Seconds(), Bytes: f.Bytes, Free: max(f.Free, 0), Part: 1, Streams: []uint16{},
		Upload: f.Uploads, Ring: f.Ring, Compression: f.Compression,
	}
	for _, row := range f.Rows[:min(len(f.Rows), maxTable)] {
		r.Table = append(r.Table, wire.RecordRow(row))
	}
	total := wire.RecordRow(record.Total(f))
	r.Total = &total
	return r
}

// Bounds of what viewers may choose for a recording.
const (
	maxName         = 64 // bytes
	minSplitSeconds = 1
	maxSplitSeconds = 1_000_000
	minSplitBytes   = 100_000_000
)

// namedPath returns the path of a recording that a viewer named, which is in the folder of
// recordings.
func (g *camera) namedPath(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(name) > maxName || strings.ContainsAny(name, `/\:`) || name[0] == '.' || name[0] == '-' || !filepath.IsLocal(name) || strings.ContainsFunc(name, hidden) {
		return "", fmt.Errorf(`recording name %.80q: want up to %d bytes of printable text without / \ and :, not beginning with . or -`, name, maxName)
	}
	if ext := filepath.Ext(name); ext != ".bag" && ext != ".db3" && ext != ".mcap" {
		name += g.Records.Ext()
	}
	return filepath.Join(g.RecordDir, name), nil
}

// startRecording starts a recording with a viewer's options.
func (g *camera) startRecording(r *wire.Request) (file string, err error) {
	s := g.server
	o := s.o.Recording
	switch r.Compression {
	case "":
	case "none":
		o.Bag.Compression, o.Bag.LZ4Topics = bagstore.None, nil
	case "lz4":
		o.Bag.Compression, o.Bag.LZ4Topics = bagstore.LZ4, nil
	default:
		return "", fmt.Errorf("compression %q, want none or lz4", r.Compression)
	}
	if s := r.SplitSeconds; s != 0 && !(s >= minSplitSeconds && s <= maxSplitSeconds) {
		return "", fmt.Errorf("split after %g s, want %d to %d", s, minSplitSeconds, maxSplitSeconds)
	}
	if b := r.SplitBytes; b != 0 && b < minSplitBytes {
		return "", fmt.Errorf("split after %d bytes, want %d or more", b, minSplitBytes)
	}
	if r.SplitSeconds > 0 {
		o.MaxTime = time.Duration(r.SplitSeconds * float64(time.Second))
	}
	if r.SplitBytes > 0 {
		o.MaxSize = r.SplitBytes
	}
	path, err := g.namedPath(r.Name)
	if err != nil {
		return "", err
	}
	switch {
	case g.own:
		if g.Records.Current() == nil {
			g.Records.Serve(g.Records.Source, o, g.RecordDir, s.o.Log)
		}
	case r.Compression != "" || r.SplitSeconds > 0 || r.SplitBytes > 0:
		return "", errors.New("compression and splits are set by the program's flags")
	}
	if path, err = g.Records.Start(path); err != nil {
		return "", err
	}
	g.starter = r.From
	return filepath.Base(path), nil
}

func (g *camera) stopRecording() (map[string]any, error) {
	sum, err := g.Records.Stop()
	if err != nil {
		return nil, err
	}
	result := map[string]any{"frames": sum.Frames, "dropped": sum.Dropped}
	if n := len(sum.Paths); n > 0 {
		result["file"] = filepath.Base(sum.Paths[n-1])
	}
	return result, nil
}
