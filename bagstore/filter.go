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
	// Topics to keep.
	Topics []string
	// Match keeps further topics; if it and Topics are empty, all are kept.
	Match Patterns
	// Exclude drops topics.
	Exclude Patterns
	// Types to keep, such as "sensor_msgs/Image"; empty keeps all.
	Types []string
	// Start and End bound the time, both inclusive; 0 leaves that side open.
	Start, End Time
	// Latched also keeps the last message of each latching connection before Start, moved to Start.
	Latched bool
	// As, if not nil, returns the connection that Types are compared with, such as the ROS 1 form of a ROS 2 type.
	As func(*Connection) *Connection
}

// Query returns the filter as a query, without Latched.
func (f Filter) Query() Query {
	return Query{Start: f.Start, End: f.End, Connections: f.keeps}
}

func (f Filter) keeps(c *Connection) bool {
	if f.Exclude.Match(c.Topic) {
		return false
	}
	if f.As != nil {
		c = f.As(c)
	}
	if len(f.Types) > 0 && !slices.Contains(f.Types, c.Type) {
		return false
	}
	return len(f.Topics)+len(f.Match) == 0 || slices.Contains(f.Topics, c.Topic) || f.Match.Match(c.Topic)
}

// Expressions joins those of a list that was split at its commas where a comma is in braces, as in "/cam[0-9]{1,2}".
func Expressions(list []string) (out []string) {
	for _, e := range list {
		if last := len(out) - 1; last >= 0 && strings.Count(out[last], "{") > strings.Count(out[last], "}") {
			out[last] += "," + e
		} else {
			out = append(out, e)
		}
	}
	return out
}

// MatchWhole compiles an expression for whole topic names, as in rosbag. The error says what is
// wrong, and names syntax of Python that Go doesn't have.
func MatchWhole(expression string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(expression); err != nil { // it could close the group below
		return nil, explainPattern(expression, err)
	}
	return regexp.Compile(`^(?:` + expression + `)$`)
}

// Patterns are expressions of which a whole name matches any.
type Patterns []*regexp.Regexp

// ParsePatterns is MatchWhole for several expressions.
func ParsePatterns(expressions []string) (p Patterns, err error) {
	for _, e := range expressions {
		re, err := MatchWhole(e)
		if err != nil {
			return nil, err
		}
		p = append(p, re)
	}
	return p, nil
}

// Match reports whether a name matches one of them.
func (p Patterns) Match(name string) bool {
	return slices.ContainsFunc(p, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}

var pythonOnly = map[string]string{
	"(?=": "look-ahead", "(?!": "look-ahead", "(?<=": "look-behind", "(?<!": "look-behind",
	"(?P=": "a backreference", "(?(": "a condition",
}

func explainPattern(expression string, err error) error {
	refused, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return err
	}
	for _, start := range slices.Sorted(maps.Keys(pythonOnly)) {
		if strings.Contains(expression, start) &&
			(refused.Code == syntax.ErrInvalidPerlOp || refused.Code == syntax.ErrInvalidNamedCapture) {
			return fmt.Errorf("expression %q: %s %s…) isn't understood; choose topics by one expression and leave some of them out by another", expression, pythonOnly[start], start)
		}
	}
	at, hint := "", ""
	if refused.Expr != "" && refused.Expr != expression {
		at = fmt.Sprintf(" at %.200q", refused.Expr)
	}
	if refused.Code == syntax.ErrMissingRepeatArgument {
		hint = "; .* stands for any text"
	}
	return fmt.Errorf("regular expression %.200q: %s%s%s", expression, refused.Code, at, hint)
}
