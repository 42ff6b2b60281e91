package rosbag

import (
	"errors"

	"rsros/bagstore"
)

// Kept returns what readers find in the file, and in a tail file next to it, after Close. It is empty if another
// program has taken the file away.
func (w *Writer) Kept() bagstore.Kept { return w.kept }

// count returns what Kept returns after Close with an error. What a failed write has left in the file, only a reader
// knows.
func (w *Writer) count(err error) (k bagstore.Kept) {
	add := func(c *bagstore.ChunkInfo, topic func(id uint32) string) {
		for _, n := range c.Counts {
			k.Add(topic(n.ID), uint64(n.Count), c.Start, c.End)
		}
	}
	if err == nil {
		for i := range w.c.chunks {
			add(&w.c.chunks[i].ChunkInfo, func(id uint32) string { return w.conns[id].Topic })
		}
	} else if w.file != nil && !errors.Is(err, bagstore.ErrGone) {
		if f, err := openPath(w.file.Name(), bagstore.OpenOptions{}, false); err == nil {
			defer f.Close() //nolint:errcheck // only read
			for i := range f.chunks {
				add(&f.chunks[i].ChunkInfo, func(id uint32) string { return f.byID[id].Topic })
			}
		}
	}
	return k
}
