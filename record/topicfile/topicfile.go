// Package topicfile writes topics of ROS 1 and of ROS 2 into a file while they arrive: a bag, a .db3 or an MCAP, as the
// file's extension says. Messages keep their bytes in a file of their ROS. In the other one's they are converted by
// definition, and what it can't represent is left out and counted.
package topicfile

import (
	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/mcap"
	"rsros/bagstore/rosbag"
	"rsros/ros"
)

// The extensions of files, which determine their format.
const (
	Bag  = ".bag"
	DB3  = ".db3"
	MCAP = ".mcap"
)

// File is a file of topics. It is for one goroutine, except Size and WriteMethod, which never wait for the disk.
type File interface {
	// Message writes a publisher's message at a time. The header describes the connection: as in ROS 1, or as Header
	// does. The message is borrowed until done is called, also after an error. The error is camdriver.ErrUnsupported
	// for what the format can't represent.
	Message(topic string, h ros.Header, at bagstore.Time, done func(), data []byte) error
	CheckpointIfDue() error
	Size() int64
	WriteMethod() string // "" if there is no choice
	Close() error
	Kept() bagstore.Kept // after Close
}

// Options of Create.
type Options struct {
	Bag  bagstore.Options
	ROS2 bool            // an MCAP has messages of ROS 2
	Left bagstore.Losses // counts what the format can't represent
	IDs  IDs             // of a series' files; may be nil
}

// Create creates a file in the format of an extension; "" is Bag.
func Create(path, ext string, o Options) (File, error) {
	var w bagstore.BagWriter
	var err error
	switch {
	case ext == DB3:
		w, err := db3.CreateDefined(path, o.Bag)
		return newStored(w, o.Left), err
	case ext == MCAP && o.ROS2:
		w, err := mcap.Create(path, mcap.ProfileROS2, o.Bag)
		return newStored(w, o.Left), err
	case ext == MCAP:
		w, err = mcap.CreateBag(path, o.Bag)
	default:
		o.Bag.Live = true
		w, err = rosbag.Create(path, o.Bag)
	}
	return &bagFile{BagWriter: w, conns: map[Key]*bagConn{}, ids: o.IDs, left: o.Left}, err
}

// Fields of the header of a connection of ROS 2, beside those of ROS 1.
const (
	fieldEncoding = "encoding"
	fieldQoS      = "qos"
)

// Header describes a publisher of ROS 2 and its topic, whose QoS says what it offers.
func Header(t bagstore.Topic) ros.Header {
	h := ros.Header{
		"type": t.Type, "md5sum": t.Hash, "message_definition": t.Schema.Text, "callerid": t.CallerID,
		fieldEncoding: bagstore.CDR, fieldQoS: t.QoS,
	}
	if t.Latched() {
		h["latching"] = "1"
	}
	return h
}

// IsROS2 reports whether a header is one of Header.
func IsROS2(h ros.Header) bool { return h[fieldEncoding] == bagstore.CDR }

// Key identifies a publisher of a topic, like a bag's connection.
type Key struct{ topic, callerID, md5 string }

// KeyOf returns that of a header.
func KeyOf(topic string, h ros.Header) Key { return Key{topic, h["callerid"], h["md5sum"]} }

// Connection returns what a bag keeps of a header.
func Connection(topic string, h ros.Header) bagstore.Connection {
	return bagstore.Connection{
		Topic: topic, Type: h["type"], MD5: h["md5sum"], Definition: h["message_definition"],
		CallerID: h["callerid"], Latching: h["latching"] == "1",
	}
}

// IDs has the IDs of connections in all files of a series: bags with equal IDs are joined by whole chunks.
type IDs map[Key]uint32

// maxIDs bounds IDs, for publishers that come and go.
const maxIDs = 4096

func (l IDs) of(key Key) uint32 {
	id, ok := l[key]
	if !ok {
		if len(l) == maxIDs {
			clear(l)
		}
		id = uint32(len(l))
		l[key] = id
	}
	return id
}
