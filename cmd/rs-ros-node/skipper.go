package main

import (
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// skipper leaves out the damaged messages of recordings that aren't bags: there is no
// recover that would make sound ones of them first.
type skipper struct {
	log      zerolog.Logger
	messages int
}

// maxSkippedLines bounds what is logged of a recording that is damaged all over.
const maxSkippedLines = 20

// of returns what is called for damaged messages; nil if all recordings are bags, of which
// a damaged message ends the work.
func (s *skipper) of(bags []*bagstore.Bag) func(error) {
	if !slices.ContainsFunc(bags, func(b *bagstore.Bag) bool { return b.Content() != nil }) {
		return nil
	}
	return func(err error) {
		if s.messages++; s.messages <= maxSkippedLines {
			s.log.Warn().Err(err).Msg("a message was skipped")
		}
	}
}

// lost says how many messages were left out, if any were.
func (s *skipper) lost() []string {
	if s.messages == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d messages are damaged", s.messages)}
}
