package db3

import (
	"cmp"
	"maps"
	"slices"

	"rsros/bagstore"
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
	f.byID, f.topics = make(map[int64]uint32), nil
	f.schema = cmp.Or(map[int]int{4: 1, 6: 4}[s.columns], 2)
	for _, id := range slices.Sorted(maps.Keys(s.topics)) {
		t := s.topics[id]
		t.Schema = s.definitions[t.Type]
		f.addTopic(id, t)
	}
	f.notes.Addf(bagstore.Repairable, -1, kindPages,
		"the table of topics is damaged (%v); pages of the file have %d topics", why, len(f.topics))
	return true
}

func (f *File) addTopic(id int64, t bagstore.Topic) {
	if _, twice := f.byID[id]; !twice {
		f.byID[id] = uint32(len(f.topics))
		f.topics = append(f.topics, t)
	}
}
