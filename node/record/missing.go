package record

import (
	"maps"
	"slices"
)

const lostBefore = "messages were lost before they arrived, by their numbers (header.seq)"

// missing returns the number of messages lost before they arrived: in a publisher's queue,
// or with a broken connection.
func (r *topicRecorder) missing() (total uint64) {
	for _, s := range r.subs {
		total += s.Stats().Missing
	}
	return total
}

// logMissing logs the number of messages lost before they arrived, if it has changed.
func (r *topicRecorder) logMissing() {
	if n := r.missing(); n != r.loggedMissing {
		r.log.Warn().Uint64("missing", n).Msg(lostBefore)
		r.loggedMissing = n
	}
}

func (r *topicRecorder) logMissingTopics() {
	for _, topic := range slices.Sorted(maps.Keys(r.subs)) {
		if n := r.subs[topic].Stats().Missing; n > 0 {
			r.log.Warn().Str("topic", topic).Uint64("missing", n).Msg(lostBefore)
		}
	}
}
