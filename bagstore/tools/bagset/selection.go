package bagset

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/moment"
)

// Selection says which messages of bags are meant, in the words of a command
// line. The zero value means all.
type Selection struct {
	Topics         []string // recorded names
	Match, Exclude []string // regular expressions that match whole topic names
	Types          []string // such as "sensor_msgs/Image"
	// Start and End bound the time, both inclusive: a date, seconds since 1970,
	// or seconds from the first message. Empty leaves that side open.
	Start, End string
}

// Resolve returns what the selection means in the bags. It logs what is unusual
// about them; lost reports that messages of them are gone. The errors are
// bagstore's and ErrSelection.
func (s Selection) Resolve(paths []string, log zerolog.Logger) (f bagstore.Filter, lost bool, err error) {
	bags, losses, err := Open(paths, bagstore.OpenOptions{}, log)
	defer Close(bags)
	if err != nil {
		return f, false, err
	}
	f, err = s.Filter(bags)
	return f, len(losses) > 0, err
}

// Filter returns what the selection means in open bags. The errors are
// bagstore's and ErrSelection.
func (s Selection) Filter(bags []*bagstore.Bag) (f bagstore.Filter, err error) {
	f.Types = s.Types
	if f.Topics, err = s.topics(bags); err != nil {
		return f, err
	}
	if f.Match, err = either(s.Match); err != nil {
		return f, fmt.Errorf("%w: %w", ErrSelection, err)
	}
	if f.Exclude, err = either(s.Exclude); err != nil {
		return f, fmt.Errorf("%w: %w", ErrSelection, err)
	}
	if f.Start, err = timeIn(bags, s.Start); err != nil {
		return f, fmt.Errorf("%w: start: %w", ErrSelection, err)
	}
	if f.End, err = timeIn(bags, s.End); err != nil {
		return f, fmt.Errorf("%w: end: %w", ErrSelection, err)
	}
	if f.Start > 0 && f.End > 0 && f.End < f.Start {
		return f, fmt.Errorf("%w: the end lies before the start", ErrSelection)
	}
	return f, nil
}

// timeIn is a time of bags as a user names it.
func timeIn(bags []*bagstore.Bag, text string) (bagstore.Time, error) {
	m, err := moment.Parse(text)
	if err != nil {
		return 0, err
	}
	// Messages at MinTime hold from the beginning and have no time of their own.
	return m.In(bagstore.NewView(bags, bagstore.Query{Start: bagstore.MinTime + 1}).Start), nil
}

// topics completes names that were given without their slash, and refuses those
// that no bag has: a misspelt topic must not look like an empty one.
func (s Selection) topics(bags []*bagstore.Bag) ([]string, error) {
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
			return nil, fmt.Errorf("%w: there is no topic %s in the bag; info lists them", ErrSelection, topic)
		}
		list = append(list, topic)
	}
	return list, nil
}

// either makes one expression of several.
func either(expressions []string) (*regexp.Regexp, error) {
	if len(expressions) == 0 {
		return nil, nil
	}
	if slices.Contains(expressions, "") {
		return nil, errors.New("an empty expression matches no topic")
	}
	for _, e := range expressions {
		if _, err := bagstore.MatchWhole(e); err != nil {
			return nil, err
		}
	}
	return bagstore.MatchWhole(strings.Join(expressions, "|"))
}
