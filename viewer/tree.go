package viewer

import (
	"bytes"
	"errors"
	"fmt"

	"rsros/msgs"
)

const (
	// shownValues is the maximum number of values of an array in a tree.
	shownValues = 64
	// maxTree is the maximum size of a tree in bytes.
	maxTree = 1 << 20
)

// errLargeTree is returned by encodeTree for a message whose tree would exceed maxTree.
var errLargeTree = errors.New("the message is too large to be shown")

// encodeTree returns a message, encoded in data, as JSON with long arrays truncated.
func encodeTree(spec *msgs.Spec, data []byte) ([]byte, error) {
	var out treeBuffer
	if err := spec.WriteJSON(&out, data, msgs.PrintOptions{Tree: true, MaxArray: shownValues}); err != nil {
		return nil, fmt.Errorf("decode %s of %d bytes: %w", spec.Name, len(data), err)
	}
	return out.Bytes(), nil
}

// treeBuffer is a buffer of at most maxTree bytes.
type treeBuffer struct{ bytes.Buffer }

func (l *treeBuffer) Write(b []byte) (int, error) {
	if l.Len()+len(b) > maxTree {
		return 0, errLargeTree
	}
	return l.Buffer.Write(b)
}
