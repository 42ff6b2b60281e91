// Package bagset is what programs over whole bags share: it opens the bags that
// a command line names, says which of their messages were chosen, and walks
// those in time order past the damaged ones.
//
// It imports the reader and the time parser of the player, so that the times of
// a command line mean the same everywhere. It starts no goroutine. A Selection
// is a value; a Pace belongs to one goroutine.
package bagset
