package rosbag2

import (
	"fmt"
	"maps"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
)

// rescueTopics takes the topics from any pages, after their table couldn't be read. It returns
// false if the file has no messages.
func (f *File) rescueTopics(why error) bool {
	if !f.reopenDamaged() {
		return false
	}
	s := f.surveyed()
	if len(s.leaves) == 0 {
		return false
	}
	f.byID, f.topics, f.adopts = make(map[int64]uint32), nil, true
	f.schema = map[int]int{4: 1, 6: 4}[s.columns]
	if f.schema == 0 {
		f.schema = 2
	}
	for _, id := range slices.Sorted(maps.Keys(s.topics)) {
		t := s.topics[id]
		t.Schema = s.definitions[t.Type]
		f.addTopic(id, t)
	}
	f.notes.Addf(bagstore.Repairable, -1, kindPages, "the table of topics is damaged (%v); pages of the file have %d topics", why, len(f.topics))
	return true
}

func (f *File) addTopic(id int64, t container.Topic) {
	if _, twice := f.byID[id]; !twice {
		f.byID[id] = uint32(len(f.topics))
		f.topics = append(f.topics, t)
	}
}

// topicOf returns the topic with an id. If the table of topics is damaged, a topic without a row is named after
// its id.
func (f *File) topicOf(id int64) (index uint32, ok bool) {
	index, ok = f.byID[id]
	if !ok && f.adopts && id > 0 && id < maxTopicID && len(f.topics) < maxTopics {
		index, ok = uint32(len(f.topics)), true
		f.addTopic(id, container.Topic{Name: fmt.Sprintf("/topic_%d", id), Encoding: container.CDR})
		f.unnamed = append(f.unnamed, index)
	}
	return index, ok
}

// Unnamed lists the topics whose names and types are lost, as indexes into Topics. They are named after their ids.
func (f *File) Unnamed() []uint32 { return slices.Clone(f.unnamed) }

// Described returns the text of a damaged file's metadata table (schema 3 and later), in the form of metadata.yaml;
// empty if there is none.
func (f *File) Described() string {
	if f.survey == nil {
		return ""
	}
	return f.survey.described
}

func (f *File) noteUnnamed() {
	if n := len(f.unnamed); n > 0 {
		f.notes.Addf(bagstore.Loss, -1, kindPages, "names and types of %d topics are lost", n)
	}
}
