package recording

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/rosbag2"
)

// withoutTopics writes a recording of 60 messages whose topics table is zeroed.
func withoutTopics(t *testing.T, dir string) (path string) {
	t.Helper()
	b, err := os.ReadFile("../rosbag2/testdata/small.db3")
	if err != nil {
		t.Fatal(err)
	}
	const page, topics = 512, 3 // the root of the table, which is its only page
	clear(b[(topics-1)*page : topics*page])
	path = filepath.Join(dir, "walk_0.db3")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// counted counts the messages of a recording by topic name and type.
func counted(t *testing.T, path string) (map[string]int, *bagstore.Bag) {
	t.Helper()
	bag, topics, err := OpenRaw(path, bagstore.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bag.Close() })
	list := make(map[string]int)
	v := bag.View(bagstore.Query{})
	it := v.Iterator()
	defer it.Close()
	for it.Next() {
		topic := topics[it.Message().Conn.ID]
		list[topic.Name+" "+topic.Type]++
	}
	return list, bag
}

// TestNames checks that, without the topics table, names come from metadata.yaml if only one fits, and
// types from the messages; other topics have neither.
func TestNames(t *testing.T) {
	text, number := container.Topic{Name: "/text", Type: "std_msgs/msg/String"}, container.Topic{Name: "/number", Type: "std_msgs/msg/UInt32"}
	other := container.Topic{Name: "/other", Type: "std_msgs/msg/String"}
	foreign := container.Topic{Name: "/foreign", Type: "someone/msg/Own"}
	for name, test := range map[string]struct {
		file   string
		topics []rosbag2.TopicCount
		want   map[string]int
		notes  string // of reconstructed names
	}{
		"without metadata":                      {"", nil, map[string]int{"/topic_1 std_msgs/msg/String": 40, "/topic_2 ": 20}, ""},
		"metadata":                              {"walk_0.db3", []rosbag2.TopicCount{{Topic: number, Messages: 20}, {Topic: text, Messages: 40}}, map[string]int{"/text std_msgs/msg/String": 40, "/number std_msgs/msg/UInt32": 20}, "names of 2 topics are those in the metadata of rosbag2 whose type and number of messages fit"},
		"of another file":                       {"walk_1.db3", []rosbag2.TopicCount{{Topic: number, Messages: 20}, {Topic: text, Messages: 40}}, map[string]int{"/topic_1 std_msgs/msg/String": 40, "/topic_2 ": 20}, ""},
		"messages are missing":                  {"walk_0.db3", []rosbag2.TopicCount{{Topic: number, Messages: 22}, {Topic: text, Messages: 41}}, map[string]int{"/text std_msgs/msg/String": 40, "/number std_msgs/msg/UInt32": 20}, "names of 2 topics are those in the metadata of rosbag2 whose type is the only one that fits"},
		"two fit":                               {"walk_0.db3", []rosbag2.TopicCount{{Topic: text, Messages: 40}, {Topic: other, Messages: 40}}, map[string]int{"/topic_1 std_msgs/msg/String": 40, "/topic_2 ": 20}, ""},
		"an unknown type":                       {"walk_0.db3", []rosbag2.TopicCount{{Topic: foreign, Messages: 20}, {Topic: text, Messages: 40}}, map[string]int{"/text std_msgs/msg/String": 40, "/foreign someone/msg/Own": 20}, "names of 2 topics are those in the metadata of rosbag2 whose type and number of messages fit"},
		"an unknown type, messages are missing": {"walk_0.db3", []rosbag2.TopicCount{{Topic: foreign, Messages: 5000}, {Topic: text, Messages: 40}}, map[string]int{"/text std_msgs/msg/String": 40, "/topic_2 ": 20}, "names of 1 topics"},
		"more than there were":                  {"walk_0.db3", []rosbag2.TopicCount{{Topic: number, Messages: 19}, {Topic: text, Messages: 40}}, map[string]int{"/text std_msgs/msg/String": 40, "/topic_2 ": 20}, "names of 1 topics"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := withoutTopics(t, dir)
			if test.file != "" {
				m := rosbag2.Metadata{Storage: rosbag2.StorageSQLite, File: test.file, Topics: test.topics}
				text, err := m.YAML()
				if err := errors.Join(err, os.WriteFile(filepath.Join(dir, rosbag2.MetadataName), text, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			got, bag := counted(t, path)
			if !maps.Equal(got, test.want) {
				t.Errorf("topics %v, want %v", got, test.want)
			}
			if !slices.ContainsFunc(bag.Notes(), func(n bagstore.Note) bool {
				return n.Severity == bagstore.Loss && strings.Contains(n.Text, "names and types of 2 topics are lost")
			}) {
				t.Errorf("notes %v", bag.Notes())
			}
			if !strings.Contains(fmt.Sprint(bag.Notes()), test.notes) {
				t.Errorf("notes %v, want %q", bag.Notes(), test.notes)
			}
		})
	}
}

// TestHeadless checks that a .db3 with a zeroed first page is recognized by its name, and
// that other files aren't.
func TestHeadless(t *testing.T) {
	dir := t.TempDir()
	b, err := os.ReadFile("../rosbag2/testdata/small.db3")
	if err != nil {
		t.Fatal(err)
	}
	clear(b[:512])
	for name, test := range map[string]struct {
		content []byte
		format  Format
	}{
		"walk.db3": {b, SQLite}, "walk.db3.save": {b, Bag}, "text.db3": {[]byte(strings.Repeat("text ", 1000)), Bag}, "empty.db3": {nil, Bag},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, test.content, 0o600); err != nil {
			t.Fatal(err)
		}
		format, err := FormatOf(t.Context(), path)
		if err != nil || format != test.format {
			t.Errorf("%s: format %v, %v", name, format, err)
		}
		_, _, err = OpenRaw(path, bagstore.OpenOptions{})
		if (err == nil) != (format == SQLite) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, _ := counted(t, filepath.Join(dir, "walk.db3")); !maps.Equal(got, map[string]int{"/text std_msgs/msg/String": 40, "/number std_msgs/msg/UInt32": 20}) {
		t.Errorf("topics %v", got)
	}
}
