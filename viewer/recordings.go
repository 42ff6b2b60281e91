package viewer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/program/localfile"
	"rsros/record"
	"rsros/viewer/api"
)

// recorders returns one camera for each recording: several may be recorded into the same files.
func (g *cameras) recorders() (list []*camera) {
	for _, c := range g.parts {
		if !slices.ContainsFunc(list, func(x *camera) bool { return x.Records == c.Records }) {
			list = append(list, c)
		}
	}
	return list
}

// recording implements stage. Cameras with recordings of their own are in its list, too.
func (g *cameras) recording() *api.Record {
	list := g.recorders()
	if len(list) == 1 {
		return list[0].recording()
	}
	all := &api.Record{Paused: true, Part: 1, Streams: []uint16{}, Free: math.MaxInt64}
	var files []string
	for _, c := range list {
		r := c.recording()
		r.Camera = c.name
		all.Cameras = append(all.Cameras, *r)
		all.Free, all.Error = min(all.Free, r.Free), cmp.Or(all.Error, r.Error)
		all.Upload, all.Ring = cmp.Or(all.Upload, r.Upload), cmp.Or(all.Ring, r.Ring)
		if !r.On {
			continue
		}
		files = append(files, r.File)
		all.On, all.Paused = true, all.Paused && r.Paused
		all.Seconds, all.Part = max(all.Seconds, r.Seconds), max(all.Part, r.Part)
		all.Bytes, all.Drops, all.Streams = all.Bytes+r.Bytes, all.Drops+r.Drops, append(all.Streams, r.Streams...)
	}
	all.File, all.Paused = strings.Join(files, ", "), all.On && all.Paused
	return all
}

// recording describes the camera's recording, which may be one of several cameras.
func (g *camera) recording() *api.Record {
	rec := g.Records.Current()
	if rec == nil {
		r := &api.Record{Part: 1, Streams: []uint16{}, Upload: g.Records.Uploads(), Empty: g.Records.Empty()}
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
	for _, c := range g.stage.parts {
		for _, st := range c.streams {
			if c.Records == g.Records {
				r.Streams = append(r.Streams, st.id)
			}
		}
	}
	slices.Sort(r.Streams)
	return r
}

// record executes a request of a recording: for the camera that it names, or for all.
func (g *cameras) record(op string, r *api.Request) (map[string]any, error) {
	list := g.recorders()
	if r.Camera != "" {
		i := slices.IndexFunc(g.parts, func(c *camera) bool { return c.name == r.Camera })
		if i < 0 {
			return nil, fmt.Errorf("camera %.80q: %w", r.Camera, camdriver.ErrNotFound)
		}
		list = g.parts[i : i+1]
	}
	several := len(list) > 1
	if several { // those that it isn't for go on as they are
		list = slices.DeleteFunc(list, func(c *camera) bool { return (c.Records.Current() != nil) == (op == "start") })
		if len(list) == 0 {
			list = g.parts[:1] // for its error
		}
	}
	var files []string
	var frames, dropped uint64
	for _, c := range list {
		file := ""
		switch op {
		case "start":
			var err error
			if file, err = c.startRecording(r, several); err != nil {
				return nil, err
			}
		case "stop":
			sum, err := c.Records.Stop()
			if err != nil {
				return nil, err
			}
			frames, dropped = frames+sum.Frames, dropped+sum.Dropped
			if n := len(sum.Paths); n > 0 {
				file = filepath.Base(sum.Paths[n-1])
			}
		default:
			rec, err := c.Records.Running()
			if err == nil {
				_, err = rec.Control(op, r.On)
			}
			if err != nil {
				return nil, err
			}
		}
		if file != "" {
			files = append(files, file)
		}
	}
	result := make(map[string]any)
	if len(files) > 0 {
		result["file"] = strings.Join(files, ", ")
	}
	if op == "stop" {
		result["frames"], result["dropped"] = frames, dropped
	}
	return result, nil
}

// maxTable is the maximum number of rows of a recording's table.
const maxTable = 200

// figures describes a recording by its figures.
func figures(f record.Figures) *api.Record {
	r := &api.Record{
		Paused: f.Paused, Seconds: f.Duration.Seconds(), Bytes: f.Bytes, Free: max(f.Free, 0), Part: 1, Streams: []uint16{},
		Upload: f.Uploads, Ring: f.Ring, Compression: f.Compression,
	}
	for _, row := range f.Rows[:min(len(f.Rows), maxTable)] {
		r.Table = append(r.Table, api.RecordRow(row))
	}
	total := api.RecordRow(record.Total(f))
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
	refused := func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(`/\:`, r) }
	if len(name) > maxName || name[0] == '.' || name[0] == '-' || !filepath.IsLocal(name) ||
		strings.ContainsFunc(name, refused) {
		return "", fmt.Errorf("recording name %.80q: want up to %d bytes of printable text without / \\ and :, "+
			"not beginning with . or -", name, maxName)
	}
	if ext := filepath.Ext(name); ext != ".bag" && ext != ".db3" && ext != ".mcap" {
		name += g.Records.Ext()
	}
	return filepath.Join(g.RecordDir, name), nil
}

// startRecording starts a recording with a viewer's options. A name is given to several cameras with theirs.
func (g *camera) startRecording(r *api.Request, several bool) (file string, err error) {
	s := g.stage.server
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
	if several && path != "" {
		path = record.OfCamera(path, strings.ReplaceAll(g.name, "/", "_"))
	}
	switch {
	case g.stage.own:
		if g.Records.Current() == nil {
			g.Records.Serve(g.Records.Source, o, g.RecordDir, s.o.Log)
		}
	case r.Compression != "" || r.SplitSeconds > 0 || r.SplitBytes > 0:
		return "", errors.New("compression and splits are set by the program's flags")
	}
	if path, err = g.Records.Start(path); err != nil {
		return "", err
	}
	g.stage.starter = r.From
	return filepath.Base(path), nil
}
