// Package library is a folder of recordings as viewers see it: a list with what the indexes
// say, small pictures, and the files themselves, by HTTP.
package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/formats/recording"
	"rsros/bagstore/realsense/rsbag"
	"rsros/node/view/wire"
	"rsros/program/regular"
)

// Folder has the recordings that viewers may list, open and download. Nothing
// outside of it can be named, not by a link either: every name goes through an os.Root. It
// may be used by several goroutines.
type Folder struct {
	dir   string
	root  *os.Root
	turn  chan struct{}    // of capacity 1, filled while a recording is open: chunks and images may be large
	known map[string]known // by name; of who has the turn
}

// known is what a recording was found to be when it was last opened.
type known struct {
	stamp string
	entry entry
}

// Open opens a folder. The caller closes it.
func Open(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	return &Folder{dir: dir, root: root, turn: make(chan struct{}, 1), known: make(map[string]known)}, nil
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// extensions are those of recordings; nothing else is listed or served.
var extensions = []string{".bag", ".db3", ".mcap"}

const (
	maxListed = 1000 // recordings in a list
	maxDepth  = 4    // folders below it
)

// entry is one recording in the list.
type entry struct {
	Name     string     `json:"name"`
	Size     int64      `json:"size"`
	Start    wire.Nanos `json:"start"`
	End      wire.Nanos `json:"end"`
	Messages uint64     `json:"messages"`
	Streams  []string   `json:"streams"`
	Kind     string     `json:"kind,omitempty"`
	Picture  bool       `json:"picture"` // there may be a thumbnail
	Error    string     `json:"error,omitempty"`
}

// ServeHTTP implements http.Handler for /api/files and what is below it.
func (f *Folder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "recordings can only be read", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/api/files")
	if name == "" || name == "/" {
		f.list(w, r)
		return
	}
	name = strings.TrimPrefix(name, "/")
	if of, ok := thumbnailOf(name); ok {
		f.serveThumbnail(w, r, of)
		return
	}
	f.serveFile(w, r, name)
}

// list answers with all recordings, and what their indexes say.
func (f *Folder) list(w http.ResponseWriter, r *http.Request) {
	list, err := f.entries(r.Context())
	if err != nil {
		http.Error(w, "the list of recordings can't be read", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(list) //nolint:errcheck // the viewer has gone
}

func (f *Folder) entries(ctx context.Context) ([]entry, error) {
	list := []entry{}
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == ".":
			return err
		case err != nil, d.IsDir() && strings.Count(name, "/") >= maxDepth:
			return fs.SkipDir
		case d.IsDir() || !IsRecording(name):
			return nil
		case len(list) == maxListed:
			return fs.SkipAll
		}
		list = append(list, f.listed(ctx, name))
		return ctx.Err()
	})
	return list, err
}

// listed describes a recording, which is opened only if its files have changed since it was
// last.
func (f *Folder) listed(ctx context.Context, name string) (e entry) {
	f.alone(ctx, func() { //nolint:errcheck // the caller looks at the context
		stamp := f.stamp(name)
		if k, ok := f.known[name]; ok && k.stamp == stamp {
			e = k.entry
			return
		}
		e = f.describe(name)
		if len(f.known) >= maxListed {
			clear(f.known)
		}
		f.known[name] = known{stamp, e}
	})
	return e
}

// stamp changes when a recording does. What isn't in the database of a .db3 file yet is in
// another one.
func (f *Folder) stamp(name string) (stamp string) {
	for _, file := range []string{name, name + "-wal", name + "-journal"} {
		if st, err := f.root.Stat(file); err == nil {
			stamp += fmt.Sprintf("%d %d;", st.Size(), st.ModTime().UnixNano())
		}
	}
	return stamp
}

// alone runs do while no other call does, unless the context ends before its turn.
func (f *Folder) alone(ctx context.Context, do func()) error {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-f.turn }() // do may panic, which the HTTP server recovers
	do()
	return nil
}

// IsRecording reports whether name has the extension of a recording.
func IsRecording(name string) bool {
	return slices.Contains(extensions, strings.ToLower(path.Ext(name)))
}

// describe opens a recording for what its index says.
func (f *Folder) describe(name string) entry {
	e := entry{Name: name, Streams: []string{}}
	file, err := f.Path(name)
	if err != nil {
		e.Error = err.Error()
		return e
	}
	if st, err := os.Stat(file); err == nil {
		e.Size = st.Size()
	}
	bag, err := recording.Open(file, bagstore.OpenOptions{})
	if err != nil {
		e.Error = err.Error()
		return e
	}
	defer bag.Close() //nolint:errcheck // it was only read
	e.Start, e.End, e.Messages, e.Kind = wire.Nanos(bag.Start()), wire.Nanos(bag.End()), bag.MessageCount(), "bag"
	if rsbag.IsRecording(bag) {
		e.Kind = "realsense"
	}
	e.Picture = e.Kind == "realsense" || slices.ContainsFunc(bag.Connections(), hasPictures)
	for _, c := range bag.Connections() {
		if topic := c.Topic; e.Kind == "bag" || strings.HasSuffix(topic, "/data") {
			e.Streams = append(e.Streams, streamName(topic, e.Kind))
		}
	}
	slices.Sort(e.Streams)
	e.Streams = slices.Compact(e.Streams)
	return e
}

// streamName is the stream of a RealSense topic, such as /device_0/sensor_0/Depth_0/image/data.
func streamName(topic, kind string) string {
	if parts := strings.Split(topic, "/"); kind == "realsense" && len(parts) > 3 {
		return parts[3]
	}
	return topic
}

var errNoRecording = errors.New("there is no such recording")

// Path returns the path of a recording that a viewer named. The error gives no reason, which
// could reveal files outside the folder.
func (f *Folder) Path(name string) (string, error) {
	if !IsRecording(name) {
		return "", errNoRecording
	}
	st, err := f.root.Stat(name)
	if err != nil || !st.Mode().IsRegular() {
		return "", errNoRecording
	}
	return filepath.Join(f.dir, filepath.FromSlash(name)), nil
}

// serveFile sends a recording; ranges work.
func (f *Folder) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	if !IsRecording(name) {
		http.NotFound(w, r)
		return
	}
	file, err := regular.OpenIn(f.root, name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer file.Close() //nolint:errcheck // it was only read
	st, err := file.Stat()
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment")
	http.ServeContent(w, r, "", st.ModTime(), file)
}
