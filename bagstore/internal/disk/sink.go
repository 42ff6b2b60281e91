package disk

// Sink appends to a file and can overwrite the file's head. It belongs to one
// goroutine, except that Sync and WriteHead may be called from another one.
//
// An error may come from what was appended before. After it only Rewind, Intact and
// Close are of use.
type Sink interface {
	// Append adds head, body and tail at the end; they may be reused when it
	// returns. If done is set, body is lent: the sink may read it until it calls
	// done, which it does once, from any goroutine, also after an error.
	Append(head, body, tail []byte, done func()) error
	// Size is the length of the file with everything appended.
	Size() int64
	// Written is the size up to which bytes were handed to the operating system.
	Written() int64
	// Landed is the size that the file has at least: writes under way may still
	// extend it.
	Landed() int64
	// Grain is the number of bytes that writes are multiples of, 1 if any number
	// will do.
	Grain() int64
	// Flush hands everything appended to the operating system. If the size is no
	// multiple of the grain, the last bytes are written again with what follows.
	Flush() error
	// Sync returns when everything flushed is on the medium.
	Sync() error
	// WriteHead overwrites the first bytes of the file.
	WriteHead(b []byte) error
	// Intact waits for the writes under way and returns the size up to which
	// everything appended is written or can still be written.
	Intact() int64
	// Rewind forgets what was appended after size n, so that something else can be
	// appended there after a failed write. n is at most Intact, or at most the size
	// at the last Flush.
	Rewind(n int64) error
	// Finish writes the rest and cuts the file to its true length.
	Finish() error
	// Close closes the file.
	Close() error
}
