package export

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rslayout"
	"rsros/tools/bagset"
)

// folder is an export into a folder: images are encoded on all cores, and the manifest lists files
// in time order. It is for one goroutine.
type folder struct {
	o        Options
	dir      string
	names    map[string]string // by topic or stream: its place below dir
	next     map[string]uint64 // by place: the number of its next file
	manifest *manifest
	tables   map[string]*table
	work     *Workers
	walk     bagset.Walk
	bad      int // messages that can be read but not exported
}

// exportFolder writes the files, then the manifest. It returns how many messages can't be exported,
// and how many have bagstore.ClampedTimes.
func exportFolder(ctx context.Context, bag *bagstore.Recording, filter bagstore.Filter, o Options) (bad, moved int, err error) {
	path := filepath.Join(o.Dir, "manifest.json")
	err = WriteFile(path, o.Overwrite, func(file *os.File) (err error) {
		f := &folder{o: o, dir: o.Dir, names: make(map[string]string), next: make(map[string]uint64), tables: make(map[string]*table),
			manifest: newManifest(file, place.Base(o.Bag)), work: NewWorkers(runtime.GOMAXPROCS(0)), walk: bagset.NewWalk(ctx, o.Log)}
		f.walk.Progress = o.Progress
		err = f.export(bag, filter)
		if waitErr := f.work.Wait(); err == nil {
			err = waitErr
		}
		for _, t := range f.tables {
			err = cmp.Or(t.close(err), err)
		}
		bad, moved = f.bad+f.walk.Damaged, f.walk.Clamped
		return cmp.Or(err, f.manifest.close())
	})
	return bad, moved, err
}

func (f *folder) export(bag *bagstore.Recording, filter bagstore.Filter) error {
	recording := rsbag.IsRecording(bag)
	if recording {
		if err := f.exportRecording(bag, filter); err != nil {
			return err
		}
	}
	q := filter.Query()
	selected := q.Connections
	q.Connections = func(c *bagstore.Connection) bool {
		_, layout := rslayout.TopicType(c.Topic)
		return selected(c) && !(recording && layout)
	}
	return f.exportTopics(bag.View(q))
}

// oddLetters are characters that some file systems reject or shells interpret.
var oddLetters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_.-]+`) })

// Names that Windows doesn't allow: devices with any extension, and trailing dots.
var (
	deviceName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)`) })
	endDots    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.+$`) })
)

// fileEndings are the extensions of exported files. No topic's place ends in one, so that the
// folder of topic /imu.csv can't be the table of /imu.
var fileEndings = []string{".json", ".csv", ".metadata", ".png", ".jpg", ".bin", ".pfm", ".raw", ".ply", ".partial"}

const (
	maxPart  = 100 // bytes of a topic's part in a path
	maxPlace = 500 // bytes of a path below the folder
)

// place returns the path of a topic or stream below the folder: its name, made safe ("../x" must
// not lead out) and unique.
func (f *folder) place(name string) string {
	if place, ok := f.names[name]; ok {
		return place
	}
	parts := strings.Split(strings.Trim(name, "/"), "/")
	for i, p := range parts {
		p = oddLetters().ReplaceAllString(p, "_")
		if strings.Trim(p, ".") == "" || len(p) > maxPart || deviceName().MatchString(p) {
			p = "_" + p[:min(len(p), maxPart)]
		}
		p = endDots().ReplaceAllString(p, "_")
		parts[i] = withoutEnding(p)
	}
	whole := strings.Join(parts, "/")
	if len(whole) > maxPlace {
		whole = withoutEnding("_" + strings.Join(parts, "_")[:maxPart])
	}
	place := whole
	for n := 2; f.taken(place); n++ {
		place = fmt.Sprintf("%s~%d", whole, n)
	}
	f.names[name] = place
	return place
}

// withoutEnding makes "x.csv" x_csv.
func withoutEnding(part string) string {
	for _, ending := range fileEndings {
		if stem := len(part) - len(ending); stem >= 0 && strings.EqualFold(part[stem:], ending) {
			return part[:stem] + "_" + ending[1:]
		}
	}
	return part
}

// nextFile names the next file of a place, with as many digits as the last of count files has.
func (f *folder) nextFile(place string, count uint64, ext string) string {
	n := f.next[place]
	f.next[place]++
	return fmt.Sprintf("%s/%0*d%s", place, max(6, len(fmt.Sprint(count))), n, ext)
}

func (f *folder) taken(place string) bool {
	for _, other := range f.names {
		if strings.EqualFold(other, place) { // some file systems don't tell them apart
			return true
		}
	}
	return false
}

// write encodes a file in a worker, and calls release after it.
func (f *folder) write(entry manifestFile, release func(), encode func(io.Writer) error) error {
	path := filepath.Join(f.dir, filepath.FromSlash(entry.File))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		release()
		return err
	}
	f.manifest.add(entry)
	return f.work.Do(func() error {
		defer release()
		return WriteFile(path, f.o.Overwrite, func(w *os.File) error { return encode(w) })
	})
}

func (f *folder) row(name string, columns []string, values ...any) error {
	t, ok := f.tables[name]
	if !ok {
		path := filepath.Join(f.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		var err error
		if t, err = newTable(path, f.o.Overwrite, columns); err != nil {
			return err
		}
		f.tables[name] = t
		f.manifest.tables = append(f.manifest.tables, name)
	}
	return t.row(values)
}

func (f *folder) oddMessage(topic string, t bagstore.Time, err error) {
	f.bad++
	f.o.Log.Warn().Str("topic", topic).Int64("time", int64(t)).Err(err).Msg("a message was left out")
}

type table struct {
	path  string
	file  *place.Target
	csv   *csv.Writer
	cells []string // of a row
}

func newTable(path string, overwrite bool, columns []string) (*table, error) {
	f, err := CreateFile(path, overwrite)
	if err != nil {
		return nil, err
	}
	t := &table{path: path, file: f, csv: csv.NewWriter(bufio.NewWriterSize(f, 64<<10)), cells: make([]string, len(columns))}
	return t, t.csv.Write(columns)
}

// row writes numbers so that they read back exactly. nil is an empty cell.
func (t *table) row(values []any) error {
	if len(values) != len(t.cells) {
		return fmt.Errorf("%s: %d values for %d columns", t.path, len(values), len(t.cells))
	}
	for i, v := range values {
		t.cells[i] = cell(v)
	}
	return t.csv.Write(t.cells)
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case float32:
		return strconv.FormatFloat(float64(v), 'f', -1, 32)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(v)
}

// close completes the file, or removes it after an error.
func (t *table) close(failed error) error {
	t.csv.Flush()
	return t.file.Finish(errors.Join(failed, t.csv.Error()))
}
