package encode

import (
	"bytes"
	"errors"
	"fmt"

	"rsros/msgs"
)

const (
	// shownValues is the maximum number of values of an array in a tree.
	shownValues = 64
	// MaxTree is the maximum size of a tree in bytes.
	MaxTree = 1 << 20
)

// ErrLargeTree is returned by Tree for a message whose tree would exceed MaxTree.
var ErrLargeTree = errors.New("the message is too large to be shown")

// Tree returns a message, encoded in data, as JSON with long arrays truncated.
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
