package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/samplebag"
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
	w := samplebag.Create(t, path, bagstore.Options{ChunkSize: 1000, Compression: bagstore.LZ4})
	for _, m := range samples {
		topic, caller, _ := strings.Cut(m.topic, "@")
		c := samplebag.Topic(topic, m.typ)
		c.CallerID, c.Latching = caller, strings.Contains(topic, "latched")
		w.Put(c, bagStart.Add(m.at), m.data)
	}
	w.Done()
	return path
}
