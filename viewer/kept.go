package viewer

import (
	"slices"
	"sync"

	"rsros/viewer/foxglove"
)

const (
	// keptMessages and keptBytes bound what is kept of a topic, apart from the last message.
	keptMessages = 64
	keptBytes    = 4 << 20
)

// kept has the latched messages of a graph's topic for viewers that come after the first one: publishers send them
// only once. The zero value keeps none.
type kept struct {
	mu    sync.Mutex
	on    bool
	list  []keptMessage
	bytes int64
}

type keptMessage struct {
	*message
	publisher string
}

// add keeps a message if it is latched, in place of the previous one of its publisher, or the oldest ones.
func (k *kept) add(m *message, of foxglove.Message) {
	if !of.Latched {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.on {
		return
	}
	same := func(x keptMessage) bool { return x.publisher == of.Publisher }
	if i := slices.IndexFunc(k.list, same); i >= 0 && of.Publisher != "" {
		k.drop(i)
	}
	m.Retain()
	k.list = append(k.list, keptMessage{m, of.Publisher})
	for k.bytes += m.ContentSize(); len(k.list) > 1 && (len(k.list) > keptMessages || k.bytes > keptBytes); {
		k.drop(0)
	}
}

// drop releases a message; mu is held.
func (k *kept) drop(i int) {
	m := k.list[i]
	k.list = slices.Delete(k.list, i, i+1)
	k.bytes -= m.ContentSize()
	m.Release()
}

// reset releases all messages, and says whether others will be kept.
func (k *kept) reset(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.on = on; len(k.list) > 0; {
		k.drop(0)
	}
}

// show offers the messages to a viewer.
func (k *kept) show(to *subscription) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range k.list {
		to.Offer(m.message)
	}
}
