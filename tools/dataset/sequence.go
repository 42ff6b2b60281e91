package dataset

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rssets"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/program"
	"rsros/tools/export"
)

// Input is a recording that becomes a part of a data set.
type Input struct {
	*Sequence
	Options  Options
	Out      *Folder
	File     *rsbag.File
	Filter   bagstore.Filter
	snap     camdriver.DeviceSnapshot
	Cameras  []camdriver.StreamID
	own      int         // of Cameras: those of File's camera
	names    []string    // of the camera of each of Cameras; nil: there is one camera
	others   []*follower // further cameras
	without  []string    // further cameras that lack what the form needs
	res      *process.Resources
	profiles []*process.Profile // of cameras; nil before the first set
	used     []stampSet         // of cameras: names of images; nil if stamps don't name them
	chain    process.Chain
	truth    truth
	leftOut  *export.Table
	at       time.Duration // of the newest set
	half     uint64        // sets since the last one that has all streams
	since    time.Duration // of the first of them
	ticks    ticks
	Damaged  uint64 // messages
	pace     bagstore.Pace
}

// Sequence describes it in the manifest.
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

// Set is frames of one moment: one of each camera, in the sequence's order.
type Set struct {
	Number int // from 0
	At     time.Duration
	Images []process.Image
	Stamps []int64 // ns
}

// stamp returns a frame's stamp in nanoseconds.
func stamp(f *camdriver.Frame) int64 { return int64(msgs.FromMillis(f.Timestamp)) }

// memory bounds the frames that are being processed.
const memory = 128 << 20

// Context is that of the run.
func (s *Input) Context() context.Context { return s.pace.Ctx }

// run reads the recording and writes the sequence.
func (s *Input) run(f Form) error {
	if f.Stamped {
		s.used = make([]stampSet, len(s.Cameras))
	}
	w, err := f.Open(s)
	if err != nil {
		return err
	}
	taken := selected(s.Filter, s.File)
	wanted := func(id camdriver.StreamID) bool {
		return slices.Contains(s.Cameras[:s.own], id) || !id.Kind.Video() && taken(id)
	}
	for _, st := range s.File.Streams() {
		if wanted(st.Profile.Stream) {
			s.pace.Total += st.Frames
		}
	}
	r := rssets.NewReader(s.File, rssets.Options{Streams: wanted, Rig: process.NewRig(s.snap), Match: true})
	defer r.Close()
	start, end := s.File.FileTimes(s.Filter)
	r.Seek(start)
	for {
		e, ok := r.Next()
		if !ok {
			n, why := r.Damaged()
			if n == s.Damaged {
				break
			}
			s.Options.Log.Warn().Uint64("messages", n).Err(why).Msg("damaged messages were left out")
			s.Damaged = n
			continue
		}
		if e.At > end {
			e.Release()
			break
		}
		err := s.entry(e, w)
		e.Release()
		if err != nil {
			return err
		}
	}
	if s.Sets == 0 {
		return fmt.Errorf("%s: no set of %s is complete", s.Recording, s.streamNames(s.Cameras))
	}
	if s.endHalves(); s.AtEnds > 0 {
		s.Inform("%s at the ends, where streams start and stop one after the other, were left out", program.Count(s.AtEnds, "half set"))
		s.Options.Log.Info().Str("recording", s.Recording).Msg(s.Notes[len(s.Notes)-1])
	}
	if s.Back > 0 {
		s.Note("stamps of %s go back %d times: its clock was set back", s.Cameras[0], s.Back)
	}
	if s.Motion > 0 && s.MotionClock != s.Clock {
		s.Note("motion samples have stamps of another clock, %s, than %s, %s", s.MotionClock, s.Cameras[0], s.Clock)
	}
	for _, other := range s.others {
		other.note()
	}
	if err := w.Finish(); err != nil {
		return err
	}
	return s.Out.sync()
}

