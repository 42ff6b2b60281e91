package viewer

import (
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/samplebag"
	"rsros/tools/info"
)

// TestTopicMarks: the time line of a bag of topics has its recorder's marks and drops. A topic of
// the same name that others recorded with another type has none.
func TestTopicMarks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w := samplebag.Create(t, path, bagstore.Options{})
	for i, m := range []struct {
		topic, typ string
		message    msgs.Message
	}{
		{info.MarksTopic, info.MarksType, &msgs.String{Data: strings.Repeat("a", 1000)}},
		{info.DropsTopic, info.DropsType, &msgs.TopicStatistics{Topic: "/flood", NodeSub: "/record", WindowStart: 2, DroppedMsgs: 7}},
		{info.DropsTopic, info.DropsType, &msgs.TopicStatistics{Topic: "/flood", DroppedMsgs: -7}},
		{info.DropsTopic, info.MarksType, &msgs.String{Data: "of others"}},
	} {
		w.Put(samplebag.Topic(m.topic, m.typ), bagstore.Time(i+1), msgs.Marshal(m.message))
	}
	w.Done()
	_, v, hello := start(t, Options{}, path)
	list := hello["source"].(object)["marks"].([]any)
	if len(list) == 0 {
		list = v.Text("marks")["marks"].([]any)
	}
	if len(list) != 2 {
		t.Fatalf("marks %v", list)
	}
	if m := list[0].(object); m["kind"] != "notification" || m["text"] != strings.Repeat("a", 200) || m["time"] != "1" {
		t.Errorf("a mark %v", m)
	}
	if m := list[1].(object); m["kind"] != "loss" || m["text"] != "7 messages of /flood dropped by the recorder" || m["time"] != "2" {
		t.Errorf("a loss %v", m)
	}
}
