package db3

import (
	"encoding/json"
	"fmt"
	"strings"

	"rsros/bagstore"
	"rsros/program/yaml"
)

// MetadataName is the file by which ROS 2 knows a folder as a recording.
const MetadataName = "metadata.yaml"

// metadataVersion is that of Humble, which later releases read, too.
const metadataVersion = 5

// The storage plugins of rosbag2. Wire constants.
const (
	StorageSQLite = "sqlite3"
	StorageMCAP   = "mcap"
)

// Metadata describes a recording of one file.
type Metadata struct {
	Storage    string // StorageSQLite or StorageMCAP
	File       string // its name without the folder
	Start, End bagstore.Time
	Topics     []TopicCount
}

type TopicCount struct {
	bagstore.Topic
	Messages uint64
}

// YAML is the content of metadata.yaml. It is an error if the reader would refuse it.
func (m *Metadata) YAML() ([]byte, error) {
	text := []byte("rosbag2_bagfile_information:\n" + m.text("  "))
	if err := yaml.Fits(text); err != nil {
		return nil, fmt.Errorf("%s of %d topics: %w", MetadataName, len(m.Topics), err)
	}
	return text, nil
}

func (m *Metadata) text(indent string) string {
	total := uint64(0)
	for _, t := range m.Topics {
		total += t.Messages
	}
	var b strings.Builder
	line := func(depth int, format string, args ...any) {
		b.WriteString(indent + strings.Repeat("  ", depth) + fmt.Sprintf(format, args...) + "\n")
	}
	line(0, "version: %d", metadataVersion)
	line(0, "storage_identifier: %s", m.Storage)
	line(0, "duration:")
	line(1, "nanoseconds: %d", m.End-m.Start)
	line(0, "starting_time:")
	line(1, "nanoseconds_since_epoch: %d", m.Start)
	line(0, "message_count: %d", total)
	if len(m.Topics) == 0 {
		line(0, "topics_with_message_count: []")
	} else {
		line(0, "topics_with_message_count:")
	}
	for _, t := range m.Topics {
		line(1, "- topic_metadata:")
		line(3, "name: %s", quoted(t.Name))
		line(3, "type: %s", quoted(t.Type))
		line(3, "serialization_format: cdr")
		line(3, "offered_qos_profiles: %s", quoted(t.QoS))
		line(2, "message_count: %d", t.Messages)
	}
	line(0, `compression_format: ""`)
	line(0, `compression_mode: ""`)
	line(0, "relative_file_paths:")
	line(1, "- %s", quoted(m.File))
	line(0, "files:")
	line(1, "- path: %s", quoted(m.File))
	line(2, "starting_time:")
	line(3, "nanoseconds_since_epoch: %d", m.Start)
	line(2, "duration:")
	line(3, "nanoseconds: %d", m.End-m.Start)
	line(2, "message_count: %d", total)
	return b.String()
}

// quoted is a YAML text in double quotes, which has the form of JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s) // a text always has a form
	return string(b)
}

// QoS returns the profile of a ROS 1 topic: reliable, and transient_local if it is latching.
func QoS(latching bool) string { return OfferedQoS(true, latching) }

// OfferedQoS returns the profile of a publisher, whose history and depth aren't known unless it is transient local.
func OfferedQoS(reliable, transientLocal bool) string {
	history, depth, reliability, durability := 3, 0, 1, 2 // not known, 0, reliable, volatile
	if !reliable {
		reliability = 2 // best effort
	}
	if transientLocal {
		history, depth, durability = 1, 1, 1 // keep last, 1, transient local
	}
	const forever = "    sec: 9223372036\n    nsec: 854775807\n"
	return fmt.Sprintf("- history: %d\n  depth: %d\n  reliability: %d\n  durability: %d\n  deadline:\n%s  lifespan:\n%s  liveliness: 1\n  liveliness_lease_duration:\n%s  avoid_ros_namespace_conventions: false",
		history, depth, reliability, durability, forever, forever, forever)
}
