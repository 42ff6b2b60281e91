package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/test/need"
)

// message is one message of a test bag of strings. The topic may be
// "topic@callerid", and is latched if its name contains "latched".
type message struct {
	at    time.Duration
	topic string
	text  string
}

// sample is one message of any type.
type sample struct {
	at         time.Duration // after bagStart
	topic, typ string
	data       []byte
}

const bagStart = bagstore.Time(1_700_000_000_250_000_000)

func writeBag(t *testing.T, messages []message) string {
	t.Helper()
	var samples []sample
	for _, m := range messages {
		samples = append(samples, sample{m.at, m.topic, "std_msgs/String", msgs.Marshal(&msgs.String{Data: m.text})})
	}
	return writeSamples(t, samples)
}

func writeSamples(t *testing.T, samples []sample) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.bag")
	w, err := rosbag.Create(path, bagstore.Options{ChunkSize: 1000, Compression: bagstore.LZ4})
	need.Must(t, err)
	ids := make(map[string]uint32)
	for _, m := range samples {
		id, known := ids[m.topic]
		if !known {
			topic, caller, _ := strings.Cut(m.topic, "@")
			typ := msgs.MustType(m.typ)
			id, err = w.AddConnection(bagstore.Connection{Topic: topic, Type: typ.Name, MD5: typ.MD5, Definition: typ.Definition,
				CallerID: caller, Latching: strings.Contains(topic, "latched")})
			need.Must(t, err)
			ids[m.topic] = id
		}
		need.Must(t, w.Write(id, bagStart.Add(m.at), m.data))
	}
	need.Must(t, w.Close())
	return path
}
