// Package library serves the recordings of a folder, an address or a catalog to viewers by HTTP: a list with facts from
// the indexes, thumbnails, and the files themselves.
package library

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/place"
	"rsros/bagstore/recording"
	"rsros/tools/batch"
	"rsros/tools/catalog"
	"rsros/viewer/api"
)

// Library has the recordings that viewers may list, open and download, and no others. It may be used by several
// goroutines.
type Library struct {
	source source
	turn   chan struct{} // bounds the recordings that are open, because chunks and images may be large

	mu    sync.Mutex
	known map[string]known // by name
}

// source is a place with recordings. Viewers refer to them by name.
type source interface {
	// list returns the recordings. An item's version changes when the recording does.
	list(ctx context.Context) ([]batch.Item, error)
	// place returns the path or address of a recording. The error gives no reason, which could reveal other files.
	place(name string) (string, error)
	// open opens a recording's file.
	open(ctx context.Context, name string) (place.File, error)
	close() error
}

// known is the description of a version of a recording.
type known struct {
	version string
	row     *catalog.Row
}

// Open opens a folder, an address that ends with a slash, or a catalog. The caller closes it.
func Open(ctx context.Context, name string) (*Library, error) {
	l := &Library{turn: make(chan struct{}, 1), known: make(map[string]known)}
	var err error
	switch {
	case catalog.Is(name):
		l.source, err = openRows(ctx, name, l.known)
	case place.IsAddress(name):
		l.source, l.turn = prefix(name), make(chan struct{}, remoteTurns)
	default:
		l.source, err = openFolder(name)
	}
	if err != nil {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	return l, nil
}

// Is reports whether name may be the name of a library, not of a recording.
func Is(name string) bool {
	if place.IsAddress(name) {
		return strings.HasSuffix(name, "/") || catalog.Is(name)
	}
	st, err := os.Stat(name)
	return catalog.Is(name) || err == nil && st.IsDir()
}

// IsRosbag2 reports whether name is a rosbag2 folder, which is one recording.
func IsRosbag2(ctx context.Context, name string) bool {
	if place.IsAddress(name) && !strings.HasSuffix(name, "/") {
		return false
	}
	_, err := place.Stat(ctx, place.Join(name, db3.MetadataName))
	return err == nil
}

// Close closes the library.
func (l *Library) Close() error { return l.source.close() }

const (
	maxListed   = 10_000          // recordings in a list
	maxFiles    = 4 * maxListed   // files of these recordings
	maxAnswered = 500             // recordings in an answer
	remoteTurns = 8               // recordings at an address that are open at once
	patience    = 2 * time.Second // for opening the listed recordings
)

// entry is one recording in an answer.
type entry struct {
	Name     string    `json:"name"`
	Size     int64     `json:"size"`
	Start    api.Nanos `json:"start"`
	End      api.Nanos `json:"end"`
	Messages int64     `json:"messages"`
	Streams  []string  `json:"streams"`
	Kind     string    `json:"kind,omitempty"`
	Picture  bool      `json:"picture"` // there may be a thumbnail
	Pending  bool      `json:"pending,omitempty"`
	Error    string    `json:"error,omitempty"`
}

// ServeHTTP implements http.Handler for /api/files and paths below it.
func (l *Library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "recordings can only be read", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/api/files")
	if name == "" || name == "/" {
		l.serveList(w, r)
		return
	}
	name = strings.TrimPrefix(name, "/")
	if of, ok := strings.CutSuffix(name, "/thumbnail"); ok {
		l.serveThumbnail(w, r, of)
		return
	}
	l.serveFile(w, r, name)
}

// serveList answers with the recordings that a query selects. X-Total is their number.
func (l *Library) serveList(w http.ResponseWriter, r *http.Request) {
	query, err := catalog.ParseQuery(r.FormValue("q"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	list, err := l.entries(r.Context(), query)
	if err != nil {
		http.Error(w, "the list of recordings can't be read", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Total", strconv.Itoa(len(list)))
	skip, _ := strconv.Atoi(r.FormValue("skip"))
	list = list[min(max(0, skip), len(list)):]
	json.NewEncoder(w).Encode(list[:min(maxAnswered, len(list))]) //nolint:errcheck // the viewer has disconnected
}

// entries lists the selected recordings. Those that couldn't be opened within patience are pending.
func (l *Library) entries(ctx context.Context, query catalog.Query) ([]entry, error) {
	all, err := l.source.list(ctx)
	if err != nil {
		return nil, err
	}
	all = all[:min(len(all), maxListed)]
	rows := make([]*catalog.Row, len(all))
	enough := time.Now().Add(patience)
	var opening sync.WaitGroup
	for i, it := range all {
		if rows[i] = l.remembered(it); rows[i] != nil || i > 0 && time.Now().After(enough) {
			continue
		}
		if err := l.begin(ctx); err != nil {
			break
		}
		opening.Go(func() {
			defer l.end()
			defer func() {
				if p := recover(); p != nil { // a decoder's panic would end the program
					rows[i] = &catalog.Row{Name: it.Name, State: catalog.Unreadable, Error: fmt.Sprint(p)}
				}
			}()
			rows[i] = l.describe(ctx, it)
		})
	}
	opening.Wait()
	list := []entry{}
	for i, it := range all {
		row := cmp.Or(rows[i], &catalog.Row{Name: it.Name, Size: it.Size})
		if !query.Match(row) {
			continue
		}
		e := entryOf(it.Name, row)
		if e.Pending = rows[i] == nil; e.Pending {
			e.Kind = ""
		}
		list = append(list, e)
	}
	return list, ctx.Err()
}

// remembered returns the known description of a recording, or nil if the recording has changed since.
func (l *Library) remembered(it batch.Item) *catalog.Row {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k, ok := l.known[it.Name]; ok && k.version == it.Version {
		return k.row
	}
	return nil
}

// describe opens a recording and describes it from its index.
func (l *Library) describe(ctx context.Context, it batch.Item) *catalog.Row {
	row := catalog.Row{State: catalog.Unreadable, Error: errNoRecording.Error()}
	if at, err := l.source.place(it.Name); err == nil {
		row = catalog.Describe(ctx, at, catalog.Options{})
	}
	row.Name = it.Name
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxListed {
		clear(l.known)
	}
	if ctx.Err() == nil {
		l.known[it.Name] = known{it.Version, &row}
	}
	return &row
}

// begin waits until another recording may be opened. The caller must call end afterwards.
func (l *Library) begin(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Library) end() { <-l.turn }

// entryOf converts a row to an entry.
func entryOf(name string, r *catalog.Row) entry {
	e := entry{
		Name: name, Size: r.Size, Start: api.Nanos(r.Start), End: api.Nanos(r.End), Messages: r.Messages, Streams: []string{},
		Picture: len(r.Thumbnail) > 0, Error: r.Error,
	}
	if r.Error == "" {
		e.Kind = "bag"
	}
	if r.RealSense() {
		e.Kind = "realsense"
	}
	for _, t := range r.Topics {
		if e.Kind == "bag" || strings.HasSuffix(t.Name, "/data") {
			e.Streams = append(e.Streams, streamName(t.Name, e.Kind))
		}
		e.Picture = e.Picture || e.Kind == "realsense" || catalog.HasImages(t.Type)
	}
	slices.Sort(e.Streams)
	e.Streams = slices.Compact(e.Streams)
	return e
}

// streamName returns the stream of a RealSense topic, such as /device_0/sensor_0/Depth_0/image/data.
func streamName(topic, kind string) string {
	if parts := strings.Split(topic, "/"); kind == "realsense" && len(parts) > 3 {
		return parts[3]
	}
	return topic
}

var errNoRecording = errors.New("there is no such recording")

// isPart reports whether a file may belong to a recording that is listed.
func isPart(name string) bool { return catalog.IsRecording(name) || batch.IsCompanion(name) }

// Place returns the path or address of a recording that a viewer named.
func (l *Library) Place(ctx context.Context, name string) (string, error) {
	if !catalog.IsRecording(name) { // it may be a rosbag2 folder
		f, err := l.source.open(ctx, name+"/"+db3.MetadataName)
		if err != nil {
			return "", errNoRecording
		}
		f.Close() //nolint:errcheck // it was only read
	}
	return l.source.place(name)
}

// serveFile sends a recording. It supports range requests.
func (l *Library) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	if !catalog.IsRecording(name) {
		http.NotFound(w, r)
		return
	}
	file, err := l.source.open(r.Context(), name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer file.Close() //nolint:errcheck // it was only read
	info := file.Info()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment")
	http.ServeContent(w, r, "", info.Modified, io.NewSectionReader(file, 0, info.Size))
}

// serveThumbnail sends a small image from the middle of a recording, or nothing (204) if the recording has none, which
// isn't an error.
func (l *Library) serveThumbnail(w http.ResponseWriter, r *http.Request, name string) {
	at, err := l.Place(r.Context(), name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	var thumbnail []byte
	if rows, ok := l.source.(*rows); ok {
		thumbnail = rows.byName[name].Thumbnail
	} else if thumbnail, err = l.thumbnail(r.Context(), at); err != nil {
		http.Error(w, "the thumbnail was not made in time", http.StatusServiceUnavailable)
		return
	}
	if thumbnail == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Cache-Control", "private, max-age=60")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(thumbnail))
}

// thumbnail returns a thumbnail. The only error is ctx's.
func (l *Library) thumbnail(ctx context.Context, at string) ([]byte, error) {
	if err := l.begin(ctx); err != nil {
		return nil, err
	}
	defer l.end() // a decoder may panic, which the HTTP server recovers
	bag, err := recording.Open(at, bagstore.OpenOptions{Context: ctx})
	if err != nil {
		return nil, ctx.Err()
	}
	defer bag.Close() //nolint:errcheck // it was only read
	return catalog.Thumbnail(bag), ctx.Err()
}

// cleanName reports whether a name stays below a folder or address.
func cleanName(name string) bool {
	return name != "." && path.Clean(name) == name && !path.IsAbs(name) && !strings.HasPrefix(name, "../")
}