func (s *Input) entry(e *rssets.Entry, w Writer) error {
	if err := s.pace.Steps(uint64(max(1, len(e.Set.Images)))); err != nil {
		return err
	}
	switch kind := e.Frame.Stream().Kind; {
	case len(e.Set.Images) > 0:
		return s.set(e, w)
	case kind.Inertial():
		if clock := e.Frame.Domain.String(); s.Motion == 0 {
			s.MotionClock = clock
		}
		s.Motion++
		return w.Motion(stamp(e.Frame), e.Frame)
	case kind == camdriver.Pose && s.truth == truth{}:
		t, r := poseOf(e.Frame)
		return w.Place(stamp(e.Frame), t, r)
	}
	return nil
}

// set writes a set that is complete, chosen and like the ones before it.
func (s *Input) set(e *rssets.Entry, w Writer) error {
	s.at = e.At
	if missing := s.lacking(&e.Set, s.Cameras[:s.own]); len(missing) > 0 {
		if s.half++; s.half == 1 {
			s.since = e.At
		}
		return s.leave(e, "lacks "+s.streamNames(missing))
	}
	if s.profiles == nil { // the first that has all streams
		s.endHalves()
	}
	s.half = 0
	first, _ := find(&e.Set, s.Cameras[0])
	if !s.ticks.take(stamp(first.Frame), first.Frame.Profile.FPS) {
		s.ByRate++
		return nil
	}
	if err := s.chain.Process(&e.Set); err != nil {
		return err
	}
	one := &Set{Number: int(s.Sets), At: e.At}
	for _, id := range s.Cameras[:s.own] {
		img, ok := find(&e.Set, id)
		if !ok {
			return fmt.Errorf("the filters leave no image of %s that the data set can have", id)
		}
		one.Images, one.Stamps = append(one.Images, img), append(one.Stamps, stamp(img.Frame))
	}
	for _, w := range s.others {
		images, why, err := w.nearest(&one.Images[0], e.At)
		if err != nil {
			return err
		}
		if why != "" {
			return s.leave(e, why)
		}
		for _, img := range images {
			one.Images, one.Stamps = append(one.Images, img), append(one.Stamps, stamp(img.Frame))
		}
	}
	if s.profiles == nil {
		for _, img := range one.Images {
			if p := export.FrameImage(img.Frame); p.Ext() != ".png" {
				return fmt.Errorf("%s: images of %s are %s, which PNG can't hold", s.Recording, img.Frame.Stream(), p.Encoding)
			}
		}
		s.describe(one)
	}
	for i, img := range one.Images {
		if err := export.FrameImage(img.Frame).Check(); err != nil {
			return s.leave(e, fmt.Sprintf("%s: %v", s.Cameras[i], err))
		}
		if !s.fits(i, img) {
			return s.leave(e, s.Cameras[i].String()+" has another size, format, calibration, clock or depth unit than in the first set")
		}
		if s.used != nil && s.used[i].has(one.Stamps[i]) {
			return s.leave(e, s.Cameras[i].String()+" has the stamp of an earlier image")
		}
	}
	if s.Sets == 0 {
		s.First = one.Stamps[0]
	}
	err := w.Set(one)
	if why, ok := errors.AsType[LeaveOut](err); ok {
		return s.leave(e, string(why))
	}
	for i := range s.used {
		s.used[i].add(one.Stamps[i])
	}
	if s.Sets > 0 && one.Stamps[0] < s.Last {
		s.Back++
	}
	s.Sets, s.Last = s.Sets+1, one.Stamps[0]
	return err
}

// stampSet has stamps in order, 8 bytes for each.
type stampSet []int64

func (s stampSet) has(stamp int64) bool {
	if len(s) == 0 || stamp > s[len(s)-1] {
		return false
	}
	_, found := slices.BinarySearch(s, stamp)
	return found
}

func (s *stampSet) add(stamp int64) {
	i, _ := slices.BinarySearch(*s, stamp)
	*s = slices.Insert(*s, i, stamp)
}

// find returns a stream's image: of depth, the one in units.
func find(from *process.Set, id camdriver.StreamID) (process.Image, bool) {
	i := slices.IndexFunc(from.Images, func(img process.Image) bool {
		f := img.Frame
		return f.Stream() == id && (id.Kind == camdriver.Depth) == (f.Profile.Format == camdriver.Z16)
	})
	if i < 0 {
		return process.Image{}, false
	}
	return from.Images[i], true
}

