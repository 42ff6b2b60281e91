package encode

import (
	"bytes"
	"errors"
	"fmt"

	"rsros/msgs"
)

const (
	// shownValues is how many values of an array a tree has.
	shownValues = 64
	// MaxTree bounds a tree, in bytes.
	MaxTree = 1 << 20
)

// ErrLargeTree says that a message is too large to be shown.
var ErrLargeTree = errors.New("the message is too large to be shown")

// Tree returns a message as JSON in which long arrays are cut. data is its bytes.
func Tree(spec *msgs.Spec, data []byte) ([]byte, error) {
	var out limited
	if err := spec.WriteJSON(&out, data, msgs.PrintOptions{Tree: true, MaxArray: shownValues}); err != nil {
		return nil, fmt.Errorf("decode %s of %d bytes: %w", spec.Name, len(data), err)
	}
	return out.Bytes(), nil
}

// limited is a buffer of at most MaxTree bytes.
type limited struct{ bytes.Buffer }

func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > MaxTree {
		return 0, ErrLargeTree
	}
	return l.Buffer.Write(b)
}
