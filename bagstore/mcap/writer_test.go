package mcap

import (
	"bytes"
	"strings"
	"testing"

	format "github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestWriterAgrees checks that the reference library writes the same bytes.
func TestWriterAgrees(t *testing.T) {
	topics := []bagstore.Topic{
		{Name: "/a", Type: "std_msgs/String", Encoding: bagstore.ROS1, MD5: "1", CallerID: "/n", Latching: true, Schema: bagstore.Schema{Encoding: "ros1msg", Text: "string data\n"}},
		{Name: "/silent", Type: "std_msgs/String", Encoding: bagstore.ROS1, Schema: bagstore.Schema{Encoding: "ros1msg", Text: "string data\n"}},
		{Name: "/b", Type: "std_msgs/msg/Bool", Encoding: "cdr", QoS: "qos", Hash: "h", Schema: bagstore.Schema{Encoding: "ros2msg", Text: "bool data\n"}},
	}
	message := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, i*50_000) }
	attachment := Attachment{LogTime: 3, CreateTime: 4, Name: "calib.txt", MediaType: "text/plain", Size: 5}
	for _, c := range []struct {
		name      string
		messages  int
		extras    bool
		noChannel bool
	}{{name: "nothing", noChannel: true}, {name: "channels"}, {name: "chunks", messages: 30}, {name: "extras", messages: 3, extras: true}} {
		t.Run(c.name, func(t *testing.T) {
			var ours, theirs bytes.Buffer
			w, err := NewWriter(&ours, ProfileROS1, bagstore.None)
			need.Must(t, err)
			f, err := format.NewWriter(&theirs, &format.WriterOptions{Chunked: true, ChunkSize: writtenChunk, IncludeCRC: true, OverrideLibrary: true})
			need.Must(t, err)
			need.Must(t, f.WriteHeader(&format.Header{Profile: ProfileROS1, Library: "rs-ros-node"}))
			if !c.noChannel {
				for _, topic := range topics {
					_, err := w.AddTopic(topic)
					need.Must(t, err)
				}
				for i, schema := range []int{0, 2} {
					s := topics[schema]
					need.Must(t, f.WriteSchema(&format.Schema{ID: uint16(i + 1), Name: s.Type, Encoding: s.Schema.Encoding, Data: []byte(s.Schema.Text)}))
					for id, meta := range [][]map[string]string{
						{{"md5sum": "1", "callerid": "/n", "topic": "/a", "latching": "1"}, {"topic": "/silent"}},
						{{"offered_qos_profiles": "qos", "topic_type_hash": "h"}},
					}[i] {
						id += 2 * i
						need.Must(t, f.WriteChannel(&format.Channel{ID: uint16(id + 1), SchemaID: uint16(i + 1), Topic: topics[id].Name, MessageEncoding: topics[id].Encoding, Metadata: meta}))
					}
				}
			}
			if c.extras {
				need.Must(t, w.AddMetadata(Metadata{Name: "m", Values: map[string]string{"b": "2", "a": "1"}}))
				need.Must(t, f.WriteMetadata(&format.Metadata{Name: "m", Metadata: map[string]string{"b": "2", "a": "1"}}))
				need.Must(t, w.Attach(attachment, strings.NewReader("hello")))
				need.Must(t, f.WriteAttachment(&format.Attachment{LogTime: 3, CreateTime: 4, Name: "calib.txt", MediaType: "text/plain", DataSize: 5, Data: strings.NewReader("hello")}))
			}
			for i := range c.messages {
				channel, at := uint16(1+i%2*2), uint64(1000+i^1) // out of order
				need.Must(t, w.Write(channel, bagstore.Time(at), message(i)))
				need.Must(t, f.WriteMessage(&format.Message{ChannelID: channel, Sequence: uint32(i / 2), LogTime: at, PublishTime: at, Data: message(i)}))
			}
			need.Must(t, w.Close())
			need.Must(t, f.Close())
			if !bytes.Equal(ours.Bytes(), theirs.Bytes()) {
				t.Errorf("%d bytes differ from %d", ours.Len(), theirs.Len())
			}
		})
	}
	w, err := NewWriter(&bytes.Buffer{}, ProfileROS1, bagstore.None)
	need.Must(t, err)
	if err := w.Attach(attachment, strings.NewReader("four")); err == nil {
		t.Error("an attachment that is too short is taken")
	}
}
