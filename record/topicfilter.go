package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/program"
)

type topicFilter struct {
	fixed    []string // subscribed at once, even if not published
	polls    bool     // look for other topics
	types    []string // all topics of these
	all      bool
	patterns bagstore.Patterns
	exclude  bagstore.Patterns
}

// newTopicFilter resolves the given names, so that a topic that is named twice, as chatter
// and /chatter, is recorded once under its full name.
func newTopicFilter(o Options, resolve func(string) (string, error)) (topicFilter, error) {
	f := topicFilter{polls: o.All || o.Regex || o.Node != "" || len(o.Types) > 0, types: o.Types, all: o.All}
	var exclude, topics error
	f.exclude, exclude = bagstore.ParsePatterns(o.Exclude)
	if o.Regex {
		f.patterns, topics = bagstore.ParsePatterns(o.Topics)
	} else {
		for _, t := range o.Topics {
			name, err := resolve(t)
			f.fixed, topics = append(f.fixed, name), cmp.Or(topics, err)
		}
	}
	if err := cmp.Or(exclude, topics); err != nil {
		return f, fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	slices.Sort(f.fixed)
	f.fixed = slices.Compact(f.fixed)
	return f, nil
}

func (f topicFilter) match(name, typ string) bool {
	named := slices.Contains(f.types, typ) || slices.Contains(f.types, strings.Replace(typ, "/msg/", "/", 1))
	return (f.all || named || f.patterns.Match(name)) && !f.exclude.Match(name)
}
