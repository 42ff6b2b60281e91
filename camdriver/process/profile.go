package process

import (
	"fmt"
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/process/internal/lens"
)

// Profile is what the frames of one run of a stream have in common; the SDK calls
// it the stream profile. It never changes. Blocks compare profiles by identity:
// tables and history belong to one *Profile.
type Profile struct {
	camdriver.Profile
	Intrinsics camdriver.Intrinsics  // of the frames' size; Width is 0 where they are unknown
	Extrinsics *camdriver.Extrinsics // from the device's reference stream to this one; nil where unknown
	Baseline   float32               // mm between the stereo imagers; 0 where unknown
}

// derived copies p for frames of another size or format.
func (p *Profile) derived(format camdriver.Format, width, height int) *Profile {
	q := *p
	q.Format, q.Width, q.Height = format, width, height
	q.Intrinsics.Width, q.Intrinsics.Height = width, height
	if p.Intrinsics.Width == 0 {
		q.Intrinsics = camdriver.Intrinsics{}
	}
	return &q
}

// extrinsics maps points of p to q, in float32 as all arithmetic here.
func (p *Profile) extrinsics(q *Profile) (lens.Turn, error) {
	if p.Extrinsics == nil || q.Extrinsics == nil {
		return lens.Turn{}, fmt.Errorf("extrinsics from %s to %s: %w", p.Stream, q.Stream, ErrUncalibrated)
	}
	if *p.Extrinsics == *q.Extrinsics {
		return lens.NewTurn(camdriver.Identity()), nil // exactly: the product below may miss it by a bit
	}
	return lens.NewTurn(p.Extrinsics.Inverse().Then(*q.Extrinsics)), nil
}

// Image is a frame and the profile it belongs to. The frame's own Profile says the
// same of size and format.
type Image struct {
	Frame   *camdriver.Frame
	Profile *Profile
}

// is says whether the image is of a stream kind and format, AnyFormat for all.
func (i Image) is(kind camdriver.StreamKind, format camdriver.Format) bool {
	p := &i.Frame.Profile
	return p.Stream.Kind == kind && (format == camdriver.AnyFormat || p.Format == format)
}

// Rig holds the profiles of a device's running streams. Its methods may be called
// from any goroutine.
type Rig struct {
	mu       sync.Mutex
	profiles map[camdriver.StreamID]*Profile
}

// NewRig reads the profiles of all running video streams. Another start of the
// streams is another rig.
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
			for _, o := range snap.Sensors[s.Sensor].Options {
				if o.ID == camdriver.OptionStereoBaseline {
					p.Baseline = o.Value
				}
			}
		}
		r.profiles[s.Profile.Stream] = p
	}
	return r
}

// Profile is nil for streams that the rig doesn't have.
func (r *Rig) Profile(id camdriver.StreamID) *Profile {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.profiles[id]
}

// Image joins a frame and its profile; the reference stays the caller's to give
// away. A frame of an unknown stream gets a profile without calibration.
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
