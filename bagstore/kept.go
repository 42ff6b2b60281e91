package bagstore

import "maps"

// Kept is what a Writer's file has when it is closed, as its readers find it.
type Kept struct {
	Topics     map[string]uint64 // number of messages
	Start, End Time              // of the earliest and the latest one; 0 without any
}

// Add adds n messages of a topic from a range of time.
func (k *Kept) Add(topic string, n uint64, start, end Time) {
	if k.Topics == nil {
		k.Topics, k.Start, k.End = make(map[string]uint64), start, end
	}
	k.Topics[topic] += n
	k.Start, k.End = min(k.Start, start), max(k.End, end)
}

// Messages returns the number of messages.
func (k *Kept) Messages() (n uint64) {
	for _, of := range k.Topics {
		n += of
	}
	return n
}

// Clone returns a copy that Add doesn't change.
func (k Kept) Clone() Kept {
	k.Topics = maps.Clone(k.Topics)
	return k
}