// lacking returns the streams that a set lacks.
func (s *Input) lacking(from *process.Set, streams []camdriver.StreamID) (list []camdriver.StreamID) {
	for _, id := range streams {
		if _, ok := find(from, id); !ok {
			list = append(list, id)
		}
	}
	return list
}

func (s *Input) streamNames(ids []camdriver.StreamID) string {
	var names []string
	for _, id := range ids {
		names = append(names, id.String())
	}
	return strings.Join(names, ", ")
}

// describe takes the sequence's calibration from its first set.
func (s *Input) describe(one *Set) {
	s.Clock = one.Images[0].Frame.Domain.String()
	for i, img := range one.Images {
		p, f := img.Profile, img.Frame
		s.profiles = append(s.profiles, p)
		e := &StreamEntry{Stream: f.Stream().String(), Camera: s.CameraOf(i), Clock: f.Domain.String(), Width: f.Width, Height: f.Height, Rate: f.Profile.FPS,
			Extrinsics: p.Extrinsics, Reference: s.snapOf(i).Reference.String()}
		if p.Intrinsics.Width > 0 {
			in := &p.Intrinsics
			e.Intrinsics = in
			e.Lens = map[string]any{"fx": in.Fx, "fy": in.Fy, "ppx": in.Ppx, "ppy": in.Ppy, "model": in.Model.String(), "coeffs": in.Coeffs}
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

// fits reports whether an image is like its stream's first one.
func (s *Input) fits(i int, img process.Image) bool {
	p, q, e := img.Profile, s.profiles[i], s.Streams[i]
	sameDepth := e.Depth == 0 || exact(img.Frame.DepthUnits) == e.Depth
	sameLens := p == q || p.Intrinsics == q.Intrinsics && (p.Extrinsics == q.Extrinsics ||
		p.Extrinsics != nil && q.Extrinsics != nil && *p.Extrinsics == *q.Extrinsics)
	return sameDepth && sameLens && p.Format == q.Format && img.Frame.Width == e.Width && img.Frame.Height == e.Height && img.Frame.Domain.String() == e.Clock
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

// maxApart is how far apart the streams of a recording may start, or stop, without a loss.
const maxApart = time.Second

// endHalves counts the half sets at the start or the end.
func (s *Input) endHalves() {
	if s.at-s.since <= maxApart {
		s.AtEnds += s.half
	}
}

// leave lists a set that is left out.
func (s *Input) leave(e *rssets.Entry, why string) error {
	s.LeftOut++
	return s.leftOut.Printf("%d,%d,%q\n", int64(e.At), stamp(e.Frame), why)
}

// lost returns what the sequence doesn't have of the recording.
func (s *Input) lost() (lost []string) {
	if s.Damaged > 0 {
		lost = append(lost, fmt.Sprintf("%s: %d messages are damaged", s.Recording, s.Damaged))
	}
	for _, n := range append(slices.Clone(s.File.Bag().Notes()), s.File.Bag().Found()...) {
		if n.Severity == bagstore.Loss {
			lost = append(lost, fmt.Sprintf("%s: %s", s.Recording, n.Text))
		}
	}
	for _, name := range s.without {
		lost = append(lost, fmt.Sprintf("%s: camera %s lacks what the data set needs", s.Recording, name))
	}
	if n := s.LeftOut - s.AtEnds; n > 0 {
		lost = append(lost, fmt.Sprintf("%s: %d of %d sets were left out, see %s", s.Recording, n, s.LeftOut+s.Sets+s.ByRate, s.name("left_out.csv")))
	}
	return lost
}

// name returns a file's name below the data set's folder.
func (s *Input) name(file string) string { return path.Join(s.Folder, file) }

func (s *Input) table(file, head string) *export.Table { return s.Out.Table(s.name(file), head) }

func (s *Input) text(file, text string) error { return s.Out.Text(s.name(file), []byte(text)) }

func (s *Input) image(file string, img process.Image) error {
	return s.Out.image(s.name(file), img.Frame)
}
