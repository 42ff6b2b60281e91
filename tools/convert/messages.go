package convert

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/mcap"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/tools/bagset"
	"rsros/tools/rewrite"
)

// Messages copies a recording message by message. Out's extension selects the format: .bag, .db3,
// .mcap, or else a folder of rosbag2. Messages are converted between ROS 1 and ROS 2 by their
// definitions (see msgs/ros2), or copied byte by byte.
func Messages(ctx context.Context, o Options) (r Result, err error) {
	in, err := openSources(append([]string{o.In}, o.More...),
		bagstore.OpenOptions{Context: ctx, Sequential: true, Verify: true, Progress: o.Progress, Scan: o.scan})
	defer bagset.Close(in.bags)
	if err != nil {
		return r, err
	}
	if o.scan && o.Bag.Compression == "" {
		o.Bag.Compression = usualCompression(in.bags[0])
	}
	chosen, err := in.choose(&o)
	if err != nil {
		return r, err
	}
	view := bagstore.NewView(in.bags, chosen.Query())
	in.conns = view.Connections()
	encoding, err := encodingOf(o, encodingIn(in))
	if err != nil {
		return r, err
	}
	j := job{r: &r, part: o.Choose != nil, keep: chosen.Keep, routes: newTable(in, encoding),
		lost: make(map[string]uint64), why: make(map[string]error), counts: make(map[*route]uint64)}
	for _, bag := range in.bags {
		for _, n := range bag.Notes() {
			if n.Severity == bagstore.Loss {
				j.lost[n.Text]++
			} else {
				r.Notes = append(r.Notes, n)
			}
		}
	}
	err = writeOutput(ctx, o, encoding, func(out output) (*db3.Metadata, error) {
		files, all := in.mcapFiles()
		if all && out.mcap != nil {
			for _, f := range files {
				f.KeepHeads()
			}
			j.head = mcap.HeadSize
			out.write = func(topic int, _ bagstore.Time, m []byte) error { return out.mcap.WriteHeaded(uint16(topic), m) }
		}
		if j.part {
			out = out.lazy()
		}
		if err := j.routes.open(in, j.part, encoding, out); err != nil {
			return nil, err
		}
		if err := j.before(ctx, chosen, in.bags, out); err != nil {
			return nil, err
		}
		it := view.Iterator()
		defer it.Close()
		pace := bagstore.Pace{Ctx: ctx, Progress: o.Progress, Total: view.Count()}
		err := pump(func(b *batch) (bool, error) { return j.fill(b, it, &pace) },
			func(b *batch) error { return b.write(out) })
		if err == nil {
			err = r.extras(files, out, o.checkSums)
		}
		return j.metadata(in), err
	})
	for _, bag := range in.bags {
		for _, n := range bag.Found() {
			r.lose(1, "%s at byte %d that may be damaged: %s", n.Kind, n.Offset, n.Text)
		}
	}
	j.finish(in, encoding)
	return r.finish(ctx, o, err)
}

// job is one conversion. Only the goroutine that reads uses it while messages flow.
type job struct {
	r      *Result
	part   bool                                 // topics without messages are left out
	keep   func(bagstore.Message) (bool, error) // may be nil
	routes table
	// head is how many bytes are before each message's data: MCAP's times and number, if In and Out are MCAP.
	head       int
	lost       map[string]uint64
	why        map[string]error // the last error of each entry of lost that has one
	counts     map[*route]uint64
	start, end bagstore.Time
}

// fill reads messages into a batch until it is full. It returns false at the end.
func (j *job) fill(b *batch, it *bagstore.Iterator, p *bagstore.Pace) (bool, error) {
	for !b.full() {
		if err := p.Step(); err != nil {
			return false, err
		}
		if !it.Next() {
			if it.Err() == nil {
				return false, nil
			}
			j.r.Damaged, j.r.Why = j.r.Damaged+bagstore.LostMessages(it.Err()), it.Err()
			continue
		}
		if err := j.message(b, it.Message(), it.Message().Time); err != nil {
			return false, err
		}
	}
	return true, nil
}

// before writes what rewrite.Options.Before selects.
func (j *job) before(ctx context.Context, chosen rewrite.Options, bags []*bagstore.Recording, out output) error {
	b := new(batch)
	chosen.Damaged = func(err error) { j.r.Damaged, j.r.Why = j.r.Damaged+1, err }
	return chosen.Before(ctx, bags, func(m bagstore.Message, t bagstore.Time) error {
		if err := j.message(b, m, t); err != nil {
			return err
		}
		if t != m.Time && j.head > 0 && len(b.list) > 0 {
			binary.LittleEndian.PutUint64(b.data[4:], uint64(t)) // the log time
		}
		err := b.write(out)
		b.reset()
		return err
	})
}

