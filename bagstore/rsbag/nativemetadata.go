package rsbag

import (
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/rsbag/internal/cameranode"
	"rsros/camdriver"
	"rsros/msgs"
)

// findNativeMetadata finds the topics of metadata of the streams.
func (f *File) findNativeMetadata() {
	for _, c := range f.bag.Connections() {
		for id, topic := range f.native.topics {
			if c.MD5 == msgs.MustType("realsense2_camera/Metadata").MD5 && strings.HasSuffix(c.Type, "/Metadata") && c.Topic == cameranode.Beside(topic, "metadata") {
				f.native.metadata[c.ID] = id
			}
		}
	}
}

// nativeMetadata finds the metadata of a stream's frames by their stamps, among what was
// recorded around the time of the frame.
type nativeMetadata struct {
	it       *bagstore.Iterator
	from, to bagstore.Time // of what is in list
	list     []stamped     // in the order of time
	offset   uint64        // of the last frame's number from its place among the recorded ones
}

type stamped struct {
	at    bagstore.Time
	stamp msgs.Time
	text  string
}

const (
	// A frame and its metadata are sent at once, but a frame takes longer to arrive.
	metadataSlack = bagstore.Time(1_000_000_000)
	// maxMetadataText bounds a text; nodes write about 1000 bytes.
	maxMetadataText = 64 << 10
)

// metadataOf returns what finds a stream's metadata; nil if there is none.
func (a *assembler) metadataOf(id camdriver.StreamID) *nativeMetadata {
	if n, known := a.metadatas[id]; known {
		return n
	}
	var n *nativeMetadata
	var conns []uint32
	for conn, of := range a.f.native.metadata {
		if of == id {
			conns = append(conns, conn)
		}
	}
	if conns != nil {
		if v, err := a.f.viewOf(conns); err == nil {
			n = &nativeMetadata{it: v.Iterator()}
		}
	}
	if a.metadatas == nil {
		a.metadatas = make(map[camdriver.StreamID]*nativeMetadata)
	}
	a.metadatas[id] = n
	return n
}

func (a *assembler) close() {
	for _, n := range a.metadatas {
		if n != nil {
			n.it.Close()
		}
	}
}

// find returns the text of a frame with a stamp that was recorded at a time.
func (n *nativeMetadata) find(at bagstore.Time, stamp msgs.Time) (string, bool) {
	lo, hi := max(at-metadataSlack, bagstore.MinTime), at+metadataSlack
	if lo < n.from || lo > n.to {
		n.from = max(lo-metadataSlack, bagstore.MinTime) // some more, for who goes backward
		n.to, n.list = n.from, nil
		n.it.Seek(n.from)
	}
	for bad := 0; n.to <= hi && bad < maxErrors; {
		if !n.it.Next() {
			if n.it.Err() == nil {
				n.to = bagstore.MaxTime
				break
			}
			bad++
			continue
		}
		n.add(n.it.Message())
	}
	for n.list != nil && n.list[0].at < lo-metadataSlack {
		n.from = n.list[0].at + 1
		if n.list = n.list[1:]; len(n.list) == 0 {
			n.list = nil
		}
	}
	for i := range n.list {
		if n.list[i].stamp == stamp {
			return n.list[i].text, true
		}
	}
	return "", false
}

func (n *nativeMetadata) add(m bagstore.Message) {
	n.to = m.Time
	d := msgs.NewDecoder(m.Data)
	var h msgs.Header
	h.Decode(d)
	text := d.Bytes()
	if d.Err() == nil && len(text) <= maxMetadataText {
		n.list = append(n.list, stamped{m.Time, h.Stamp, string(text)})
	}
}

// nativeFrame numbers a frame of a camera node, and fills in what its metadata say.
func (a *assembler) nativeFrame(f *camdriver.Frame, stamp msgs.Time) {
	at := a.at - a.f.segments[0].shift
	f.Number, f.Domain = a.f.native.number(f.Stream(), at), camdriver.SystemTime
	if a.system {
		f.Arrival = at.Std()
	}
	n := a.metadataOf(f.Stream())
	if n == nil {
		return
	}
	text, ok := n.find(at, stamp)
	if !ok {
		f.Number += n.offset
		return
	}
	md, err := cameranode.ParseMetadata(text)
	if err != nil {
		a.errs, a.err = a.errs+1, err
		f.Number += n.offset
		return
	}
	a.matched++
	n.offset = md.Number - f.Number
	f.Number, f.Timestamp, f.Domain, f.Metadata = md.Number, md.Timestamp, md.Domain, md.Values
	a.unknownKeys(md.Unknown)
}

// Unmatched is how many messages of metadata of a camera node belong to no frame that the
// cursor returned, once it has returned all. It is 0 for other recordings.
func (c *Cursor) Unmatched() uint64 {
	if c.f.native == nil {
		return 0
	}
	var conns []uint32
	for conn := range c.f.native.metadata {
		conns = append(conns, conn)
	}
	n := c.f.count(conns)
	return n - min(n, c.asm.matched)
}
