// Package bagset has what commands for whole bags share: it opens the bags that a
// command line names, knows which of their messages are selected, and visits these
// in time order, skipping damaged ones.
//
// It imports the reader and the time parser of the player, so that the times of
// a command line mean the same everywhere. It starts no goroutine. A Selection
// is a value; a Walk belongs to one goroutine.
package bagset
