package dataset

import (
	"fmt"
	"strconv"

	"rsros/camdriver"
)

// Sequence describes an Input in the manifest.
type Sequence struct {
	Recording string         `json:"recording"`
	Folder    string         `json:"folder"`
	Device    string         `json:"device,omitempty"`
	Sets      uint64         `json:"sets"`
	Clock     string         `json:"clock"`          // of the stamps
	First     int64          `json:"first_stamp_ns"` // of a set
	Last      int64          `json:"last_stamp_ns"`
	Streams   []*StreamEntry `json:"streams"`
	Motion    uint64         `json:"motion_samples"`
	// MotionClock is that of the motion samples' stamps.
	MotionClock string `json:"motion_clock,omitempty"`
	ByRate      uint64 `json:"sets_not_chosen_by_rate"`
	LeftOut     uint64 `json:"sets_left_out"` // left_out.csv lists them
	// AtEnds counts those of LeftOut that lack streams because these didn't start or stop at the same time.
	AtEnds uint64 `json:"sets_left_out_at_ends,omitempty"`
	// Back counts sets whose stamp is before that of the previous one: the clock was set back.
	Back  uint64   `json:"sets_back_in_time,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// StreamEntry describes a stream of a Sequence.
type StreamEntry struct {
	Stream     string                `json:"stream"`
	Camera     string                `json:"camera,omitempty"` // if there are several
	Place      string                `json:"place"`
	Clock      string                `json:"clock"`
	Width      int                   `json:"width"`
	Height     int                   `json:"height"`
	Rate       int                   `json:"rate_hz"`
	Intrinsics *camdriver.Intrinsics `json:"-"`
	Extrinsics *camdriver.Extrinsics `json:"-"` // from Reference to this stream
	Lens       map[string]any        `json:"intrinsics,omitempty"`
	Turn       map[string]any        `json:"extrinsics,omitempty"`
	Reference  string                `json:"reference,omitempty"`
	Depth      float64               `json:"depth_m,omitempty"` // metres per unit
	Factor     float64               `json:"depth_factor,omitempty"`
}

// describe takes the sequence's calibration from its first set.
func (s *Input) describe(one *Set) {
	s.Clock = one.Images[0].Frame.Domain.String()
	for i, img := range one.Images {
		p, f := img.Profile, img.Frame
		e := &StreamEntry{Stream: f.Stream().String(), Camera: s.CameraOf(i), Clock: f.Domain.String(), Width: f.Width,
			Height: f.Height, Rate: f.Profile.FPS,
			Extrinsics: p.Extrinsics, Reference: s.files[i].Snapshot().Reference.String()}
		if p.Intrinsics.Width > 0 {
			in := &p.Intrinsics
			e.Intrinsics = in
			e.Lens = map[string]any{"fx": in.Fx, "fy": in.Fy, "ppx": in.Ppx, "ppy": in.Ppy,
				"model": in.Model.String(), "coeffs": in.Coeffs}
		}
		if p.Extrinsics != nil {
			e.Turn = map[string]any{"rotation": p.Extrinsics.Rotation, "translation": p.Extrinsics.Translation}
		}
		if f.DepthUnits > 0 && p.Format == camdriver.Z16 {
			e.Depth = exact(f.DepthUnits)
			e.Factor = 1 / e.Depth
		}
		if e.Clock != s.Clock {
			s.Note("%s has stamps of another clock, %s, than %s, %s", e.Stream, e.Clock, s.Cameras[0], s.Clock)
		}
		s.Streams = append(s.Streams, e)
	}
}

// exact returns the shortest decimal number that rounds to a float32.
func exact(v float32) float64 {
	d, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	return d
}

// Inform adds a note to the manifest.
func (s *Input) Inform(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// Note adds a note to the manifest, and logs it as a warning.
func (s *Input) Note(format string, args ...any) {
	s.Inform(format, args...)
	s.Options.Log.Warn().Str("recording", s.Recording).Msg(s.Notes[len(s.Notes)-1])
}
