package bagstore

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Filter selects messages. The zero value selects all.
type Filter struct {
	// Topics to keep; empty keeps all.
	Topics []string
	// Match keeps topics that it matches in full; nil keeps all. A topic in
	// Topics is kept as well.
	Match *regexp.Regexp
	// Exclude drops topics that it matches in full.
	Exclude *regexp.Regexp
	// Types to keep, such as "sensor_msgs/Image"; empty keeps all.
	Types []string
	// Start and End bound the time, both inclusive; 0 leaves that side open.
	Start, End Time
	// Latched also keeps the last message of each latching connection before
	// Start, and moves it to Start: late subscribers would have received it.
	Latched bool
}

// Query returns the filter as a query. It doesn't include what Latched adds.
func (f Filter) Query() Query {
	return Query{Start: f.Start, End: f.End, Connections: f.keeps}
}

func (f Filter) keeps(c *Connection) bool {
	if matches(f.Exclude, c.Topic) {
		return false
	}
	if len(f.Types) > 0 && !slices.Contains(f.Types, c.Type) {
		return false
	}
	if len(f.Topics) == 0 && f.Match == nil {
		return true
	}
	return slices.Contains(f.Topics, c.Topic) || matches(f.Match, c.Topic)
}

// matches tells whether the expression matches all of s.
func matches(re *regexp.Regexp, s string) bool {
	if re == nil {
		return false
	}
	at := re.FindStringIndex(s)
	if at == nil {
		return false
	}
	if at[0] == 0 && at[1] == len(s) {
		return true
	}
	// The leftmost match may be shorter than another one.
	full, err := MatchWhole(re.String())
	return err == nil && full.MatchString(s)
}

// MatchWhole compiles an expression so that it matches whole topic names only, as
// rosbag's expressions do. Python's look-around and backreferences are refused by
// name.
func MatchWhole(expression string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(expression); err != nil {
		return nil, explainPattern(expression, err) // one that isn't closed could end the group below
	}
	return regexp.Compile(`^(?:` + expression + `)$`)
}

// pythonOnly are what Python's expressions have and Go's don't.
var pythonOnly = map[string]string{
	"(?=": "look-ahead", "(?!": "look-ahead", "(?<=": "look-behind", "(?<!": "look-behind", "(?P=": "a backreference", "(?(": "a condition",
}

// explainPattern says what to do instead of what only Python understands.
func explainPattern(expression string, err error) error {
	refused, ok := errors.AsType[*syntax.Error](err)
	if !ok || refused.Code != syntax.ErrInvalidPerlOp && refused.Code != syntax.ErrInvalidNamedCapture {
		return err
	}
	for _, start := range slices.Sorted(maps.Keys(pythonOnly)) {
		if strings.Contains(expression, start) {
			return fmt.Errorf("expression %q: %s %s…) isn't understood; choose topics by one expression and leave some of them out by another", expression, pythonOnly[start], start)
		}
	}
	return err
}
