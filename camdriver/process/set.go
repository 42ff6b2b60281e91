package process

import (
	"slices"

	"rsros/camdriver"
)

// Set is the images of one moment, at most one per stream and format. It owns a reference
// to each frame. The zero value is an empty set. Reusing a set avoids allocations.
type Set struct {
	Images []Image

	results []Image // of the running block
	spare   []Image
}

// Add adds an image and takes over the caller's reference.
func (s *Set) Add(img Image) { s.Images = append(s.Images, img) }

// Release releases all frames and empties the set.
func (s *Set) Release() {
	for i := range s.Images {
		s.Images[i].Frame.Release()
	}
	clear(s.Images)
	s.Images = s.Images[:0]
}

// Copy makes s a copy of from, with its own references. It releases the previous frames of s.
func (s *Set) Copy(from *Set) {
	for _, img := range from.Images {
		img.Frame.Retain()
	}
	s.Release()
	s.Images = append(s.Images, from.Images...)
}

// First returns the first image with a stream kind and format. AnyFormat matches all.
func (s *Set) First(kind camdriver.StreamKind, format camdriver.Format) (Image, bool) {
	i := slices.IndexFunc(s.Images, func(img Image) bool { return img.is(kind, format) })
	if i < 0 {
		return Image{}, false
	}
	return s.Images[i], true
}

// result adds a result of the running block. The set takes over the reference.
func (s *Set) result(img Image) { s.results = append(s.results, img) }

// discard releases the results of a failed block.
func (s *Set) discard() {
	for _, img := range s.results {
		img.Frame.Release()
	}
	s.results = s.results[:0]
}

// merge inserts the results at the front, as the SDK does. A result replaces an image with
// its stream and format. Depth and disparity replace each other.
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
	return a.Stream == b.Stream && a.Format == b.Format ||
		a.Format == camdriver.Z16 && b.Format == camdriver.Disparity32 ||
		a.Format == camdriver.Disparity32 && b.Format == camdriver.Z16
}
