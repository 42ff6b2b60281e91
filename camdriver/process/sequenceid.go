package process

import (
	"slices"

	"rsros/camdriver"
)

// SequenceID selects one of two alternating exposures. It replaces the other one by the
// last selected frame, with its number and time.
type SequenceID struct {
	block
	last []sequenced
}

// sequenced is the last frame of a stream and sequence id.
type sequenced struct {
	profile *Profile
	format  camdriver.Format
	id      int64
	image   Image // retained
}

// NewSequenceID returns a block that selects the first exposure.
func NewSequenceID(res *Resources) *SequenceID {
	return &SequenceID{block: newBlock(res, "Filter By Sequence id",
		newOption(camdriver.OptionSequenceId, strict, 0, 2, 1, 1, "Selected stream id: 0 all, 1, 2"))}
}

func (s *SequenceID) Process(set *Set) error { return each(set, s.wants, s.apply) }

func (s *SequenceID) Reset() {
	for _, l := range s.last {
		l.image.Frame.Release()
	}
	s.last = nil
}

func (s *SequenceID) wants(img Image) bool {
	size, ok := img.Frame.Meta(camdriver.MetaSequenceSize)
	_, numbered := img.Frame.Meta(camdriver.MetaSequenceId)
	return ok && numbered && size != 0
}

func (s *SequenceID) apply(img Image) (Image, error) {
	id, _ := img.Frame.Meta(camdriver.MetaSequenceId)
	selected := int64(s.get(camdriver.OptionSequenceId))
	if selected == 0 || selected == id+1 {
		s.remember(img, id)
	} else {
		other := int64(0)
		if id == 0 {
			other = 1
		}
		if l := s.find(img, other); l != nil {
			img = l.image
		}
	}
	img.Frame.Retain()
	return img, nil
}

// find returns the last frame of the same stream with a sequence id.
func (s *SequenceID) find(img Image, id int64) *sequenced {
	for i := range s.last {
		if l := &s.last[i]; l.profile == img.Profile && l.format == img.Frame.Profile.Format && l.id == id {
			return l
		}
	}
	return nil
}

func (s *SequenceID) remember(img Image, id int64) {
	img.Frame.Retain()
	if l := s.find(img, id); l != nil {
		l.image.Frame.Release()
		l.image = img
		return
	}
	if id != 0 && id != 1 {
		img.Frame.Release() // never selected
		return
	}
	s.last = slices.DeleteFunc(s.last, func(l sequenced) bool { // frames of an earlier run of the stream
		old := l.profile != img.Profile && l.profile.Stream == img.Profile.Stream && l.format == img.Frame.Profile.Format
		if old {
			l.image.Frame.Release()
		}
		return old
	})
	s.last = append(s.last, sequenced{img.Profile, img.Frame.Profile.Format, id, img})
}
