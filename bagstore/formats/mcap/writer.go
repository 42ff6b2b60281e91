package mcap

import (
	"fmt"
	"io"
	"math"

	format "github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
)

// writtenChunk is how much a chunk holds uncompressed: a few camera frames.
const writtenChunk = 4 << 20

// The profiles of files with messages of one ROS. Wire constants.
const (
	ProfileROS1 = "ros1"
	ProfileROS2 = "ros2"
)

// Writer makes an MCAP file with an index. It is for one goroutine.
type Writer struct {
	w       *format.Writer
	next    []uint32 // sequence number by channel
	schemas map[schemaKey]uint16
}

// schemaKey tells types apart: a recording may hold two versions of one name.
type schemaKey struct {
	name string
	container.Schema
}

// NewWriter makes an MCAP file on f. compression is that of the chunks, LZ4 or None.
func NewWriter(f io.Writer, profile string, compression bagstore.Compression) (*Writer, error) {
	o := format.WriterOptions{
		Chunked: true, ChunkSize: writtenChunk, IncludeCRC: true,
		CompressionLevel: format.CompressionLevelFastest, // an eighth of the default's CPU time, a sixth more bytes
	}
	switch compression {
	case bagstore.LZ4:
		o.Compression = format.CompressionLZ4
	case bagstore.None, "":
		o.Compression = format.CompressionNone
	default:
		return nil, fmt.Errorf("MCAP has no compression %q; lz4 and none are written", compression)
	}
	w, err := format.NewWriter(f, &o)
	if err != nil {
		return nil, err
	}
	return &Writer{w: w, schemas: make(map[schemaKey]uint16)}, w.WriteHeader(&format.Header{Profile: profile, Library: "rs-ros-node"})
}

// AddTopic writes a channel, and its schema if it is the first of its type. It returns the
// number that Write takes. Metadata are those that other writers of ROS messages have.
func (w *Writer) AddTopic(t container.Topic) (uint16, error) {
	if len(w.next) == math.MaxUint16 {
		return 0, fmt.Errorf("MCAP has room for %d channels; choose fewer topics", math.MaxUint16)
	}
	schema, err := w.schema(t)
	if err != nil {
		return 0, err
	}
	meta := make(map[string]string)
	for key, value := range map[string]string{
		"md5sum": t.MD5, "callerid": t.CallerID, "offered_qos_profiles": t.QoS, "topic_type_hash": t.Hash,
	} {
		if value != "" {
			meta[key] = value
		}
	}
	if t.Encoding == container.ROS1 {
		meta["topic"] = t.Name
	}
	if t.Latching {
		meta["latching"] = "1"
	}
	id := uint16(len(w.next))
	w.next = append(w.next, 0)
	return id, w.w.WriteChannel(&format.Channel{ID: id, SchemaID: schema, Topic: t.Name, MessageEncoding: t.Encoding, Metadata: meta})
}

// schema returns the ID of a type's schema, which it writes the first time; 0 means "none"
// in MCAP.
func (w *Writer) schema(t container.Topic) (uint16, error) {
	key := schemaKey{t.Type, t.Schema}
	if id, ok := w.schemas[key]; ok {
		return id, nil
	}
	id := uint16(len(w.schemas) + 1)
	w.schemas[key] = id
	return id, w.w.WriteSchema(&format.Schema{ID: id, Name: t.Type, Encoding: t.Schema.Encoding, Data: []byte(t.Schema.Text)})
}

// Write writes a message, which is copied.
func (w *Writer) Write(topic uint16, t bagstore.Time, data []byte) error {
	w.next[topic]++
	return w.w.WriteMessage(&format.Message{
		ChannelID: topic, Sequence: w.next[topic] - 1, LogTime: uint64(t), PublishTime: uint64(t), Data: data,
	})
}

// Attach writes an attachment of another file, whose bytes r returns.
func (w *Writer) Attach(a Attachment, r io.Reader) error {
	return w.w.WriteAttachment(&format.Attachment{LogTime: a.LogTime, CreateTime: a.CreateTime, Name: a.Name, MediaType: a.MediaType, DataSize: uint64(a.Size), Data: r})
}

// AddMetadata writes a metadata record of another file.
func (w *Writer) AddMetadata(m Metadata) error {
	return w.w.WriteMetadata(&format.Metadata{Name: m.Name, Metadata: m.Values})
}

// Close writes the index. The file under it stays open.
func (w *Writer) Close() error { return w.w.Close() }
