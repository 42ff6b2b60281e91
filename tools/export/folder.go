package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"rsros/bagstore"
	"rsros/bagstore/place"
)

// folder is an export into a folder: images are encoded on all cores, and the manifest lists files
// in time order. It is for one goroutine.
type folder struct {
	*Files
	source
	names    map[string]string // by topic or stream: its place below Dir
	next     map[string]uint64 // by place: the number of its next file
	manifest *manifest
	rows     map[string]*Table
	unknown  []string // streams of kinds that aren't exported
}

const manifestName = "manifest.json"

// exportFolder writes the files, then the manifest.
func exportFolder(ctx context.Context, bag *bagstore.Recording, filter bagstore.Filter, o Options) (*folder, error) {
	f := &folder{Files: NewFiles(o.Dir, o.Overwrite), source: newSource(ctx, bag, filter, o),
		names: make(map[string]string), next: make(map[string]uint64), rows: make(map[string]*Table)}
	f.walk.Progress = o.Progress
	file, err := f.Create(manifestName)
	if err != nil {
		return f, err
	}
	f.manifest = newManifest(file, place.Base(o.Bag))
	err = cmp.Or(f.Finish(f.each(f.exportCamera, f.exportTopics)), f.manifest.close())
	if err != nil && o.Overwrite {
		return f, errors.Join(err, file.Close()) // it stays: the next export removes what it lists
	}
	return f, f.finish(file, err)
}

// oddLetters are characters that some file systems reject or shells interpret.
var oddLetters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_.-]+`) })

// Names that Windows doesn't allow: devices with any extension, and trailing dots.
var (
	deviceName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)`)
	})
	endDots = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.+$`) })
)

// fileEndings are the extensions of exported files. No topic's place ends in one, so that the
// folder of topic /imu.csv can't be the table of /imu.
var fileEndings = strings.Fields(".json .csv .metadata .png .jpg .bin .pfm .raw .ply .partial")

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

// write lists a file, encodes it in a worker, and calls release after it.
func (f *folder) write(entry manifestFile, release func(), encode func(io.Writer) error) error {
	f.manifest.add(entry)
	return f.Go(entry.File, release, encode)
}

func (f *folder) row(name string, columns []string, values ...any) error {
	t, ok := f.rows[name]
	if !ok {
		t = f.Table(name, strings.Join(columns, ",")+"\n")
		f.rows[name] = t
		f.manifest.tables = append(f.manifest.tables, name)
	}
	return t.Row(values)
}
