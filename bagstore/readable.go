package bagstore

import "fmt"

// Readable tells a bag that is empty from one that is damaged all over: it returns
// ErrUnreadable, with what is wrong, if there are or were messages and none can be
// read. Of a sound bag it reads one chunk.
func (b *Bag) Readable() error {
	cr := newChunkReader(b)
	var why error
	for i := range b.chunks {
		c := &b.chunks[i]
		if b.content != nil {
			if c.Messages() > 0 {
				return nil
			}
			continue
		}
		entries, _, err := cr.walkContent(c, walker{bag: b})
		for _, e := range entries {
			if b.byID[e.conn] != nil {
				return nil
			}
		}
		if err != nil && why == nil {
			why = b.errorAt(c.Pos, "chunk", err)
		}
	}
	if why != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, why)
	}
	for _, n := range b.notes {
		if n.Severity == Loss && len(b.chunks) == 0 {
			return fmt.Errorf("%s: %w: %s at byte %d: %s", b.path, ErrUnreadable, n.Kind, n.Offset, n.Text)
		}
	}
	return nil
}
