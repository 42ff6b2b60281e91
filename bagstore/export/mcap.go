package export

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"

	"github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/bagstore/bagset"
)

// mcapChunk is how much an MCAP chunk holds uncompressed: a few camera frames.
const mcapChunk = 4 << 20

// exportMCAP writes the messages of a bag as they are into an MCAP file of the
// ros1 profile: a channel a connection, a schema a message type.
func exportMCAP(ctx context.Context, bag *bagstore.Bag, q bagstore.Query, o Options) error {
	v, err := bagstore.NewView([]*bagstore.Bag{bag}, q)
	if err != nil {
		return err
	}
	bad := 0
	err = writeWhole(o.MCAP, o.Overwrite, func(f *os.File) error {
		w, err := mcap.NewWriter(f, &mcap.WriterOptions{
			Chunked: true, ChunkSize: mcapChunk, IncludeCRC: true, Compression: mcapCompression(o.Compress),
			CompressionLevel: mcap.CompressionLevelFastest, // an eighth of the default's CPU time, a sixth more bytes
		})
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&mcap.Header{Profile: "ros1", Library: "rs-ros-node"}); err != nil {
			return err
		}
		e := mcapExporter{w: w, channels: make(map[*bagstore.Connection]*mcapChannel), schemas: make(map[schemaKey]uint16)}
		if bad, err = bagset.Each(&bagset.Pace{Ctx: ctx, Progress: o.Progress, Total: v.Count()}, v, o.Log, e.message); err != nil {
			return err
		}
		return w.Close()
	})
	return cmp.Or(err, bagset.Damaged(bad))
}

func mcapCompression(c bagstore.Compression) mcap.CompressionFormat {
	if c == bagstore.None {
		return mcap.CompressionNone
	}
	return mcap.CompressionLZ4
}

type mcapExporter struct {
	w        *mcap.Writer
	channels map[*bagstore.Connection]*mcapChannel
	schemas  map[schemaKey]uint16
}

// schemaKey tells types apart: a bag may hold two versions of one name.
type schemaKey struct{ name, md5 string }

type mcapChannel struct {
	id   uint16
	next uint32 // sequence number
}

func (e *mcapExporter) message(m bagstore.Message) error {
	c, err := e.channel(m.Conn)
	if err != nil {
		return err
	}
	c.next++
	return e.w.WriteMessage(&mcap.Message{
		ChannelID: c.id, Sequence: c.next - 1, LogTime: uint64(m.Time), PublishTime: uint64(m.Time), Data: m.Data,
	})
}

// channel returns a connection's channel. Before the first message it writes the
// channel and its schema. Metadata are those that other converters of bags write.
func (e *mcapExporter) channel(conn *bagstore.Connection) (*mcapChannel, error) {
	if c, ok := e.channels[conn]; ok {
		return c, nil
	}
	if len(e.channels) == math.MaxUint16 {
		return nil, fmt.Errorf("MCAP has room for %d channels; choose fewer topics", math.MaxUint16)
	}
	schema, err := e.schema(conn)
	if err != nil {
		return nil, err
	}
	meta := map[string]string{"md5sum": conn.MD5, "topic": conn.Topic}
	if conn.CallerID != "" {
		meta["callerid"] = conn.CallerID
	}
	if conn.Latching {
		meta["latching"] = "1"
	}
	c := &mcapChannel{id: uint16(len(e.channels))}
	e.channels[conn] = c
	return c, e.w.WriteChannel(&mcap.Channel{ID: c.id, SchemaID: schema, Topic: conn.Topic, MessageEncoding: "ros1", Metadata: meta})
}

// schema returns the ID of a type's schema, which it writes the first time; 0 means "none" in MCAP.
func (e *mcapExporter) schema(conn *bagstore.Connection) (uint16, error) {
	key := schemaKey{conn.Type, conn.MD5}
	if id, ok := e.schemas[key]; ok {
		return id, nil
	}
	id := uint16(len(e.schemas) + 1)
	e.schemas[key] = id
	return id, e.w.WriteSchema(&mcap.Schema{ID: id, Name: conn.Type, Encoding: "ros1msg", Data: []byte(conn.Definition)})
}
