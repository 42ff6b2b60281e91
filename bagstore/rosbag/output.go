package rosbag

import (
	"context"
	"errors"
	"math"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/place"
)

// Output is a bag made of messages of other bags. The file gets its name when it is complete. An
// Output is for one goroutine and must be ended by Finish, not by Close.
type Output struct {
	*Writer
	AsStored bool // chunks of any compression are copied whole
	Clamped  int  // messages of Copy with Message.TimeClamped
	target   *place.Target
	ids      map[*bagstore.Connection]uint32
	added    map[string][]*bagstore.Connection // by topic, to find equal ones
}

// CreateOutput creates a bag without checkpoints, at a path or an address. Without Overwrite the error
// for an existing one is fs.ErrExist. ctx ends an upload.
func CreateOutput(ctx context.Context, path string, o bagstore.Options) (*Output, error) {
	target, err := place.Create(ctx, path, o.Overwrite)
	if err != nil {
		return nil, err
	}
	target.Unsynced = o.NoSync
	w, err := CreateOn(target, o)
	if err != nil {
		return nil, target.Finish(err)
	}
	w.lendLeast = math.MaxInt // chunks are as large as the options say
	return &Output{Writer: w, target: target, ids: make(map[*bagstore.Connection]uint32),
		added: make(map[string][]*bagstore.Connection)}, nil
}

// connection returns the output's ID for an input's connection. Equal connections share one.
func (o *Output) connection(c *bagstore.Connection) (uint32, error) {
	if id, ok := o.ids[c]; ok {
		return id, nil
	}
	if i := slices.IndexFunc(o.added[c.Topic], func(d *bagstore.Connection) bool { return same(c, d) }); i >= 0 {
		o.ids[c] = o.ids[o.added[c.Topic][i]]
		return o.ids[c], nil
	}
	id, err := o.KeepConnection(*c)
	if err != nil {
		return 0, err
	}
	o.ids[c] = id
	o.added[c.Topic] = append(o.added[c.Topic], c)
	return id, nil
}

// Copy writes a message of an iterator at time t. Equal connections become one. It copies no large
// message, and doesn't wait for the disk.
func (o *Output) Copy(m bagstore.Message, t bagstore.Time) error {
	if m.TimeClamped {
		o.Clamped++
	}
	return o.copy(m.Conn, &m.Stored, t)
}

func (o *Output) copy(c *bagstore.Connection, m *bagstore.Stored, t bagstore.Time) error {
	id, err := o.connection(c)
	if err != nil {
		return err
	}
	if m.Buffer == nil || m.At == 0 || len(m.Data) < disk.LendLeast {
		return o.Write(id, t, m.Data)
	}
	// Data read past the page cache is aligned as in the file: from its first page on it can be
	// written past the page cache.
	head := min(len(m.Data), int(-m.At&(disk.Grain-1)))
	return o.Lend(id, t, m.Buffer.Retain().Release, m.Data[:head], m.Data[head:])
}

// Keep assigns IDs to connections of the inputs: their own where possible, so that whole chunks can be copied.
func (o *Output) Keep(conns []*bagstore.Connection) {
	for _, c := range conns {
		_, _ = o.connection(c) // Copy returns the error again
	}
}

// Takes reports whether CopyWhole can copy the chunk: the bag describes all connections in it, and by the same IDs.
func (o *Output) Takes(c *bagstore.WholeChunk) bool {
	return (o.AsStored || c.Layout.Compression == o.o.Compression) &&
		!slices.ContainsFunc(c.Connections(), func(conn *bagstore.Connection) bool {
			id, ok := o.ids[conn]
			return !ok || id != conn.ID || !o.conns[id].known
		})
}

// CopyWhole writes a chunk as it is stored. Takes must accept it.
func (o *Output) CopyWhole(c *bagstore.WholeChunk) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.c.failed(); err != nil {
		return err
	}
	o.seal(o.submit)
	o.cur.copyOf(c)
	o.stats.Whole++
	o.stats.Messages += uint64(len(c.Entries))
	o.stats.Bytes += uint64(c.Data)
	o.seal(o.submit)
	return o.c.failed()
}

// Finish closes the file and gives it its name. After an error, err or its own, it removes the file.
func (o *Output) Finish(err error) error { return o.target.Finish(errors.Join(err, o.Close())) }
