package mcap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/memory"
	"rsros/bagstore/place"
)

// File is an open MCAP file. Its methods may be called by many goroutines.
type File struct {
	path       string
	from       place.File // nil for a file over a reader of the caller's
	src        source
	profile    string
	schemas    map[uint16]schema
	texts      memory.Texts      // of the schemas
	lacking    map[uint32]uint16 // topics whose channel names a schema that isn't there
	topics     []bagstore.Topic
	byID       map[uint16]uint32 // a topic's index by its channel
	blocks     []block
	notes      bagstore.Notes
	found      bagstore.Found
	doubted    bool     // schemas and channels are from a summary without checksum; others replace them
	extras     []record // attachments and metadata records
	extraCount uint64   // number of extras in the statistics
	counted    uint64   // messages by the statistics; 0: they weren't read
	unnamed    uint64   // messages of channels that nothing describes, which are left out
	dataEnd    record   // its pos is 0 if the file wasn't scanned
	dataSum    uint32   // of all before it; 0: none
	sums       sums
	opened     bool  // schemas and channels don't change any more
	head       int64 // bytes before a message's data that Read returns, too
}

type schema struct {
	name string
	bagstore.Schema
}

type block struct {
	info    bagstore.Block
	from    int64 // of the chunk's records or of the range
	to      int64
	chunk   bool
	torn    bool   // the chunk or the file ends too early; what is whole counts
	crc     uint32 // of the records; 0: none, or listed
	listed  bool   // it is as the summary lists it: nothing of it was read
	index   int64  // where the chunk's message indexes begin; 0: there are none
	indexTo int64
	unnamed uint64 // messages of channels that nothing describes
}

type Options struct {
	// Context ends opening, which may scan the whole file. Default: context.Background().
	Context context.Context
	Scan    bool // trust no index in the file
	// Trust takes from the summary what chunks have, and reads nothing of them. What contradicts it
	// is an error of the chunk when that is read. Without, the file is scanned then.
	Trust bool
}

// OpenFile opens an MCAP file. The File closes f, OpenFile after an error.
func OpenFile(f place.File, o Options) (*File, error) {
	m, err := open(f, f.Info().Size, f.Info().Name, o, f)
	if err = cmp.Or(place.Failed(f), err); err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

// OpenReader opens an MCAP file over r, which stays the caller's. Errors contain the name.
func OpenReader(r io.ReaderAt, size int64, name string, o Options) (*File, error) {
	return open(r, size, name, o, nil)
}

func open(r io.ReaderAt, size int64, name string, o Options, from place.File) (*File, error) {
	ctx := cmp.Or(o.Context, context.Background())
	f := &File{path: name, from: from, src: source{place.Until(ctx, r), size}}
	head := make([]byte, magicSize)
	if err := f.src.readFull(head, 0); place.Ended(err) {
		return nil, fmt.Errorf("open %s: %w", name, err)
	} else if err != nil || !Is(head) {
		return nil, fmt.Errorf("%s: %w", name, ErrNotMCAP)
	}
	f.readHeader()
	if o.Scan {
		f.reset()
		f.scan()
	} else if !o.Trust || f.readSummary(true) != nil {
		f.readChunks()
	}
	f.noteMissing()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("open %s: %w", name, ctx.Err())
	}
	f.src.r, f.opened = r, true
	return f, nil
}

// readChunks reads the file by its index and the indexes of the chunks, or scans it.
func (f *File) readChunks() {
	if err := f.readSummary(false); err != nil {
		severity := bagstore.Repairable
		if errors.Is(err, errNoSummary) || errors.Is(err, errNoChunks) {
			severity = bagstore.Harmless
		}
		f.notes.Addf(severity, -1, "summary", "%v; the file was scanned", err)
		f.scan()
	}
}

func (f *File) readHeader() {
	r, err := f.src.record(magicSize, f.src.size)
	if err != nil || r.op != opHeader {
		return // the scan says so
	}
	if in, err := f.src.content(r); err == nil {
		f.profile = in.String()
	}
}

func (f *File) reset() {
	f.schemas, f.byID, f.lacking = make(map[uint16]schema), make(map[uint16]uint32), make(map[uint32]uint16)
	f.topics, f.blocks, f.extras, f.extraCount, f.unnamed = nil, nil, nil, 0, 0
}

func (f *File) addSchema(in *fields) error {
	id := in.U16()
	s := schema{name: in.String()}
	s.Encoding, s.Text = in.String(), in.String()
	if _, known := f.schemas[id]; in.err() != nil || known && !f.doubted {
		return in.err()
	}
	var err error
	if s.Text, err = f.texts.Keep(s.Text); err != nil {
		f.notes.Addf(bagstore.Loss, in.pos, "schema", "the definition of %s is left out: %v", s.name, err)
	}
	f.schemas[id] = s
	return nil
}

func (f *File) addChannel(in *fields) error {
	id, kind := in.U16(), in.U16()
	t := bagstore.Topic{Name: in.String(), Encoding: in.String()}
	meta := in.texts()
	if in.err() != nil {
		return in.err()
	}
	at, known := f.byID[id]
	if known && !f.doubted {
		return nil
	}
	if !known {
		at = uint32(len(f.topics))
		f.topics = append(f.topics, t)
		f.byID[id] = at
	}
	s, there := f.schemas[kind]
	if delete(f.lacking, at); !there && kind != 0 {
		f.lacking[at] = kind
	}
	t.Type, t.Schema = s.name, s.Schema
	t.Hash = meta["topic_type_hash"]
	t.QoS, t.MD5, t.CallerID = meta["offered_qos_profiles"], meta["md5sum"], meta["callerid"]
	t.Latching = meta["latching"] == "1"
	f.topics[at] = t
	return nil
}

// KeepHeads makes Read begin each message with its sequence number and times, see
// [Writer.WriteHeaded]. It must be called first.
func (f *File) KeepHeads() { f.head = HeadSize }

// Info describes the file.
func (f *File) Info() bagstore.Info {
	version := "MCAP"
	if f.profile != "" {
		version = fmt.Sprintf("MCAP (profile %s)", f.profile)
	}
	return bagstore.Info{Path: f.path, Version: version, Size: f.src.size, Notes: slices.Clone(f.notes), Clamps: true}
}

// Topics lists the topics. Entries and counts name them by their index here.
func (f *File) Topics() []bagstore.Topic { return slices.Clone(f.topics) }

// Connections describes the topics.
func (f *File) Connections() []*bagstore.Connection { return bagstore.Connections(f.topics) }

// Found lists the chunks without their checksum among those of which all messages were read.
func (f *File) Found() []bagstore.Note { return f.found.Notes() }

func (f *File) Blocks() []bagstore.Block {
	list := make([]bagstore.Block, len(f.blocks))
	for i := range f.blocks {
		list[i] = f.blocks[i].info
		list[i].Packed = f.blocks[i].packed()
	}
	return list
}

// Extent returns where a block's messages and their indexes are in a file at an address; nil for others.
func (f *File) Extent(n int) (in place.File, from, to int64) {
	if f.from == nil || place.OnDisk(f.from) != nil {
		return nil, 0, 0
	}
	b := &f.blocks[n]
	return f.from, b.info.Pos, max(b.to, b.indexTo)
}

// Close closes the file. Nobody may be reading it.
func (f *File) Close() error {
	if f.from == nil {
		return nil
	}
	return f.from.Close()
}
