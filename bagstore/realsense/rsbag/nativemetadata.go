package rsbag

import (
	"maps"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
)

// findNativeMetadata finds metadata topics. One that streams share belongs to the first of them.
func (f *File) findNativeMetadata() {
	md5, streams := msgs.MustType("realsense2_camera/Metadata").MD5, f.native.siblings("metadata")
	for _, c := range f.bag.Connections() {
		if list := streams[c.Topic]; len(list) > 0 && c.MD5 == md5 && strings.HasSuffix(c.Type, "/Metadata") {
			f.native.metadata[c.ID] = list[0]
		}
	}
}

// siblings returns the streams, sorted, by the topic called name in their topic's namespace.
func (n *native) siblings(name string) map[string][]camdriver.StreamID {
	streams := make(map[string][]camdriver.StreamID)
	for _, id := range slices.SortedFunc(maps.Keys(n.topics), camdriver.StreamID.Compare) {
		base, _ := rslayout.TransportOf(n.topics[id])
		topic := rslayout.SiblingTopic(base, name)
		streams[topic] = append(streams[topic], id)
	}
	return streams
}

// nativeMetadata finds a frame's metadata by stamp, among the messages recorded around its time.
type nativeMetadata struct {
	it       *bagstore.Iterator
	from, to bagstore.Time        // range that was read
	list     []stamped            // messages kept, in time order
	texts    map[msgs.Time]string // of list, by stamp
	size     int                  // of texts, in bytes
	offset   uint64               // of the camera's frame numbers to the count of recorded frames
}

type stamped struct {
	at    bagstore.Time
	stamp msgs.Time
}

const (
	// metadataSlack bounds the time between a frame and its metadata, which arrives earlier.
	metadataSlack = bagstore.Time(1_000_000_000)
	// maxMetadataText bounds a text; nodes write about 1000 bytes.
	maxMetadataText = 64 << 10
	// maxMetadata and maxMetadataSize bound what is kept of a stream. Three seconds at 400 Hz are 1200 messages.
	maxMetadata, maxMetadataSize = 4096, 8 << 20
)

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
		n = &nativeMetadata{it: a.f.viewOf(conns).Iterator(), texts: make(map[msgs.Time]string)}
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

// find returns the metadata text of the frame with a stamp that was recorded at at.
func (n *nativeMetadata) find(at bagstore.Time, stamp msgs.Time) (string, bool) {
	lo, hi := max(at-metadataSlack, bagstore.MinTime), at+metadataSlack
	if lo < n.from || lo-metadataSlack > n.to {
		n.from = max(lo-metadataSlack, bagstore.MinTime) // earlier than needed, for reading backward
		n.to, n.list, n.size = n.from, nil, 0
		clear(n.texts)
		n.it.Seek(n.from)
	}
	for len(n.list) > 0 && n.list[0].at < lo-metadataSlack {
		n.from = n.list[0].at + 1
		n.drop()
	}
	text, ok := n.texts[stamp]
	for bad := 0; !ok && n.to <= hi && bad < maxErrors; text, ok = n.texts[stamp] {
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
	return text, ok
}

// add keeps the first message of each stamp, and drops the oldest messages over the limits.
func (n *nativeMetadata) add(m bagstore.Message) {
	n.to = m.Time
	d := msgs.NewDecoder(m.Data)
	var h msgs.Header
	h.Decode(d)
	text := d.Bytes()
	if _, has := n.texts[h.Stamp]; has || d.Err() != nil || len(text) > maxMetadataText {
		return
	}
	for len(n.list) == maxMetadata || n.size+len(text) > maxMetadataSize {
		n.drop()
	}
	n.list, n.texts[h.Stamp] = append(n.list, stamped{m.Time, h.Stamp}), string(text)
	n.size += len(text)
}

func (n *nativeMetadata) drop() {
	stamp := n.list[0].stamp
	n.list, n.size = n.list[1:], n.size-len(n.texts[stamp])
	delete(n.texts, stamp)
}

// nativeFrame sets the number of a camera node's frame and the fields in its metadata.
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
	md, err := rslayout.ParseNodeMetadata(text)
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

// Unmatched returns how many metadata messages of a camera node belong to no frame. It is valid
// after all frames were returned.
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
