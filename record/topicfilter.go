package record

import (
	"fmt"
	"regexp"
	"slices"

	"rsros/bagstore"
	"rsros/program"
)

type topicFilter struct {
	fixed    []string // subscribed at once, even if not published
	polls    bool     // look for other topics
	patterns []*regexp.Regexp
	exclude  []*regexp.Regexp
}

// newTopicFilter resolves the given names, so that a topic that is named twice, as chatter
// and /chatter, is recorded once under its full name.
func newTopicFilter(o Options, resolve func(string) (string, error)) (topicFilter, error) {
	f := topicFilter{polls: o.All || o.Regex || o.Node != ""}
	full := func(text string) (*regexp.Regexp, error) {
		re, err := bagstore.MatchWhole(text)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
		}
		return re, nil
	}
	for _, text := range o.Exclude {
		re, err := full(text)
		if err != nil {
			return f, err
		}
		f.exclude = append(f.exclude, re)
	}
	for _, t := range o.Topics {
		if !o.Regex {
			name, err := resolve(t)
			if err != nil {
				return f, fmt.Errorf("%w: %w", program.ErrUsage, err)
			}
			f.fixed = append(f.fixed, name)
			continue
		}
		re, err := full(t)
		if err != nil {
			return f, err
		}
		f.patterns = append(f.patterns, re)
	}
	slices.Sort(f.fixed)
	f.fixed = slices.Compact(f.fixed)
	if o.All {
		f.patterns = []*regexp.Regexp{regexp.MustCompile("")}
	}
	return f, nil
}

func (f topicFilter) match(name string) bool {
	return !f.excluded(name) && matchAny(f.patterns, name)
}

func (f topicFilter) excluded(name string) bool {
	return matchAny(f.exclude, name)
}

func matchAny(list []*regexp.Regexp, name string) bool {
	return slices.ContainsFunc(list, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}
