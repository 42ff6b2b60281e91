package disk

// Sink appends to a file and overwrites its head. It belongs to one goroutine, except
// that Sync and WriteHead may be called from another one.
//
// An error may be caused by an earlier Append. After an error only Rewind, Intact and
// Close may be called.
type Sink interface {
	// Append appends head, body and tail, which may be reused when it returns. If done is
	// not nil, body is lent: the sink may read it until it calls done, once, from any
	// goroutine, also after an error.
	Append(head, body, tail []byte, done func()) error
	// Size returns the size of the file with everything appended.
	Size() int64
	// Written returns the size up to which bytes were passed to the operating system.
	Written() int64
	// Landed returns the size up to which everything has been written: writes after it may
	// be pending.
	Landed() int64
	// Grain returns the number of bytes that the sizes of writes are multiples of.
	Grain() int64
	// Flush passes everything appended to the operating system. If the size isn't a
	// multiple of the grain, the last bytes are written again with the next ones.
	Flush() error
	// Sync waits until everything flushed is on the medium.
	Sync() error
	// WriteHead overwrites the first bytes of the file.
	WriteHead(b []byte) error
	// Intact waits for pending writes and returns the size up to which everything
	// appended has been written or can still be written.
	Intact() int64
	// Rewind removes everything appended after size n, so that appending can continue
	// there after a failed write. n is at most Intact or the size at the last Flush.
	Rewind(n int64) error
	// Finish writes the rest and truncates the file to its size.
	Finish() error
	// Close closes the file.
	Close() error
}
