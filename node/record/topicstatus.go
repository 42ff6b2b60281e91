package record

import (
	"fmt"
	"maps"
	"slices"

	"rsros/msgs"
	"rsros/node/ros"
)

// advertiseStatus advertises ~status, which isn't recorded.
func (r *topicRecorder) advertiseStatus() (err error) {
	r.status, err = r.node.Advertise(ros.PublisherOptions{Topic: "~status", Type: msgs.MustType("diagnostic_msgs/DiagnosticStatus"), Latch: true})
	return err
}

// publishStatus publishes the current status. files may be written concurrently.
func (r *topicRecorder) publishStatus(files *topicFiles) {
	s := r.statusNow(files)
	r.status.Publish(msgs.Raw{Head: msgs.Marshal(&s)})
}

func (r *topicRecorder) statusNow(files *topicFiles) msgs.DiagnosticStatus {
	all := files.all()
	file, dropped, missing := all[len(all)-1], r.dropped.Load(), r.missing()
	s := msgs.DiagnosticStatus{Name: "Recording", Message: "recording into " + file.final}
	switch {
	case dropped > 0:
		s.Level, s.Message = msgs.DiagnosticWarn, "messages were dropped from "+file.final
	case missing > 0:
		s.Level, s.Message = msgs.DiagnosticWarn, lostBefore
	case r.paused.Load():
		s.Message = "paused, " + file.final
	}
	add := func(key string, value any) {
		s.Values = append(s.Values, msgs.KeyValue{Key: key, Value: fmt.Sprint(value)})
	}
	add("Dropped", dropped)
	add("Lost before arrival", missing)
	for _, topic := range slices.Sorted(maps.Keys(r.subs)) {
		if n := r.subs[topic].Stats().Missing; n > 0 {
			add("Lost before arrival, "+topic, n)
		}
	}
	add("Files", len(all))
	add("Bytes waiting for the disk", r.queue.Size())
	if written := file.HowWritten(); written != "" {
		add("Written", written)
	}
	return s
}

const lostBefore = "messages were lost before they arrived, by their numbers (header.seq)"

// missing returns the number of messages lost before they arrived.
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
