// Package bagstore is the model of a recording: connections, times, messages in blocks, and what was unusual about a
// file. It reads recordings of any format; package recording opens them.
//
// A format implements [Source], which a [Recording] reads. A [View] selects messages from any number of recordings. An
// [Iterator] visits them in time order, forward and backward, and loads the index of a block when it reaches the block.
// A Recording and a View may be used from several goroutines; an Iterator may not.
//
// Message.Data is valid until the iterator moves. [Message.Retain] keeps it for as
// long as the caller needs, in any goroutine.
package bagstore
