package recording

import (
	"errors"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
)

// joined reads files that rosbag2 split as one recording. Topics of the same name and type are one.
type joined struct {
	files  []part
	topics []container.Topic
	blocks []bagstore.Block
	from   []origin // of each block
	notes  bagstore.Notes
}

const kindFolder = "folder"

// part is one of the files. topics maps its topics to those of the whole.
type part struct {
	container.Container
	topics []uint32
}

type origin struct{ file, block int }

// open adds a file. One that can't be read is noted and left out.
func (j *joined) open(path string) {
	format, err := FormatOf(path)
	if err == nil {
		var c container.Container
		if c, err = openFile(path, format, bagstore.OpenOptions{}); err == nil {
			j.add(c)
			return
		}
	}
	j.notes.Addf(bagstore.Loss, -1, kindFolder, "a file is left out: %v", err)
}

func (j *joined) add(c container.Container) {
	p := part{Container: c}
	for _, t := range c.Topics() {
		at := slices.IndexFunc(j.topics, func(u container.Topic) bool {
			return u.Name == t.Name && u.Type == t.Type && u.Encoding == t.Encoding && u.Schema == t.Schema
		})
		if at < 0 {
			at = len(j.topics)
			j.topics = append(j.topics, t)
		}
		p.topics = append(p.topics, uint32(at))
	}
	for i, b := range c.Blocks() {
		counts := make(map[uint32]uint32)
		for _, n := range b.Counts {
			counts[p.topics[n.ID]] += n.Count
		}
		b.Counts = nil
		for topic := range uint32(len(j.topics)) {
			if n := counts[topic]; n > 0 {
				b.Counts = append(b.Counts, bagstore.ConnCount{ID: topic, Count: n})
			}
		}
		b.Pos = int64(len(j.blocks)) + 1
		j.blocks = append(j.blocks, b)
		j.from = append(j.from, origin{len(j.files), i})
	}
	j.notes = append(j.notes, c.Notes()...)
	j.files = append(j.files, p)
}

func (j *joined) Format() string {
	if len(j.files) == 1 {
		return j.files[0].Format()
	}
	return fmt.Sprintf("%s, %d files", j.files[0].Format(), len(j.files))
}

func (j *joined) Size() (n int64) {
	for _, f := range j.files {
		n += f.Size()
	}
	return n
}

func (j *joined) Topics() []container.Topic { return slices.Clone(j.topics) }

func (j *joined) Blocks() []bagstore.Block { return slices.Clone(j.blocks) }

func (j *joined) Notes() []bagstore.Note { return slices.Clone(j.notes) }

func (j *joined) Entries(block int) ([]bagstore.Entry, error) {
	f := j.files[j.from[block].file]
	list, err := f.Entries(j.from[block].block)
	for i := range list {
		list[i].Conn = f.topics[list[i].Conn]
	}
	return list, err
}

func (j *joined) Read(block int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	o := j.from[block]
	return j.files[o.file].Read(o.block, e, alloc)
}

func (j *joined) Check(note func(bagstore.Note)) {
	for _, f := range j.files {
		f.Check(note)
	}
}

func (j *joined) Close() error {
	var errs []error
	for _, f := range j.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
