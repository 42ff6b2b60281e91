package process

import (
	"slices"

	"rsros/camdriver"
)

// Set is what was taken at one moment: at most one image of each stream and
// format. It owns one reference of each frame. The zero value is an empty set; a
// set that is used again and again allocates nothing.
type Set struct {
	Images []Image

	results []Image // of the running block
	spare   []Image
}

// Add puts an image in and takes the caller's reference over.
func (s *Set) Add(img Image) { s.Images = append(s.Images, img) }

// Release gives all frames back and empties the set.
func (s *Set) Release() {
	for i := range s.Images {
		s.Images[i].Frame.Release()
	}
	clear(s.Images)
	s.Images = s.Images[:0]
}

// Copy makes s hold the same frames as from, with references of its own. What s
// held before is released.
func (s *Set) Copy(from *Set) {
	for _, img := range from.Images {
		img.Frame.Retain()
	}
	s.Release()
	s.Images = append(s.Images, from.Images...)
}

// First is the first image of a stream kind and format; AnyFormat is every format.
func (s *Set) First(kind camdriver.StreamKind, format camdriver.Format) (Image, bool) {
	i := slices.IndexFunc(s.Images, func(img Image) bool { return img.is(kind, format) })
	if i < 0 {
		return Image{}, false
	}
	return s.Images[i], true
}

// result notes an image that the running block made or passes on; the set takes
// the reference over.
func (s *Set) result(img Image) { s.results = append(s.results, img) }

// discard gives the results of a block that failed back.
func (s *Set) discard() {
	for _, img := range s.results {
		img.Frame.Release()
	}
	s.results = s.results[:0]
}

// merge puts the results in front, as the SDK does. A result replaces what is of
// its stream, index and format; disparity also replaces depth, depth disparity.
func (s *Set) merge() {
	if len(s.results) == 0 {
		return
	}
	s.spare = append(s.spare[:0], s.results...)
	for _, old := range s.Images {
		if slices.ContainsFunc(s.results, func(r Image) bool { return replaces(r, old) }) {
			old.Frame.Release()
		} else {
			s.spare = append(s.spare, old)
		}
	}
	clear(s.Images)
	clear(s.results)
	s.Images, s.spare, s.results = s.spare, s.Images[:0], s.results[:0]
}

func replaces(r, old Image) bool {
	a, b := &r.Frame.Profile, &old.Frame.Profile
	switch {
	case a.Format == camdriver.Z16 && b.Format == camdriver.Disparity32:
		return true
	case a.Format == camdriver.Disparity32 && b.Format == camdriver.Z16:
		return true
	}
	return a.Stream == b.Stream && a.Format == b.Format
}
