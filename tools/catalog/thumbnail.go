package catalog

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/tools/export"
)

// thumbnailWidth is roughly the largest width of a thumbnail, in pixels.
const thumbnailWidth = 160

// ThumbnailImage returns a thumbnail from the middle of a recording, nil if there is none.
func ThumbnailImage(bag *bagstore.Recording) image.Image {
	f, err := rsbag.Open(bag.Path(), rsbag.Options{Bag: bag, First: true})
	if errors.Is(err, rsbag.ErrNoRecording) {
		return ofTopics(bag)
	}
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // it was only read
	var best camdriver.StreamID
	for _, s := range f.Streams() {
		if id := s.Profile.Stream; id.Kind == camdriver.Color || best.Kind == camdriver.AnyStream && id.Kind.Video() {
			best = id
		}
	}
	for _, at := range []time.Duration{f.Duration() / 2, f.Duration()} {
		if e, err := f.Last(best, at); err == nil {
			defer e.Frame.Release()
			return ofFrame(e.Frame)
		}
	}
	return nil
}

// ofFrame returns a thumbnail of a frame, nil if its format isn't one that can be shown simply.
func ofFrame(f *camdriver.Frame) image.Image {
	p := export.FrameImage(f)
	if f.Profile.Format == camdriver.Z16 {
		p.Encoding = "16UC1" // distances, not brightness
	}
	if p.Check() != nil {
		return nil
	}
	out, _, err := smaller(p)
	if err != nil {
		return nil
	}
	return out
}

// nearness returns a brightness for a depth in millimetres: near is light, unknown is black.
func nearness(depth uint16) uint8 {
	const farthest = 6000
	if depth == 0 {
		return 0
	}
	return uint8(255 - 215*min(int(depth), farthest)/farthest)
}

// Thumbnail returns Of as a JPEG, nil if there is no image.
func Thumbnail(bag *bagstore.Recording) []byte {
	img := ThumbnailImage(bag)
	if img == nil {
		return nil
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 80}); err != nil {
		return nil
	}
	return b.Bytes()
}