// message adds a message to a batch, at time t, unless keep leaves it out.
func (j *job) message(b *batch, m bagstore.Message, t bagstore.Time) error {
	head := m.Data[:j.head]
	m.Data = m.Data[j.head:]
	if j.keep != nil {
		if keep, err := j.keep(m); err != nil || !keep {
			return err
		}
	}
	way := j.routes[m.Conn]
	if way.why != nil {
		j.lose("messages of "+m.Conn.Topic, way.why)
		return nil
	}
	if more := len(b.data) + len(head) + len(m.Data) + batchSpare; more > batchRetain && more > cap(b.data) {
		b.data = bagstore.Enlarged(b.data, more) // append would take a quarter more
	}
	var data []byte
	var lost string
	if way.encode == nil {
		data = append(append(b.data, head...), m.Data...)
	} else {
		var err error
		if data, lost, err = way.encode(append(b.data, head...), m.Data); err != nil {
			j.lose(fmt.Sprintf("messages of %s that are no %s", m.Conn.Topic, m.Conn.Type), err)
			return nil
		}
	}
	if lost != "" {
		j.lose(lost, nil)
	}
	if m.TimeClamped && j.head == 0 {
		j.lose(bagstore.ClampedTimes, nil)
	}
	if way.exact && t == bagstore.MinTime {
		t = 0 // what a bag has no time for
	}
	b.add(way.out, t, data)
	if j.r.Messages == 0 {
		j.start = t
	}
	j.end = max(j.end, t)
	j.r.Messages++
	j.counts[way]++
	return nil
}

func (j *job) lose(what string, why error) {
	j.lost[what]++
	if why != nil {
		j.why[what] = why
	}
}

func (j *job) metadata(in sources) *db3.Metadata {
	m := &db3.Metadata{Start: j.start, End: j.end}
	at := make(map[int]int)
	for _, conn := range in.conns {
		way := j.routes[conn]
		if way.why != nil || j.part && j.counts[way] == 0 {
			continue
		}
		i, known := at[way.out]
		if !known {
			i = len(m.Topics)
			at[way.out] = i
			m.Topics = append(m.Topics, db3.TopicCount{Topic: way.topic})
		}
		m.Topics[i].Messages += j.counts[way]
	}
	slices.SortFunc(m.Topics, func(a, b db3.TopicCount) int { return cmp.Compare(a.Name, b.Name) })
	return m
}

func (j *job) finish(in sources, encoding string) {
	for what, n := range j.lost {
		text := what
		if err := j.why[what]; err != nil {
			text = fmt.Sprintf("%s: %v", what, err)
		}
		j.r.lose(n, "%s", text)
	}
	promised := make(map[*bagstore.Connection]uint64)
	for _, bag := range in.bags {
		counts := bag.Counts()
		for _, conn := range bag.Connections() {
			promised[conn] = counts[conn.ID]
		}
	}
	for _, conn := range in.conns {
		way := j.routes[conn]
		kept := j.counts[way]
		if j.part && kept == 0 {
			continue
		}
		j.r.PerTopic = append(j.r.PerTopic, bagstore.RecoverTopic{Topic: conn.Topic, Type: conn.Type,
			Kept: kept, Lost: promised[conn] - min(kept, promised[conn])})
		if way.why != nil && j.lost["messages of "+conn.Topic] == 0 {
			j.r.lose(1, "topic %s, which has no messages: %v", conn.Topic, way.why)
		} else if way.why == nil {
			j.r.Topics++
		}
		if encoding == bagstore.CDR && in.topics[conn].Encoding == bagstore.ROS1 && j.r.Note == "" {
			j.r.Note = "ROS 2 has no place for the seq of headers, the names of publishers, " +
				"and the frame_id and topics of log messages"
		}
	}
}

// rosbag2Record is rosbag2's own metadata record, which repeats the index.
const rosbag2Record = "rosbag2"

// extras copies the attachments and metadata of MCAP files, or lists them as lost. check also
// verifies the checksums of their chunks.
func (r *Result) extras(files []*mcap.File, out output, check bool) error {
	attachments, records := uint64(0), uint64(0) // that out can't hold
	for _, f := range files {
		if check {
			f.Check()
		}
		a := f.Extras()
		r.lose(a.Damaged, "attachments or metadata records that are damaged: %v", a.Why)
		if out.mcap != nil {
			if err := r.addAsides(out.mcap, f, a); err != nil {
				return err
			}
			continue
		}
		attachments += uint64(len(a.Attachments))
		for _, m := range a.Metadata {
			if m.Name != rosbag2Record {
				records++
			}
		}
	}
	r.lose(attachments, "attachments, which only an .mcap has")
	r.lose(records, "metadata records, which only an .mcap has")
	return nil
}

func (r *Result) lose(n uint64, format string, args ...any) {
	if n > 0 {
		r.Lost = append(r.Lost, rsdb3.Loss{What: fmt.Sprintf(format, args...), Count: n})
	}
}

func (r *Result) addAsides(to *mcap.Writer, f *mcap.File, a mcap.Extras) error {
	for _, m := range a.Metadata {
		if err := to.AddMetadata(m); err != nil {
			return err
		}
		r.Records++
	}
	for _, x := range a.Attachments {
		if err := to.Attach(x, f.Open(x)); err != nil {
			return fmt.Errorf("attachment %.100q: %w", x.Name, err)
		}
		r.Attachments++
	}
	return nil
}
