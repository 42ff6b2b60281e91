// Package rules compares recordings with rules: required topics, and limits of rates, gaps, stamps, sizes and losses.
// Rules are in a YAML file (docs/rules.md); [Measures.Text] writes one from an example. [Measures] are taken while a
// recording is read, in constant memory for each topic and publisher.
package rules

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/program/yaml"
)

// Set is the content of a rule file.
type Set struct {
	limits       []limit
	realSense    words
	compressions words
	topics       []topicRules
}

// topicRules are the rules for one topic, or for each of several.
type topicRules struct {
	line   int
	name   string         // or the expression
	match  *regexp.Regexp // nil: one topic
	expect string         // one of the words of expectations
	typ    words
	limits []limit
}

// words is a rule that allows some words. The zero value is no rule.
type words struct {
	line  int
	allow []string
}

const (
	present  = "present"
	optional = "optional"
	absent   = "absent"
)

var expectations = []string{present, optional, absent}

// Read reads a rule file.
func Read(path string) (*Set, error) { return yaml.ReadFile(path, Parse) }

// Parse parses the text of a rule file. Errors name the line and the key.
func Parse(text []byte) (*Set, error) {
	s := new(Set)
	err := yaml.Keys{
		"recording": s.recording,
		"topics":    yaml.Elements("topics", &s.topics, parseTopic),
	}.Parse(text, errors.New("no rules"))
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Set) recording(n *yaml.Node) error {
	k := limits(&s.limits, ofRecording)
	k["realsense"] = func(n *yaml.Node) error { return s.realSense.set(n, "true", "false") }
	k["compression"] = func(n *yaml.Node) error { return s.compressions.set(n, "none", "bz2", "lz4", "zstd") }
	return k.Take(n)
}

func parseTopic(n *yaml.Node) (t topicRules, err error) {
	t = topicRules{line: n.Line, expect: present}
	k := limits(&t.limits, ofTopic)
	k["topic"] = t.named
	k["match"] = func(n *yaml.Node) (err error) {
		if err := t.named(n); err != nil {
			return err
		}
		if t.match, err = bagstore.MatchWhole(n.Value); err != nil {
			return yaml.Fail(n, "%v", err)
		}
		return nil
	}
	k["expect"] = yaml.Into(&t.expect, func(n *yaml.Node) (string, error) { return yaml.Word(n, expectations...) })
	k["type"] = func(n *yaml.Node) error { return t.typ.set(n) }
	if err := k.Take(n); err != nil {
		return t, err
	}
	for i, name := range t.typ.allow {
		t.typ.allow[i] = strings.Replace(name, "/msg/", "/", 1) // as ROS 1 writes it
	}
	if t.name == "" {
		return t, yaml.Fail(n, "found neither topic nor match")
	}
	if t.expect == present && !slices.ContainsFunc(t.limits, func(l limit) bool { return l.key == "messages" }) {
		t.limits = append(t.limits, limit{&ofTopic[0], t.line, 1, math.Inf(1)})
	}
	return t, nil
}

func (t *topicRules) named(n *yaml.Node) (err error) {
	if t.name != "" {
		return yaml.Fail(n, "found both topic and match")
	}
	t.name, err = yaml.Word(n)
	return err
}

func (w *words) set(n *yaml.Node, choices ...string) error {
	w.line = n.Line
	list := []*yaml.Node{n}
	if n.Kind == yaml.List {
		list = n.Content
	}
	for _, n := range list {
		text, err := yaml.Word(n, choices...)
		if err != nil {
			return err
		}
		w.allow = append(w.allow, text)
	}
	return nil
}

// limits returns the keys of quantities, which add to a list.
func limits(to *[]limit, of []quantity) yaml.Keys {
	k := make(yaml.Keys)
	for i := range of {
		q := &of[i]
		k[q.key] = func(n *yaml.Node) error {
			l := limit{q, n.Line, math.Inf(-1), math.Inf(1)}
			if err := (yaml.Keys{"min": yaml.Into(&l.min, q.value), "max": yaml.Into(&l.max, q.value)}).Take(n); err != nil {
				return err
			}
			if l.min > l.max {
				return yaml.Fail(n, "min is above max")
			}
			*to = append(*to, l)
			return nil
		}
	}
	return k
}

func (q *quantity) value(n *yaml.Node) (float64, error) {
	v, ok := q.unit.parse(n.Value)
	if n.Kind != yaml.Scalar || !ok {
		return 0, yaml.Wrong(n, q.unit.wants)
	}
	return v, nil
}
