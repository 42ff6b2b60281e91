package record

import (
	"fmt"
	"runtime/debug"
	"testing"

	"rsros/msgs"
	"rsros/ros"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
	"rsros/tools/info"
)

// TestMemoryOfTopics floods a recorder with large messages of one topic after the other: what the topics keep for their next
// messages is part of --memory, and the recording lacks nothing but what it states as dropped.
func TestMemoryOfTopics(t *testing.T) {
	const topics, messages, size, limit = 8, 32, 1 << 20, 16 << 20
	master := rig.Master(t).URI()
	n := rig.NodeAt(t, master, "talker")
	o := config(t, master, Options{Memory: limit, Regex: true, Topics: []string{"/flood.*"}})
	var floods []*ros.Publisher
	for i := range topics {
		p, err := n.Advertise(ros.PublisherOptions{Topic: fmt.Sprintf("/flood%d", i), Type: msgs.MustType("std_msgs/String"), Queue: messages})
		need.Must(t, err)
		floods = append(floods, p)
	}
	r, ended := start(t, o)
	budget := r.budget
	before := debug.SetGCPercent(100)
	if debug.SetGCPercent(before); before >= 100 {
		t.Errorf("garbage may be %d %% of what is in use", before)
	}
	body := msgs.Marshal(&msgs.String{Data: string(make([]byte, size))})
	arrived := func() uint64 {
		total := Total(r.Figures())
		return total.Messages + total.Drops
	}
	for i, p := range floods {
		peer.Await(t, "the recorder", func() bool { return p.Subscribers() == 1 })
		for range messages {
			p.Publish(msgs.Raw{Head: body})
		}
		peer.Await(t, "the messages", func() bool {
			if used := budget.Spare(); used > limit+limit/8 {
				t.Fatalf("%d bytes are kept for the next messages, the limit is %d", used, limit)
			}
			return arrived() == uint64(messages*(i+1))
		})
	}
	peer.Await(t, "empty queues", func() bool { return r.queue.Size() == 0 && budget.Reserved() == 0 })
	if spare := budget.Spare(); spare == 0 || spare > limit {
		t.Errorf("%d bytes are kept for the next messages, the limit is %d", spare, limit)
	}
	total := Total(r.Figures())
	r.Stop()
	if err := <-ended; (err == nil) != (total.Drops == 0) || total.Bytes != (size+4)*total.Messages {
		t.Errorf("%+v, %v", total, err)
	}
	var written uint64
	for topic, n := range recorded(t, o.Output) {
		if topic != info.DropsTopic {
			written += n
		}
	}
	if written != total.Messages {
		t.Errorf("recorded %d of %+v", written, total)
	}
}
