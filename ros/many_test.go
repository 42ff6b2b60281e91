package ros

import "testing"

// TestManyPublishers checks a bag that names 100,000 publishers of one topic. Comparing each with all
// others would take minutes.
func TestManyPublishers(t *testing.T) {
	n := startNode(t, startMaster(t), "many")
	options := stringType
	for i := range 100_000 {
		options.Queue = 1 + i%7
		if _, err := n.Advertise(options); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.topics["/chatter"].limits.Messages.Load(); got != 7 {
		t.Errorf("the queues hold %d messages, want the most that was asked for, 7", got)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	if len(n.topics) != 0 {
		t.Errorf("%d topics are left", len(n.topics))
	}
}
