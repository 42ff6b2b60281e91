package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rsros/bagstore/realsense/rssets"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
	"rsros/program"
	"rsros/tools/export"
)

// Set is frames of one moment: one of each camera, in the sequence's order.
type Set struct {
	Number int // from 0
	At     time.Duration
	Images []process.Image
	Stamps []int64 // ns
}

// stamp returns a frame's stamp in nanoseconds.
func stamp(f *camdriver.Frame) int64 { return int64(msgs.FromMillis(f.Timestamp)) }

// scan reads an Input from start to end. Its fields are what earlier sets say about the next one.
type scan struct {
	*Input
	to       Writer
	profiles []*process.Profile // of cameras; nil before the first set
	used     []stampSet         // of cameras: names of images; nil if stamps don't name them
	ticks    ticks
	at       time.Duration // of the newest set
	half     uint64        // sets since the last one that has all streams
	since    time.Duration // of the first of them
}

func (s *Input) run(f Form) error {
	w, err := f.Open(s)
	if err != nil {
		return err
	}
	r := scan{Input: s, to: w, ticks: ticks{rate: s.Options.Rate}}
	if f.Stamped {
		r.used = make([]stampSet, len(s.Cameras))
	}
	return r.run()
}

func (s *scan) run() error {
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
		err := s.entry(e)
		e.Release()
		if err != nil {
			return err
		}
	}
	if s.Sets == 0 {
		return fmt.Errorf("%s: no set of %s is complete", s.Recording, streamNames(s.Cameras))
	}
	if s.endHalves(); s.AtEnds > 0 {
		s.Inform("%s at the ends, where streams start and stop one after the other, were left out",
			program.Count(s.AtEnds, "half set"))
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
	if err := s.to.Finish(); err != nil {
		return err
	}
	return s.Out.sync()
}

func (s *scan) entry(e *rssets.Entry) error {
	if err := s.pace.Steps(uint64(max(1, len(e.Set.Images)))); err != nil {
		return err
	}
	switch kind := e.Frame.Stream().Kind; {
	case len(e.Set.Images) > 0:
		return s.set(e)
	case kind.Inertial():
		if clock := e.Frame.Domain.String(); s.Motion == 0 {
			s.MotionClock = clock
		}
		s.Motion++
		return s.to.Motion(stamp(e.Frame), e.Frame)
	case kind == camdriver.Pose && s.truth == truth{}:
		t, r := poseOf(e.Frame)
		return s.to.Place(stamp(e.Frame), t, r)
	}
	return nil
}

// set writes a set that is complete, chosen and like the ones before it.
func (s *scan) set(e *rssets.Entry) error {
	s.at = e.At
	if missing := lacking(&e.Set, s.Cameras[:s.own]); len(missing) > 0 {
		if s.half++; s.half == 1 {
			s.since = e.At
		}
		return s.leave(e, "lacks "+streamNames(missing))
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
			s.profiles = append(s.profiles, img.Profile)
		}
		s.describe(one)
	}
	for i, img := range one.Images {
		if err := export.FrameImage(img.Frame).Check(); err != nil {
			return s.leave(e, fmt.Sprintf("%s: %v", s.Cameras[i], err))
		}
		if !s.fits(i, img) {
			return s.leave(e, s.Cameras[i].String()+
				" has another size, format, calibration, clock or depth unit than in the first set")
		}
		if s.used != nil && s.used[i].has(one.Stamps[i]) {
			return s.leave(e, s.Cameras[i].String()+" has the stamp of an earlier image")
		}
	}
	if s.Sets == 0 {
		s.First = one.Stamps[0]
	}
	err := s.to.Set(one)
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

func lacking(from *process.Set, streams []camdriver.StreamID) (list []camdriver.StreamID) {
	for _, id := range streams {
		if _, ok := find(from, id); !ok {
			list = append(list, id)
		}
	}
	return list
}

func streamNames(ids []camdriver.StreamID) string {
	var names []string
	for _, id := range ids {
		names = append(names, id.String())
	}
	return strings.Join(names, ", ")
}

// fits reports whether an image is like its stream's first one.
func (s *scan) fits(i int, img process.Image) bool {
	p, q, e := img.Profile, s.profiles[i], s.Streams[i]
	sameDepth := e.Depth == 0 || exact(img.Frame.DepthUnits) == e.Depth
	sameLens := p == q || p.Intrinsics == q.Intrinsics && (p.Extrinsics == q.Extrinsics ||
		p.Extrinsics != nil && q.Extrinsics != nil && *p.Extrinsics == *q.Extrinsics)
	return sameDepth && sameLens && p.Format == q.Format && img.Frame.Width == e.Width && img.Frame.Height == e.Height &&
		img.Frame.Domain.String() == e.Clock
}

// maxApart is how far apart the streams of a recording may start, or stop, without a loss.
const maxApart = time.Second

// endHalves counts the half sets at the start or the end.
func (s *scan) endHalves() {
	if s.at-s.since <= maxApart {
		s.AtEnds += s.half
	}
}

func (s *scan) leave(e *rssets.Entry, why string) error {
	s.LeftOut++
	return s.leftOut.Printf("%d,%d,%q\n", int64(e.At), stamp(e.Frame), why)
}
