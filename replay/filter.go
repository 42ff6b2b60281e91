package replay

import (
	"fmt"
	"slices"

	"rsros/bagstore"
)

// Filter selects messages. The zero value selects all. A message is played if its topic is in Topics or matches Match
// (or both are empty), its type is in Types (or Types is empty), and it isn't excluded.
type Filter struct {
	Topics       []string `setting:"topics"` // recorded names
	Match        bagstore.Patterns
	Exclude      bagstore.Patterns
	Types        []string           `setting:"types"`
	ExcludeTypes []string           `setting:"exclude-types"`
	Limits       map[string]float64 // by recorded topic: maximum rate in Hz of bag time
}

func (f *Filter) wants(c *bagstore.Connection) bool {
	chosen := len(f.Topics)+len(f.Match) == 0 || slices.Contains(f.Topics, c.Topic) || f.Match.Match(c.Topic)
	return chosen && !f.Exclude.Match(c.Topic) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, c.Type)) && !slices.Contains(f.ExcludeTypes, c.Type)
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
