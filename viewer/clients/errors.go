package clients

import "errors"

// Why a client is refused or disconnected.
var (
	// ErrFull means that there are as many clients as are allowed.
	ErrFull = errors.New("there are as many clients as are allowed")
	// ErrClosed means that the server has been closed.
	ErrClosed = errors.New("the program ends")
	// ErrSlow means that a client was disconnected because it doesn't read messages that can't be dropped, or reads
	// nothing at all.
	ErrSlow = errors.New("the client doesn't read what it is sent")
	// ErrBudget means that a client was disconnected because all clients together needed too much memory, and it had held
	// its own for longest.
	ErrBudget = errors.New("the client is too slow, and clients keep too much memory")
)
