package main

import (
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// skipper skips damaged messages of recordings that aren't bags.
type skipper struct {
	log      zerolog.Logger
	messages int
}

// maxSkippedLines bounds the log lines about one recording.
const maxSkippedLines = 20

// handler returns the function to call for damaged messages, or nil if all recordings are
// bags: in these, a damaged message is an error.
func (s *skipper) handler(bags []*bagstore.Bag) func(error) {
	if !slices.ContainsFunc(bags, func(b *bagstore.Bag) bool { return b.Content() != nil }) {
		return nil
	}
	return func(err error) {
		if s.messages++; s.messages <= maxSkippedLines {
			s.log.Warn().Err(err).Msg("a message was skipped")
		}
	}
}

// lost describes how many messages were skipped, if any.
func (s *skipper) lost() []string {
	if s.messages == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d messages are damaged", s.messages)}
}
