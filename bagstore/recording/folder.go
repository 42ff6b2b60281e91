package recording

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/place"
	"rsros/program/yaml"
)

type metadata struct {
	Info metadataInfo `yaml:"rosbag2_bagfile_information"`
}

type metadataInfo struct {
	Files    []string `yaml:"relative_file_paths"`
	Messages uint64   `yaml:"message_count"`
}

const maxFiles = 10000 // of a folder

var errNoRecording = errors.New(
	"the folder has neither metadata.yaml nor files of rosbag2; use catalog or view for a folder of recordings")

func openFolder(path string, o bagstore.OpenOptions) (_ container, err error) {
	j := &joined{path: path, byTopic: make(map[bagstore.Topic]uint32)}
	defer func() {
		if err != nil {
			j.Close() //nolint:errcheck // the first error counts
		}
	}()
	names, info, err := j.list(o.Context, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range names {
		if err := j.open(place.Join(path, name),
			bagstore.OpenOptions{Context: o.Context, Verify: o.Verify, Progress: o.Progress}); err != nil {
			return nil, err
		}
	}
	if len(j.files) == 0 {
		return nil, fmt.Errorf("%s: %w", path, errNoRecording)
	}
	found := uint64(0)
	for _, b := range j.blocks {
		found += b.Messages()
	}
	if found < info.Messages {
		j.notes.Addf(bagstore.Loss, -1, kindFolder,
			"metadata.yaml counts %d messages, %d are in the files", info.Messages, found)
	}
	return j, nil
}

// list names the files in their order, and returns the metadata that does.
func (j *joined) list(ctx context.Context, path string) (names []string, info metadataInfo, err error) {
	info, err = readMetadata(ctx, place.Join(path, db3.MetadataName))
	if place.IsAddress(path) && (place.Ended(err) || errors.Is(err, fs.ErrPermission)) {
		return nil, info, err
	}
	if err == nil && len(info.Files) > 0 {
		return info.Files, info, nil
	}
	// The recorder writes metadata.yaml when it ends. One that was killed left none.
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.notes.Addf(bagstore.Repairable, -1, kindFolder, "metadata.yaml is invalid (%v); the files are ordered by name", err)
	}
	names, unlisted := files(ctx, path)
	if unlisted != nil {
		return nil, info, unlisted
	}
	if len(names) == 0 {
		return nil, info, errNoRecording
	}
	if errors.Is(err, fs.ErrNotExist) {
		j.notes.Addf(bagstore.Harmless, -1, kindFolder,
			"there is no metadata.yaml, so the recorder was killed; the files are ordered by name")
	}
	slices.SortFunc(names, byNumber)
	return names, metadataInfo{}, nil
}

// files names the recordings in a folder, not those below it.
func files(ctx context.Context, folder string) (names []string, err error) {
	add := func(name string) {
		if recordingEnding().MatchString(name) {
			names = append(names, name)
		}
	}
	if !place.IsAddress(folder) {
		entries, err := os.ReadDir(folder)
		for _, e := range entries {
			add(e.Name())
		}
		return names, err
	}
	prefix := strings.TrimSuffix(folder, "/") + "/"
	for i, err := range place.List(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		if name := strings.TrimPrefix(i.Name, prefix); !strings.Contains(name, "/") {
			add(name)
		}
		if len(names) > maxFiles {
			return nil, fmt.Errorf("it has more than %d files", maxFiles)
		}
	}
	return names, nil
}

