package process

import (
	"fmt"
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/process/internal/lens"
)

// Profile is the immutable profile of one run of a stream. Blocks compare profiles by
// identity: tables and history belong to one *Profile.
type Profile struct {
	camdriver.Profile
	Intrinsics camdriver.Intrinsics  // for the frames' size; Width is 0 if unknown
	Extrinsics *camdriver.Extrinsics // from the device's reference stream to this one; nil if unknown
	Baseline   float32               // mm between the stereo imagers; 0 if unknown
}

// derived returns a copy of p for frames of another size or format.
func (p *Profile) derived(format camdriver.Format, width, height int) *Profile {
	q := *p
	q.Format, q.Width, q.Height = format, width, height
	q.Intrinsics.Width, q.Intrinsics.Height = width, height
	if p.Intrinsics.Width == 0 {
		q.Intrinsics = camdriver.Intrinsics{}
	}
	return &q
}

// extrinsics returns the map from p to q.
func (p *Profile) extrinsics(q *Profile) (lens.Transform, error) {
	if p.Extrinsics == nil || q.Extrinsics == nil {
		return lens.Transform{}, fmt.Errorf("extrinsics from %s to %s: %w", p.Stream, q.Stream, ErrUncalibrated)
	}
	if *p.Extrinsics == *q.Extrinsics {
		return lens.NewTransform(camdriver.Identity()), nil // the product below may have rounding errors
	}
	return lens.NewTransform(p.Extrinsics.Inverse().Then(*q.Extrinsics)), nil
}

// Image is a frame and its profile, which has the same size and format as the frame's own Profile.
type Image struct {
	Frame   *camdriver.Frame
	Profile *Profile
}

// is reports whether the image has a stream kind and format. AnyFormat matches all.
func (i Image) is(kind camdriver.StreamKind, format camdriver.Format) bool {
	p := &i.Frame.Profile
	return p.Stream.Kind == kind && (format == camdriver.AnyFormat || p.Format == format)
}

// drop releases the frame, if there is one, and clears the image.
func (i *Image) drop() {
	if i.Frame != nil {
		i.Frame.Release()
	}
	*i = Image{}
}

// Rig is the profiles of a device's running streams. It is safe for concurrent use.
type Rig struct {
	mu       sync.Mutex
	profiles map[camdriver.StreamID]*Profile
}

// NewRig returns the profiles of all running video streams. Use a new rig when streams are restarted.
func NewRig(snap camdriver.DeviceSnapshot) *Rig {
	r := &Rig{profiles: make(map[camdriver.StreamID]*Profile)}
	for _, s := range snap.Streams {
		if !s.Profile.Stream.Kind.Video() {
			continue
		}
		p := &Profile{Profile: s.Profile, Extrinsics: s.Extrinsic}
		if s.Video != nil {
			p.Intrinsics = *s.Video
		}
		if s.Sensor >= 0 && s.Sensor < len(snap.Sensors) {
			o, _ := camdriver.FindOption(snap.Sensors[s.Sensor].Options, camdriver.OptionStereoBaseline)
			p.Baseline = o.Value
		}
		r.profiles[s.Profile.Stream] = p
	}
	return r
}

// Profile returns the profile of a stream, or nil.
func (r *Rig) Profile(id camdriver.StreamID) *Profile {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.profiles[id]
}

// Image returns a frame with its profile. It doesn't retain the frame. A frame of an
// unknown stream gets a profile without calibration.
func (r *Rig) Image(f *camdriver.Frame) Image {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.profiles[f.Stream()]
	if p == nil {
		p = &Profile{Profile: f.Profile}
		r.profiles[f.Stream()] = p
	}
	return Image{f, p}
}
