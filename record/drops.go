package record

import (
	"maps"
	"slices"
	"sync"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/tools/info"
)

// drops counts the messages of a topic that arrived and weren't recorded.
type drops struct {
	mu          sync.Mutex
	total       uint64
	unwritten   uint64        // those not yet stated in the recording
	first, last bagstore.Time // arrival of the unwritten ones
}

func (d *drops) add(at bagstore.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unwritten == 0 {
		d.first, d.last = at, at
	}
	d.first, d.last = min(d.first, at), max(d.last, at)
	d.total++
	d.unwritten++
}

func (d *drops) count() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.total
}

// pending returns the drops not yet stated in the recording.
func (d *drops) pending(topic, recorder string) msgs.TopicStatistics {
	d.mu.Lock()
	defer d.mu.Unlock()
	return msgs.TopicStatistics{
		Topic: topic, NodeSub: recorder, WindowStart: msgs.Time(d.first), WindowStop: msgs.Time(d.last), DroppedMsgs: int32(min(d.unwritten, 1<<31-1)),
	}
}

func (d *drops) wrote(s msgs.TopicStatistics) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unwritten -= uint64(s.DroppedMsgs)
}

// writeDrops writes into the recording, at a time, what was dropped since the last call.
func (r *topicRecorder) writeDrops(at bagstore.Time) error {
	r.mu.Lock()
	flows := maps.Clone(r.flows)
	r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(flows)) {
		d := &flows[name].drops
		s := d.pending(name, r.node.Name())
		if s.DroppedMsgs == 0 {
			continue
		}
		if err := r.files.note(info.DropsTopic, info.DropsType, r.node.Name(), at, &s); err != nil {
			return err
		}
		d.wrote(s)
	}
	return nil
}

// note writes a message of the recorder's own.
func (s *topicFiles) note(topic, typ, node string, at bagstore.Time, m msgs.Message) error {
	t := msgs.MustType(typ)
	key := connectionKey{topic, node, t.MD5}
	id, ok := s.conns[key]
	if !ok {
		var err error
		if id, err = s.connect(key, bagstore.Connection{Topic: topic, Type: t.Name, MD5: t.MD5, Definition: t.Definition, CallerID: node}); err != nil {
			return err
		}
	}
	s.messages++
	return s.cur.Lend(id, at, func() {}, msgs.Marshal(m))
}