// recordingEnding matches the file extensions of ROS 2 recordings.
var recordingEnding = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.(db3|mcap)(\.zstd)?$`) })

// byNumber sorts names that end in numbers, 9 before 10.
func byNumber(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }

func readMetadata(ctx context.Context, name string) (info metadataInfo, err error) {
	text, err := place.Read(ctx, name, yaml.MaxText)
	if err != nil {
		return info, err
	}
	var m metadata
	if err := yaml.Decode(text, &m); err != nil {
		return info, err
	}
	info = m.Info
	if len(info.Files) > maxFiles {
		return info, fmt.Errorf("it names %d files", len(info.Files))
	}
	for i, name := range info.Files {
		// Early releases wrote the folder's own name before the file's.
		if !filepath.IsLocal(name) {
			return info, fmt.Errorf("it names %q, which isn't in the folder", name)
		}
		info.Files[i] = filepath.Base(name)
	}
	return info, nil
}

// joined reads files that rosbag2 split as one recording. Topics of the same name and type are one.
type joined struct {
	path    string
	files   []part
	topics  []bagstore.Topic
	byTopic map[bagstore.Topic]uint32 // index in topics, by what must be equal
	blocks  []bagstore.Block
	from    []origin // of each block
	whole   int64    // blocks without those that continue others
	notes   bagstore.Notes
}

const kindFolder = "folder"

// part is one of the files. topics maps its topics to those of the whole.
type part struct {
	container
	topics []uint32
}

type origin struct{ file, block int }

// open adds a file. One that isn't there or is damaged is noted and left out.
func (j *joined) open(name string, o bagstore.OpenOptions) error {
	f, format, err := openFile(o.Context, name)
	switch {
	case f == nil:
		err = cmp.Or(err, errNotContainer)
	case format == Bag:
		err = errors.Join(errNotContainer, f.Close())
	default:
		var c container
		if c, err = openContainer(f, name, format, o); err == nil {
			j.add(c)
			return nil
		}
	}
	if place.Ended(err) || place.IsAddress(name) && f == nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	j.notes.Addf(bagstore.Loss, -1, kindFolder, "a file is left out: %v", err)
	return nil
}

func (j *joined) add(c container) {
	p := part{container: c}
	for _, t := range c.Topics() {
		key := bagstore.Topic{Name: t.Name, Type: t.Type, Encoding: t.Encoding, Schema: t.Schema}
		at, known := j.byTopic[key]
		if !known {
			at = uint32(len(j.topics))
			j.topics, j.byTopic[key] = append(j.topics, t), at
		}
		p.topics = append(p.topics, at)
	}
	j.notes = append(j.notes, c.Info().Notes...)
	j.files = append(j.files, p)
	for i, b := range p.Blocks() {
		counts := make(map[uint32]uint32)
		for _, n := range b.Counts {
			counts[p.topics[n.ID]] += n.Count
		}
		b.Counts = bagstore.SortedCounts(counts)
		if !b.Continued {
			j.whole++
		}
		b.Pos = j.whole
		j.blocks = append(j.blocks, b)
		j.from = append(j.from, origin{len(j.files) - 1, i})
	}
}

// Info describes the files.
func (j *joined) Info() bagstore.Info {
	first := j.files[0].Info()
	i := bagstore.Info{Path: j.path, Version: first.Version, Notes: slices.Clone(j.notes), Clamps: true}
	if len(j.files) > 1 {
		i.Version = fmt.Sprintf("%s, %d files", first.Version, len(j.files))
	}
	for _, f := range j.files {
		i.Size += f.Info().Size
	}
	return i
}

func (j *joined) Topics() []bagstore.Topic { return slices.Clone(j.topics) }

func (j *joined) Blocks() []bagstore.Block { return slices.Clone(j.blocks) }

func (j *joined) Connections() []*bagstore.Connection { return bagstore.Connections(j.topics) }

func (j *joined) Found() (notes []bagstore.Note) {
	for _, f := range j.files {
		notes = append(notes, f.Found()...)
	}
	return notes
}

func (j *joined) Unpack(block int) (*bagstore.Buffer, error) {
	o := j.from[block]
	return j.files[o.file].Unpack(o.block)
}

func (j *joined) Entries(in *bagstore.Buffer, block int) ([]bagstore.Entry, error) {
	f := j.files[j.from[block].file]
	list, err := f.Entries(in, j.from[block].block)
	for i := range list {
		list[i].Conn = f.topics[list[i].Conn]
	}
	return list, err
}

func (j *joined) Read(in *bagstore.Buffer, block int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	o := j.from[block]
	return j.files[o.file].Read(in, o.block, e, alloc)
}

func (j *joined) Extent(block int) (in place.File, from, to int64) {
	o := j.from[block]
	return j.files[o.file].Extent(o.block)
}

func (j *joined) Check() {
	for _, f := range j.files {
		f.Check()
	}
}

func (j *joined) Close() error {
	var errs []error
	for _, f := range j.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
