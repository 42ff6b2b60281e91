package record

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/ros"
	"rsros/ros/graph"
)

// TopicRecording may be used by any goroutine.
type TopicRecording struct {
	recorder *topicRecorder
	files    *topicFiles
	watch    stopwatch
}

// TopicProgress describes a recording of topics.
type TopicProgress struct {
	Topics   []string // sorted
	Paused   bool
	Ended    bool
	Duration time.Duration // since it began, without pauses
	Bytes    int64         // of the files that are kept
	Dropped  uint64        // messages
	Uploads  string        // what waits for upload; "" if nothing is uploaded
}

func newTopicRecording(r *topicRecorder) *TopicRecording {
	t := &TopicRecording{recorder: r, files: r.files}
	t.watch.run(true)
	return t
}

// Progress describes the recording.
func (t *TopicRecording) Progress() TopicProgress {
	r := t.recorder
	p := TopicProgress{Topics: t.Topics(), Paused: r.paused.Load(), Duration: t.watch.read(), Dropped: r.dropped.Load(), Uploads: r.space.waiting(), Bytes: t.files.totals().Bytes}
	select {
	case <-t.files.done():
		p.Ended = true
	default:
	}
	return p
}

// Topics returns the recorded topics, sorted.
func (t *TopicRecording) Topics() []string {
	r := t.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.flows))
}

// Pause pauses or resumes the recording.
func (t *TopicRecording) Pause(on bool) {
	r := t.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paused.Store(on)
	t.watch.run(!on)
	for _, f := range r.flows {
		f.run(!on)
	}
}

// TogglePause pauses or resumes the recording.
func (t *TopicRecording) TogglePause() { t.Pause(!t.recorder.paused.Load()) }

// Mark writes a mark into the recording, after what has arrived, and returns its text.
func (t *TopicRecording) Mark() string {
	r := t.recorder
	text := fmt.Sprintf("mark %d", r.marks.Add(1))
	r.queue.Push(nil, topicMessage{time: bagstore.TimeOf(r.node.Now()), host: time.Now(), mark: text}, eventSize)
	r.log.Info().Msg(text)
	return text
}

// Split starts a new file with the next message.
func (t *TopicRecording) Split() { t.files.split() }

// Stop ends the recording, and with it Topics.
func (t *TopicRecording) Stop() { t.files.finish() }

// Trigger keeps what a ring holds, and what comes until its time after a trigger is over.
func (t *TopicRecording) Trigger() (string, error) {
	ring := t.recorder.opts.Ring
	if ring.Before == 0 {
		return "", errNoRing
	}
	t.recorder.trigger("request")
	return ring.answer(), nil
}

func (t *TopicRecording) services() []graph.Service {
	return []graph.Service{
		graph.Trigger("~trigger", func(context.Context) (string, error) { return t.Trigger() }),
		graph.Trigger("~mark", func(context.Context) (string, error) { return t.Mark(), nil }),
		graph.SetBool("~pause_recording", func(_ context.Context, on bool) (string, error) {
			t.Pause(on)
			if on {
				return "recording is paused", nil
			}
			return "recording goes on", nil
		}),
		graph.Trigger("~split", func(context.Context) (string, error) {
			t.Split()
			return "the next message begins a new file", nil
		}),
		graph.Trigger("~stop_recording", func(context.Context) (string, error) {
			t.Stop()
			return "recording ends", nil
		}),
	}
}

// advertiseStatus advertises ~status, which isn't recorded.
func (r *topicRecorder) advertiseStatus() (err error) {
	r.status, err = r.node.Advertise(ros.PublisherOptions{Topic: "~status", Type: msgs.MustType("diagnostic_msgs/DiagnosticStatus"), Latch: true})
	return err
}

func (r *topicRecorder) publishStatus() {
	s := r.statusNow()
	r.status.Publish(msgs.Raw{Head: msgs.Marshal(&s)})
}

func (r *topicRecorder) statusNow() msgs.DiagnosticStatus {
	path, sum, dropped, missing := r.files.path(), r.files.totals(), r.dropped.Load(), r.missing()
	s := msgs.DiagnosticStatus{Name: "Recording", Message: "recording into " + path}
	switch {
	case dropped > 0:
		s.Level, s.Message = msgs.DiagnosticWarn, "messages were dropped from "+path
	case missing > 0:
		s.Level, s.Message = msgs.DiagnosticWarn, lostBefore
	case r.paused.Load():
		s.Message = "paused, " + path
	}
	add := func(key string, value any) {
		s.Values = append(s.Values, msgs.KeyValue{Key: key, Value: fmt.Sprint(value)})
	}
	add("Dropped", dropped)
	if n := r.thinned(); n > 0 {
		add("Left out as wanted", n)
	}
	r.space.report(&s, "messages")
	add("Files", sum.Files)
	r.figures().report(&s)
	if sum.Written != "" {
		add("Written", sum.Written)
	}
	r.space.uploads.Report(&s)
	return s
}

const lostBefore = "messages were lost before arrival (gaps in header.seq)"

// missing returns the number of messages lost before they arrived.
func (r *topicRecorder) missing() (total uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.flows {
		total += f.missing()
	}
	return total
}

// thinned returns the number of messages that Thinning has left out.
func (r *topicRecorder) thinned() (total uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.flows {
		total += f.left.Load()
	}
	return total
}

// logMissing logs the number of messages lost before they arrived, if it has changed.
func (r *topicRecorder) logMissing() {
	if n := r.missing(); n != r.loggedMissing {
		r.log.Warn().Uint64("lost", n).Msg(lostBefore)
		r.loggedMissing = n
	}
}

func (r *topicRecorder) logMissingTopics() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, topic := range slices.Sorted(maps.Keys(r.flows)) {
		if n := r.flows[topic].missing(); n > 0 {
			r.log.Warn().Str("topic", topic).Uint64("lost", n).Msg(lostBefore)
		}
	}
}
