package bagset

import (
	"fmt"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// Open opens all bags and logs what is unusual about them. lost says of each
// place where messages are gone. The caller must Close the bags also after an
// error.
func Open(paths []string, log zerolog.Logger) (bags []*bagstore.Bag, lost []string, err error) {
	for _, path := range paths {
		b, err := bagstore.Open(path, bagstore.OpenOptions{})
		if err != nil {
			return bags, lost, err
		}
		bags = append(bags, b)
		for _, n := range b.Notes() {
			log.Warn().Str("bag", path).Int64("at byte", n.Offset).Msg(n.Text)
			if n.Severity == bagstore.Loss {
				lost = append(lost, fmt.Sprintf("%s at byte %d: %s", path, n.Offset, n.Text))
			}
		}
	}
	return bags, lost, nil
}

// Close closes bags that were only read.
func Close(bags []*bagstore.Bag) {
	for _, b := range bags {
		_ = b.Close() // only read
	}
}
