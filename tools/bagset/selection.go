package bagset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rs/zerolog"
	"github.com/spf13/pflag"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/program/help"
	"rsros/program/nearest"
)

// Selection selects messages of bags, as given on a command line. The zero value selects all.
type Selection struct {
	Topics  []string // recorded names, or with Regex expressions
	Regex   bool     // Topics are regular expressions that match whole names
	Exclude []string // regular expressions that match whole names
	Types   []string // such as "sensor_msgs/Image"
	// Start and End are inclusive: a date, seconds since 1970 or from the first message, or "".
	Start, End string
}

// Flags adds the flags of a command line that select.
func (s *Selection) Flags(f *pflag.FlagSet) {
	f.StringSliceVar(&s.Topics, "topics", nil, "`TOPIC,...` to select")
	f.BoolVarP(&s.Regex, "regex", "e", false, "--topics are regular expressions that must match whole names")
	f.StringArrayVarP(&s.Exclude, "exclude", "x", nil,
		"leave out topics whose whole name matches `REGEX`; may be repeated")
	f.StringSliceVar(&s.Types, "types", nil, "select messages of these types: `TYPE,...`")
	help.Group(f, "Topics", "topics", "regex", "exclude", "types")
	s.TimeFlags(f)
}

// TimeFlags adds the flags of a command line that select a part of the time.
func (s *Selection) TimeFlags(f *pflag.FlagSet) {
	f.StringVarP(&s.Start, "start", "s", "",
		"select messages from this `TIME` on: seconds from the first message or since 1970, or a date")
	f.StringVar(&s.End, "end", "", "select messages up to this `TIME`")
	help.Group(f, "Time", "start", "end")
}

// All reports whether all messages are selected.
func (s Selection) All() bool {
	return !s.Regex && len(s.Topics)+len(s.Exclude)+len(s.Types) == 0 && s.Start+s.End == ""
}

// Open is [Open] and Filter.
func (s Selection) Open(paths []string, o bagstore.OpenOptions, log zerolog.Logger) (bags []*bagstore.Recording,
	f bagstore.Filter, lost []string, err error) {
	if err = s.check(); err != nil {
		return nil, f, nil, err
	}
	if bags, lost, err = Open(paths, o, log); err == nil {
		f, err = s.Filter(bags)
	}
	return bags, f, lost, err
}

func (s Selection) check() error {
	if s.Regex && len(s.Topics) == 0 {
		return fmt.Errorf("%w: -e needs expressions in --topics, such as --topics '/camera/.*' -e", ErrSelection)
	}
	return nil
}

// first returns the time of the first message with a time of its own.
func first(bags []*bagstore.Recording) (bagstore.Time, bool) {
	// Messages at MinTime are valid from the beginning.
	return bagstore.NewView(bags, bagstore.Query{Start: bagstore.MinTime + 1}).Start()
}

// Filter returns the filter for open bags. The errors are bagstore's and ErrSelection.
func (s Selection) Filter(bags []*bagstore.Recording) (f bagstore.Filter, err error) {
	if err := s.check(); err != nil {
		return f, err
	}
	f.Types = s.Types
	var topics, exclude, start, end error
	if s.Regex {
		f.Match, topics = patterns(bagstore.Expressions(s.Topics))
	} else {
		f.Topics, topics = s.topics(bags)
	}
	f.Exclude, exclude = patterns(s.Exclude)
	f.Start, start = timeIn(bags, "start", s.Start)
	f.End, end = timeIn(bags, "end", s.End)
	err = cmp.Or(topics, exclude, start, end)
	if err == nil && f.Start > 0 && f.End > 0 && f.End < f.Start {
		err = errors.New("the end is before the start")
	}
	if err != nil {
		return f, fmt.Errorf("%w: %w", ErrSelection, err)
	}
	return f, nil
}

// timeIn returns what a time means in the bags' files. A date is one on the time line of a RealSense recording's
// stamps.
func timeIn(bags []*bagstore.Recording, name, text string) (bagstore.Time, error) {
	m, err := bagstore.ParseMoment(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if !m.Absolute() {
		return m.In(func() (bagstore.Time, bool) { return first(bags) }), nil
	}
	var by bagstore.Time
	for i, b := range bags {
		one := rsbag.TimeLineOf(b).Offset
		if i > 0 && one != by {
			return 0, fmt.Errorf("%s: in these recordings, whose times count from different starts, a date isn't one time: give seconds from the first message, or cut each by itself", name)
		}
		by = one
	}
	start := func() (bagstore.Time, bool) {
		t, ok := first(bags)
		return t + by, ok
	}
	return max(m.In(start)-by, bagstore.MinTime), nil
}

// topics adds a missing slash, and rejects names that no bag has, so that a misspelt topic doesn't
// look like an empty one.
func (s Selection) topics(bags []*bagstore.Recording) ([]string, error) {
	recorded := make(map[string]bool)
	for _, b := range bags {
		for _, c := range b.Connections() {
			recorded[c.Topic] = true
		}
	}
	var list []string
	for _, topic := range s.Topics {
		if !recorded[topic] && recorded["/"+topic] {
			topic = "/" + topic
		}
		if !recorded[topic] {
			return nil, fmt.Errorf("there is no topic %s in the bag; info lists them%s", topic,
				nearest.Hint(topic, slices.Sorted(maps.Keys(recorded))))
		}
		list = append(list, topic)
	}
	return list, nil
}

// patterns is [bagstore.ParsePatterns] of expressions that match something.
func patterns(expressions []string) (bagstore.Patterns, error) {
	if slices.Contains(expressions, "") {
		return nil, errors.New("an empty expression matches no topic")
	}
	return bagstore.ParsePatterns(expressions)
}
