package msgs

import (
	"fmt"
	"strings"
)

// Bounds of all definitions of a recording. Each type counts as minFields at least, since a few
// lines may refer to known types that have many.
const (
	maxAllFields = 1 << 18
	minFields    = 32
)

// Cache keeps what is made of each of a recording's message definitions, and bounds them together, since a file may
// have any number of large ones. The zero value is empty. A Cache is not safe for concurrent use.
type Cache[V any] struct {
	made   map[[2]string]made[V]
	fields int
}

type made[V any] struct {
	v   V
	err error
}

// Get returns what make makes of a type's definition, from the second time on without calling it.
// It is an error if the definition is one too many.
func (c *Cache[V]) Get(name, definition string, make func(name, definition string) (V, error)) (V, error) {
	key := [2]string{name, definition}
	m, known := c.made[key]
	if known {
		return m.v, m.err
	}
	n := max(minFields, countFields(definition))
	if n > maxAllFields-c.fields {
		return m.v, fmt.Errorf("type %s: the definitions of the recording have more than %d fields", name, maxAllFields)
	}
	if c.made == nil {
		c.made = map[[2]string]made[V]{}
	}
	c.fields += n
	m.v, m.err = make(name, definition)
	c.made[key] = m
	return m.v, m.err
}

// countFields counts the lines of a definition that aren't empty or a comment.
func countFields(definition string) (n int) {
	for line := range strings.Lines(definition) {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}
