package db3

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestWriterBounds checks that the writer has the same limits as the reader.
func TestWriterBounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db3")
	f, err := os.Create(path)
	need.Must(t, err)
	defer f.Close()
	w, err := NewDefinedWriter(f)
	need.Must(t, err)
	topic := bagstore.Topic{Type: "a/msg/B", Schema: bagstore.Schema{Encoding: bagstore.SchemaROS2, Text: "uint8 x\n"}}
	for i := range maxTopics {
		topic.Name = fmt.Sprint("/t", i)
		if _, err := w.AddTopic(topic); err != nil {
			t.Fatal(err)
		}
	}
	need.Must(t, w.Close())
	r, err := Open(path)
	need.Must(t, err)
	defer r.Close()
	if n := len(r.Topics()); n != maxTopics {
		t.Errorf("the reader found %d topics", n)
	}
	if _, err := w.AddTopic(topic); err == nil || !strings.Contains(err.Error(), "65537 topics") {
		t.Errorf("one more topic: %v", err)
	}
	var d described
	if err := d.definition(bagstore.Schema{Text: strings.Repeat(" ", maxDefinitions+1)}); err == nil {
		t.Error("a definition that is too long was accepted")
	}
	if _, err := (&Metadata{Topics: make([]TopicCount, maxTopics)}).YAML(); err == nil || !strings.Contains(err.Error(), "of 65536 topics") {
		t.Errorf("metadata.yaml: %v", err)
	}
}
