package bagstore

import (
	"errors"
	"fmt"
)

// crowds returns the size of a block's index if that crowds, 0 otherwise.
func crowds(runs []Run, l Layout) (n int64) {
	for _, one := range runs {
		n += int64(len(one.Raw))
	}
	if l.Stored == 0 || n <= crowdRatio*l.Stored { // 0: it isn't known
		return 0
	}
	return n
}

// roomFor returns an error if there is no room for a block's index of n bytes.
func (it *Iterator) roomFor(r chunkRef, n int64) error {
	if n > 0 && it.crowded > 0 && it.crowded+n > it.v.crowdBytes {
		b := it.v.bags[r.bag]
		return &FormatError{b.info.Path, b.blocks[r.chunk].Pos, "chunk", fmt.Errorf(
			"it overlaps in time with others, and the indexes of their messages take more than %d MiB", crowdBytes>>20)}
	}
	return nil
}

// Crowded returns what is lost of the recording to those who read it in the order of time because too many messages
// overlap; nil if nothing is. It reads indexes if the recording is that large.
func (r *Recording) Crowded() *LostBlocks {
	if index := int64(r.MessageCount()) * EntrySize; index <= crowdBytes || index <= crowdRatio*r.info.Size {
		return nil
	}
	var lost LostBlocks
	for _, err := range r.View(Query{}).Index() {
		if blocks, ok := errors.AsType[*LostBlocks](err); ok {
			lost.Messages, lost.Err = lost.Messages+blocks.Messages, blocks.Err
		}
	}
	if lost.Err == nil {
		return nil
	}
	return &lost
}
