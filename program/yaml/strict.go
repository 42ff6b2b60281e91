package yaml

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"rsros/program/nearest"
)

// Node is a value of a text, with its line.
type Node = yaml.Node

// Kinds of nodes.
const (
	Scalar = yaml.ScalarNode
	List   = yaml.SequenceNode
)

// Keys are the keys that a mapping may have, and the functions that take their values.
type Keys map[string]func(*Node) error

// Parse takes the keys of a text within the bounds of Decode. If the text is empty, it returns empty.
func (k Keys) Parse(text []byte, empty error) error {
	root, err := parse(text)
	switch {
	case err != nil:
		return err
	case len(root.Content) == 0:
		return empty
	}
	return k.Take(root.Content[0])
}

// Take calls the function of each key of a mapping, which isn't empty. Errors name the key.
func (k Keys) Take(n *Node) error {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return Wrong(n, "some of "+k.names())
	}
	seen := make(map[string]bool)
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		do := k[key.Value]
		switch {
		case do == nil || key.Kind != Scalar:
			return Fail(key, "found the key %.100q, want some of %s%s", key.Value, k.names(),
				nearest.Hint(key.Value, slices.Sorted(maps.Keys(k))))
		case seen[key.Value]:
			return Fail(key, "found the key %s again", key.Value)
		}
		seen[key.Value] = true
		if err := do(n.Content[i+1]); err != nil {
			if e, ok := errors.AsType[*keyError](err); ok {
				e.path = key.Value + ": " + e.path
			}
			return err
		}
	}
	return nil
}

// Into returns a function for Keys that stores what parse returns.
func Into[T any](to *T, parse func(*Node) (T, error)) func(*Node) error {
	return func(n *Node) (err error) {
		*to, err = parse(n)
		return err
	}
}

// Elements returns a function for Keys that appends what parse returns for each element of a list. what
// names the elements in errors.
func Elements[T any](what string, to *[]T, parse func(*Node) (T, error)) func(*Node) error {
	return func(list *Node) error {
		if list.Kind != List {
			return Wrong(list, "a list of "+what)
		}
		for _, n := range list.Content {
			v, err := parse(n)
			if err != nil {
				return err
			}
			*to = append(*to, v)
		}
		return nil
	}
}

// keyError is an error in the value of a key.
type keyError struct {
	line int
	path string // the keys, each with a colon
	text string
}

func (e *keyError) Error() string { return fmt.Sprintf("line %d: %s%s", e.line, e.path, e.text) }

// Fail returns an error about a value.
func Fail(n *Node, format string, args ...any) error {
	return &keyError{line: n.Line, text: fmt.Sprintf(format, args...)}
}

func (k Keys) names() string {
	if len(k) > 20 {
		return fmt.Sprintf("the %d known keys", len(k)) // their command's help lists them
	}
	return strings.Join(slices.Sorted(maps.Keys(k)), ", ")
}

// Word returns a text, one of choices if there are any.
func Word(n *Node, choices ...string) (string, error) {
	switch {
	case n.Kind != Scalar || n.Value == "":
		return "", Wrong(n, "a text")
	case len(choices) > 0 && !slices.Contains(choices, n.Value):
		return "", Wrong(n, strings.Join(choices, ", "))
	}
	return n.Value, nil
}

// Wrong is the error for a value.
func Wrong(n *Node, want string) error {
	found := "a list"
	switch n.Kind {
	case Scalar:
		found = strconv.Quote(n.Value)
	case yaml.MappingNode:
		found = "keys"
	}
	return Fail(n, "found %.100s, want %s", found, want)
}
