package ros

import (
	"fmt"
	"runtime"
	"testing"
)

// TestManyPublishers checks a bag that names 100,000 publishers of one topic. Comparing each with all
// others would take minutes.
func TestManyPublishers(t *testing.T) {
	n := startNode(t, startMaster(t), "many")
	options := stringType
	for i := range 100_000 {
		options.Queue = 1 + i%7
		advertise(t, n, options)
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

// TestMemoryOfTopics checks what each topic of a bag with many takes, its registration included.
func TestMemoryOfTopics(t *testing.T) {
	const topics = 20_000
	n := startNode(t, startMaster(t), "many")
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	options := stringType
	for i := range topics {
		options.Topic = fmt.Sprintf("/t%05d", i)
		advertise(t, n, options)
	}
	if each := (heap() - before) / topics; each > 1000 {
		t.Errorf("each topic takes %d bytes", each)
	}
}
