package bagstore

import "time"

// PlainBytes bounds the uncompressed chunks of an iterator.
const PlainBytes = plainBytes

// LeadBytes bounds what is read ahead within Query.Lead.
const LeadBytes = leadBytes

// ReadAhead sets the number of chunks that iterators of v read ahead.
func (v *View) ReadAhead(chunks int) { v.ahead = chunks }

// BoundLead sets how many bytes iterators of v read ahead within Query.Lead, and how long they wait for these.
func (v *View) BoundLead(bytes int64, prefetchWait time.Duration) {
	v.leadBytes, v.prefetchWait = bytes, prefetchWait
}

// BoundFiles sets how many bytes of chunks that the iterator is in are kept in temporary files.
func (it *Iterator) BoundFiles(bytes int64) { it.reader.cache.filedLimit = bytes }

// BoundCache sets how many bytes of chunks the iterator keeps in memory.
func (it *Iterator) BoundCache(bytes int64) { it.reader.cache.limit = bytes }

// Filed returns the bytes of the chunks in temporary files, see filedLeast.
func (it *Iterator) Filed() int64 { return it.reader.cache.filed }

// Cached returns the chunks in an iterator's cache, their bytes, and those of uncompressed ones.
func (it *Iterator) Cached() (chunks int, all, plain int64) {
	return len(it.reader.cache.contents), it.reader.cache.bytes, it.reader.cache.plain
}

// Ahead returns the bytes that were read ahead within Query.Lead.
func (it *Iterator) Ahead() int64 { return it.reader.cache.ahead }

// BoundCrowd sets how large the indexes of overlapping blocks may be that the file hardly backs.
func (v *View) BoundCrowd(bytes int64) { v.crowdBytes = bytes }
