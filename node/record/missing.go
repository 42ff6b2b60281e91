package record

import (
	"maps"
	"slices"
)

const lostBefore = "messages were lost before they arrived, by their numbers (header.seq)"

// missing is how many messages were lost before they arrived: in a publisher's queue,
// or with a connection that broke.
func (r *topicRecorder) missing() (total uint64) {
	for _, s := range r.subs {
		total += s.Stats().Missing
	}
	return total
}

// sayMissing logs how many messages were lost before they arrived, if that is news.
func (r *topicRecorder) sayMissing() {
	if n := r.missing(); n != r.saidMissing {
		r.log.Warn().Uint64("missing", n).Msg(lostBefore)
		r.saidMissing = n
	}
}

// sumUpMissing logs for each topic what sayMissing counted together.
func (r *topicRecorder) sumUpMissing() {
	for _, topic := range slices.Sorted(maps.Keys(r.subs)) {
		if n := r.subs[topic].Stats().Missing; n > 0 {
			r.log.Warn().Str("topic", topic).Uint64("missing", n).Msg(lostBefore)
		}
	}
}
