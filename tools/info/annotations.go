package info

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"rsros/bagstore"
	"rsros/msgs"
)

// The topics of annotations and their types.
const (
	DropsTopic = "/recorder/drops"
	DropsType  = "rosgraph_msgs/TopicStatistics" // which topic, how many, and when the first and the last of them arrived
	MarksTopic = "/recorder/marks"
	MarksType  = "std_msgs/String"
)

// Annotation is what a recorder notes in a recording: a mark of the user, or a report of dropped messages. Both are
// ordinary messages on separate topics.
type Annotation struct {
	Time     bagstore.Time // of the mark, or of the first dropped message
	Text     string        // of the mark
	Topic    string        // from which messages were dropped; "" for a mark
	Recorder string        // the node that dropped them
	Dropped  uint64
}

// Annotations reads the annotations of a recording, in order. It reads no other messages. What can't be read
// is left out: check reports it.
func Annotations(ctx context.Context, bag *bagstore.Recording) iter.Seq[Annotation] {
	return func(yield func(Annotation) bool) {
		v := bag.View(bagstore.Query{Connections: isAnnotation})
		for m, err := range v.Messages() {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				continue
			}
			if a, ok := decodeAnnotation(m); ok && !yield(a) {
				return
			}
		}
	}
}

func isAnnotation(c *bagstore.Connection) bool {
	for _, t := range [][2]string{{DropsTopic, DropsType}, {MarksTopic, MarksType}} {
		if c.Topic == t[0] && c.Type == t[1] && c.MD5 == msgs.MustType(t[1]).MD5 {
			return true
		}
	}
	return false
}

func decodeAnnotation(m bagstore.Message) (Annotation, bool) {
	a := Annotation{Time: m.Time}
	if m.Conn.Topic == MarksTopic {
		var s msgs.String
		err := msgs.Unmarshal(m.Data, &s)
		a.Text = s.Data
		return a, err == nil
	}
	var s msgs.TopicStatistics
	if err := msgs.Unmarshal(m.Data, &s); err != nil || s.DroppedMsgs <= 0 {
		return a, false
	}
	a.Time, a.Topic, a.Recorder, a.Dropped = bagstore.Time(s.WindowStart), s.Topic, s.NodeSub, uint64(s.DroppedMsgs)
	return a, true
}

// Loss is the number of messages of a topic that a recorder dropped.
type Loss struct {
	Topic    string `json:"topic"`
	Recorder string `json:"recorder"`
	Dropped  uint64 `json:"dropped"`
}

// maxLosses bounds the topics in a list of losses.
const maxLosses = 10_000

// Losses adds up what recorders dropped, sorted by topic.
func Losses(ctx context.Context, bag *bagstore.Recording) []Loss {
	type key struct{ topic, recorder string }
	sums := make(map[key]uint64)
	for a := range Annotations(ctx, bag) {
		k := key{a.Topic, a.Recorder}
		if _, known := sums[k]; a.Dropped > 0 && (known || len(sums) < maxLosses) {
			sums[k] += a.Dropped
		}
	}
	var list []Loss
	for k, n := range sums {
		list = append(list, Loss{k.topic, k.recorder, n})
	}
	slices.SortFunc(list, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Recorder, b.Recorder))
	})
	return list
}

// String returns a line for users.
func (l Loss) String() string {
	return fmt.Sprintf("%d messages of %s were dropped by the recorder %s", l.Dropped, l.Topic, l.Recorder)
}
