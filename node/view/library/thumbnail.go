package library

import (
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"net/http"
	"strings"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/node/view/encode"
)

// thumbnailWidth is the width that a thumbnail has at most, roughly.
const thumbnailWidth = 160

// serveThumbnail sends a small picture from the middle of a recording, or nothing (204) if
// it has none: a list without pictures is no error.
func (f *Folder) serveThumbnail(w http.ResponseWriter, r *http.Request, name string) {
	file, err := f.Path(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	var picture image.Image
	if err := f.alone(r.Context(), func() { picture = thumbnail(file) }); err != nil {
		http.Error(w, "the thumbnail was not made in time", http.StatusServiceUnavailable)
		return
	}
	if picture == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "private, max-age=60")
	png.Encode(w, picture) //nolint:errcheck // the viewer has gone
}

// thumbnail returns a small picture of a recording, nil if there is none.
func thumbnail(path string) image.Image {
	f, err := rsbag.Open(path, rsbag.Options{})
	if errors.Is(err, rsbag.ErrNoRecording) {
		return topicThumbnail(path)
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
		if e, err := f.Last(best, at, time.Time{}); err == nil {
			defer e.Frame.Release()
			return small(e.Frame)
		}
	}
	return nil
}

// encodings maps encodings of sensor_msgs/Image to formats with the same pixels.
var encodings = map[camdriver.Format]string{
	camdriver.RGB8: "rgb8", camdriver.RGBA8: "rgba8", camdriver.BGR8: "bgr8", camdriver.BGRA8: "bgra8",
	camdriver.Y8: "mono8", camdriver.RAW8: "mono8", camdriver.YUYV: "yuyv", camdriver.Z16: "16UC1",
}

// small returns a frame as a picture of about thumbnailWidth; nil if its format isn't one
// that can be shown simply.
func small(f *camdriver.Frame) image.Image {
	show, ok := pixels[encodings[f.Profile.Format]]
	if !ok || f.Width <= 0 || f.Stride <= 0 || f.Height <= 0 || len(f.Data) < f.Stride*f.Height {
		return nil
	}
	n := max(1, f.Width/thumbnailWidth)
	b := new(encode.Memory).Shrink(encode.Body{Width: f.Width, Height: f.Height, Stride: f.Stride, Data: f.Data}, f.Profile.Format, n)
	if b.Stride < b.Width*show.size {
		return nil
	}
	return drawn(b.Width, b.Height, show.of(b.Data, b.Stride, binary.LittleEndian))
}

// nearness is a brightness for a depth in millimetres: near is light, unknown is black.
func nearness(depth uint16) uint8 {
	const farthest = 6000
	if depth == 0 {
		return 0
	}
	return uint8(255 - 215*min(int(depth), farthest)/farthest)
}

// thumbnailOf splits the path of a thumbnail into the recording's name.
func thumbnailOf(path string) (name string, ok bool) {
	return strings.CutSuffix(path, "/thumbnail.png")
}
