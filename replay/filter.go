package replay

import (
	"fmt"
	"regexp"
	"slices"

	"rsros/bagstore"
)

// Filter selects messages. The zero value selects all. A message is played if its
// topic is in Topics or matches Match (or both are empty), its type is in Types (or
// Types is empty), and it isn't excluded.
type Filter struct {
	Topics       []string `setting:"topics"` // recorded names
	Match        []*regexp.Regexp
	Exclude      []*regexp.Regexp
	Types        []string           `setting:"types"`
	ExcludeTypes []string           `setting:"exclude-types"`
	Limits       map[string]float64 // by recorded topic: maximum rate in Hz of bag time
}

// CompileFull compiles expressions that match whole names, as rosbag's do.
func CompileFull(expressions []string) ([]*regexp.Regexp, error) {
	var out []*regexp.Regexp
	for _, e := range expressions {
		re, err := bagstore.MatchWhole(e)
		if err != nil {
			return nil, err
		}
		out = append(out, re)
	}
	return out, nil
}

func (f *Filter) wants(c *bagstore.Connection) bool {
	chosen := len(f.Topics)+len(f.Match) == 0 || slices.Contains(f.Topics, c.Topic) || matchesAny(f.Match, c.Topic)
	return chosen && !matchesAny(f.Exclude, c.Topic) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, c.Type)) && !slices.Contains(f.ExcludeTypes, c.Type)
}

func matchesAny(list []*regexp.Regexp, s string) bool {
	return slices.ContainsFunc(list, func(re *regexp.Regexp) bool { return re.MatchString(s) })
}

func (f *Filter) missing(conns []*bagstore.Connection) []string {
	var out []string
	nowhere := func(what, name string, has func(*bagstore.Connection) bool) {
		if !slices.ContainsFunc(conns, has) {
			out = append(out, fmt.Sprintf("no bag has %s %s", what, name))
		}
	}
	for _, t := range f.Topics {
		nowhere("topic", t, func(c *bagstore.Connection) bool { return c.Topic == t })
	}
	for _, re := range f.Match {
		nowhere("topic that matches", re.String(), func(c *bagstore.Connection) bool { return re.MatchString(c.Topic) })
	}
	for _, t := range f.Types {
		nowhere("messages of type", t, func(c *bagstore.Connection) bool { return c.Type == t })
	}
	return slices.Compact(out)
}
