package bagset

import (
	"fmt"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/formats/recording"
)

// Open opens all bags, which may be recordings of other formats, and logs what is
// unusual about them. lost says of each place where messages are gone. The caller
// must Close the bags also after an error.
func Open(paths []string, o bagstore.OpenOptions, log zerolog.Logger) (bags []*bagstore.Bag, lost []string, err error) {
	for _, path := range paths {
		b, err := recording.Open(path, o)
		if err != nil {
			return bags, lost, err
		}
		bags = append(bags, b)
		for _, n := range b.Notes() {
			LogNote(log, path, n)
			if n.Severity == bagstore.Loss {
				lost = append(lost, place(path, n)+": "+n.Text)
			}
		}
	}
	return bags, lost, nil
}

// LogNote logs what is unusual about a bag.
func LogNote(log zerolog.Logger, path string, n bagstore.Note) {
	e := log.Warn().Str("bag", path)
	if n.Offset >= 0 {
		e = e.Int64("at byte", n.Offset)
	}
	e.Msg(n.Text)
}

// place names a bag and the byte that a note is about; other formats than bags have
// no such byte.
func place(path string, n bagstore.Note) string {
	if n.Offset >= 0 {
		return fmt.Sprintf("%s at byte %d", path, n.Offset)
	}
	return path
}

// Close closes bags that were only read.
func Close(bags []*bagstore.Bag) {
	for _, b := range bags {
		_ = b.Close() // only read
	}
}
