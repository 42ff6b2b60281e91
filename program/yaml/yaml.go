// Package yaml decodes YAML texts, such as the metadata.yaml of a recording, within bounds of memory and time.
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"rsros/program/localfile"
)

const (
	// MaxText bounds a text, in bytes.
	MaxText  = 8 << 20
	maxParts = 1 << 18 // the library takes up to 500 bytes for each
	maxDepth = 64
	maxKeys  = 1000 // of a mapping: the library compares each key with all others
)

// Decode decodes a text, like json.Unmarshal. In an any, mappings are map[string]any, and dates and numbers such as 08,
// which YAML reads as decimal, are strings. Anchors are refused: a short text could expand to a huge value.
func Decode(text []byte, into any) error {
	root, err := parse(text)
	if err != nil {
		return err
	}
	return oneLine(root.Decode(into))
}

// parse parses a text within the bounds of Decode. The result is a document, or zero if the text is empty.
func parse(text []byte) (*yaml.Node, error) {
	if err := Fits(text); err != nil {
		return nil, err
	}
	var root yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&root); err != nil && err != io.EOF {
		return nil, oneLine(err)
	}
	if second := d.Decode(new(yaml.Node)); second == nil {
		return nil, errors.New("YAML: found a second document, want one")
	} else if second != io.EOF {
		return nil, oneLine(second)
	}
	return &root, check(&root, 0)
}

// Texts returns a list of texts, unquoted where YAML allows it and the library would read back what it wrote.
func Texts(texts ...string) *Node {
	list := &Node{Kind: List, Style: yaml.FlowStyle}
	for _, text := range texts {
		style := yaml.Style(0)
		if text == "" || strings.ContainsAny(text, "\u0085\u2028\u2029") {
			style = yaml.DoubleQuotedStyle
		}
		list.Content = append(list.Content, &Node{Kind: Scalar, Value: text, Style: style})
	}
	return list
}

// Encode returns the YAML text of v, like json.Marshal.
func Encode(v any) ([]byte, error) {
	text, err := yaml.Marshal(v)
	return text, oneLine(err)
}

// Fits returns an error if a text has too many bytes or values for Decode.
func Fits(text []byte) error {
	parts := 0
	for _, separator := range []string{"\n", ",", "[", "{", "- ", "? "} {
		parts += bytes.Count(text, []byte(separator))
	}
	if len(text) > MaxText || parts > maxParts {
		return fmt.Errorf("YAML: found %d bytes with up to %d values, want at most %d with %d",
			len(text), parts, MaxText, maxParts)
	}
	return nil
}

// oneLine joins the lines of the library's errors and bounds their length.
func oneLine(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("YAML: %.200s", strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml:")), " "))
}

func check(n *yaml.Node, depth int) error {
	switch {
	case depth > maxDepth:
		return fmt.Errorf("YAML: line %d: more than %d levels of nesting", n.Line, maxDepth)
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return fmt.Errorf("YAML: line %d: anchors are not supported", n.Line)
	case n.Kind == yaml.MappingNode && len(n.Content) > 2*maxKeys:
		return fmt.Errorf("YAML: line %d: a mapping of %d keys, want at most %d", n.Line, len(n.Content)/2, maxKeys)
	case n.Kind == yaml.ScalarNode && isText(n):
		n.Tag = "!!str"
	}
	for i, c := range n.Content {
		if err := check(c, depth+1); err != nil {
			return err
		}
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Kind == yaml.ScalarNode {
			c.Tag = "!!str" // a key
		}
	}
	return nil
}

// isText reports whether a scalar is taken as text that the library takes as another type.
func isText(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!timestamp":
		return true
	case "!!float":
		return strings.Trim(n.Value, "0123456789") == ""
	}
	return false
}

// ReadFile parses a file with a YAML text. Errors have its path.
func ReadFile[T any](path string, parse func(text []byte) (*T, error)) (*T, error) {
	text, err := localfile.Read(path, MaxText)
	if err != nil {
		return nil, err
	}
	v, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}
