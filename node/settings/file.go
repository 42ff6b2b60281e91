package settings

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"rsros/program/yaml"
)

// Values are the texts that set settings, by their names.
type Values map[string][]string

// ReadFile sets fields from a YAML file, whose keys are names of settings, and adds the texts to
// values and the names to given. It leaves alone what given has.
func ReadFile(path string, fields []Field, given Given, values Values) error {
	keys := yaml.Keys{}
	for _, f := range fields {
		// Flags that exclude each other have the same place.
		_, set := given[f.Name()]
		set = set || f.Kind == Bool && f.isSetter() && !f.isZero()
		keys[f.Name()] = func(n *yaml.Node) error {
			texts, err := f.texts(n)
			if err != nil || set {
				return err
			}
			if err := f.Replace(texts); err != nil {
				return yaml.Fail(n, "%.100q: %v", strings.Join(texts, ", "), err)
			}
			given[f.Name()], values[f.Name()] = FromFile, texts
			return nil
		}
	}
	_, err := yaml.ReadFile(path, func(text []byte) (*yaml.Node, error) {
		return nil, keys.Parse(text, nil)
	})
	return err
}

// texts returns the values of a node: several if the setting is a list.
func (f Field) texts(n *yaml.Node) (texts []string, err error) {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.List && (f.Kind == Texts || f.Kind == List) {
		nodes = n.Content
	}
	for _, n := range nodes {
		text, err := yaml.Word(n)
		if empty := n.Kind == yaml.Scalar && n.Value == "" && n.ShortTag() == "!!str"; err != nil && !empty { // "" is a value
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// Write writes a file for ReadFile: values as keys, and the other settings' defaults as comments.
func Write(w io.Writer, fields []Field, values Values) error {
	for _, f := range fields {
		texts, comment := values[f.Name()], ""
		switch {
		case texts == nil && f.Default == "":
			continue
		case texts == nil:
			texts, comment = []string{f.Default}, "# "
		}
		if i := slices.IndexFunc(texts, func(text string) bool { return !utf8.ValidString(text) }); i >= 0 {
			return fmt.Errorf("--%s %q: YAML has text in UTF-8 only", f.Name(), texts[i])
		}
		value := yaml.Texts(texts...)
		if len(texts) == 1 {
			value = value.Content[0]
		}
		line, err := yaml.Encode(map[string]*yaml.Node{f.Name(): value})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", comment, line); err != nil {
			return err
		}
	}
	return nil
}
