package sqlite

import (
	"errors"
	"fmt"
)

var (
	// ErrNotDatabase means that a file doesn't begin with the header of an SQLite database.
	ErrNotDatabase = errors.New("not an SQLite database")
	// ErrDamaged means that pages or values contradict each other.
	ErrDamaged = errors.New("the database is damaged")
	// ErrSuperJournal: whether a transaction over several databases was completed isn't in one journal.
	ErrSuperJournal = errors.New("it belongs to a transaction on several databases")

	errMalformed = fmt.Errorf("%w: a declaration in the schema is malformed", ErrDamaged)
	errNoRows    = errors.New("its rows have no numbers")
	errSchema    = errors.New("the schema is too large") // which no recorder writes
	errPage      = errors.New("the file was changed by another program")
)
