// Package bagset provides what commands for whole bags share: opening them, selecting messages, and
// visiting messages in time order, skipping damaged ones. It starts no goroutine.
package bagset

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/recording"
	"rsros/bagstore/rosbag"
	"rsros/program"
)

// ErrSelection means that a Selection is invalid or doesn't apply to the bags.
var ErrSelection = errors.New("bad selection")

// Loss returns a program.ErrIncomplete that lists damaged messages, places where messages are gone, and messages with
// bagstore.ClampedTimes; nil if nothing is lost.
func Loss(damaged, moved int, lost []string) error {
	skipped := Skipped{Damaged: damaged}
	lost = append(skipped.Lost(), lost...)
	if moved > 0 {
		lost = append(lost, fmt.Sprintf("%d %s", moved, bagstore.ClampedTimes))
	}
	if len(lost) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", program.ErrIncomplete, strings.Join(lost, "; "))
}

// Open opens recordings of any format, and logs their notes. lost describes each place where
// messages are gone. The caller must Close the bags even after an error.
func Open(paths []string, o bagstore.OpenOptions,
	log zerolog.Logger) (bags []*bagstore.Recording, lost []string, err error) {
	for _, path := range paths {
		b, err := recording.Open(path, o)
		if err != nil {
			return bags, lost, err
		}
		bags = append(bags, b)
		for _, n := range b.Notes() {
			LogNote(log, path, n)
			if n.Severity == bagstore.Loss {
				lost = append(lost, describe(b, n))
			}
		}
	}
	return bags, lost, nil
}

// Found describes what reading the bags has found, see [bagstore.Recording.Found].
func Found(bags []*bagstore.Recording) (lost []string) {
	for _, b := range bags {
		for _, n := range b.Found() {
			lost = append(lost, describe(b, n))
		}
	}
	return lost
}

// LogNote logs a note about a bag.
func LogNote(log zerolog.Logger, path string, n bagstore.Note) {
	e := log.Warn().Str("bag", path)
	if n.Offset >= 0 {
		e = e.Int64("at byte", n.Offset)
	}
	e.Msg(n.Text)
}

func describe(b *bagstore.Recording, n bagstore.Note) string {
	if n.Offset >= 0 {
		return fmt.Sprintf("%s at byte %d: %s", b.Path(), n.Offset, n.Text)
	}
	return b.Path() + ": " + n.Text
}

// Close closes bags that were only read.
func Close(bags []*bagstore.Recording) {
	for _, b := range bags {
		_ = b.Close() // only read
	}
}

// maxDamageLines bounds how many damaged messages are logged.
const maxDamageLines = 20

// Skipped logs and counts damaged messages. It is for one goroutine.
type Skipped struct {
	Log     zerolog.Logger
	Damaged int // messages
	lines   int
}

// Skip skips a message, or all of a block.
func (s *Skipped) Skip(err error) {
	text := "a message was skipped"
	n := bagstore.LostMessages(err)
	if n != 1 {
		text = "a chunk was skipped"
	}
	s.Damaged += int(n)
	if s.lines++; s.lines <= maxDamageLines {
		s.Log.Warn().Err(err).Msg(text)
	}
}

// Lost describes what was skipped.
func (s *Skipped) Lost() []string {
	if s.Damaged == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d messages are damaged", s.Damaged)}
}

// Handler returns Skip, or nil if all recordings are bags: a copy of these stops at a damaged message.
func (s *Skipped) Handler(bags []*bagstore.Recording) func(error) {
	if !slices.ContainsFunc(bags, func(b *bagstore.Recording) bool { return rosbag.FileOf(b) == nil }) {
		return nil
	}
	return s.Skip
}

// Walk visits messages, and skips unreadable ones. It is for one goroutine.
type Walk struct {
	bagstore.Pace
	Skipped
	Clamped int // messages with bagstore.ClampedTimes
}

// NewWalk returns a Walk without Progress.
func NewWalk(ctx context.Context, log zerolog.Logger) Walk {
	return Walk{Pace: bagstore.Pace{Ctx: ctx}, Skipped: Skipped{Log: log}}
}

// Messages is [bagstore.View.Messages] for readable ones. The only error is the context's.
func (w *Walk) Messages(v *bagstore.View) iter.Seq2[bagstore.Message, error] {
	return func(yield func(bagstore.Message, error) bool) {
		for m, err := range v.Messages() {
			switch {
			case place.Ended(err):
				yield(bagstore.Message{}, err)
				return
			case err != nil:
				w.Skip(err)
			default:
				if m.TimeClamped {
					w.Clamped++
				}
				if !yield(m, nil) {
					return
				}
			}
			if err := w.Step(); err != nil {
				yield(bagstore.Message{}, err)
				return
			}
		}
	}
}
