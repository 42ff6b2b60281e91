package dataset

import (
	"fmt"
	"slices"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rssets"
	"rsros/camdriver"
	"rsros/camdriver/process"
)

// follower reads a further camera of a sequence. A set of the first camera has the frames of this one's set that is
// nearest in time: by the stamps if both cameras' have a date, otherwise by the times of recording.
type follower struct {
	s            *Input
	file         *rsbag.File
	streams      []camdriver.StreamID
	reader       *rssets.Reader
	chain        process.Chain
	end          time.Duration
	before, next *followed // around the set that was asked for last; nil if there is none
	damaged      uint64
	farthest     time.Duration // from the first camera's
	stamps       bool          // farthest is of stamps
}

// followed is a set that has all streams.
type followed struct {
	*rssets.Entry
	processed bool
}

// follow adds the further cameras of a recording to the sequence.
func (s *Input) follow(files []*rsbag.File, f Form) error {
	for _, file := range files {
		w := &follower{s: s, file: file}
		w.streams = f.Cameras(selected(s.Filter, file))
		if len(w.streams) == 0 {
			s.Note("camera %s is left out: %s needs %s", file.Camera().Name, f.Name, f.Need)
			s.without = append(s.without, file.Camera().Name)
			continue
		}
		for _, st := range file.Streams() {
			if id := st.Profile.Stream; id.Kind.Inertial() && st.Frames > 0 && selected(s.Filter, file)(id) {
				s.Note("%s of camera %s is left out: a sequence has the motion samples of its first camera, %s", id,
					file.Camera().Name, s.File.Camera().Name)
			}
		}
		var err error
		if s.Options.Chain != nil {
			if w.chain, err = s.Options.Chain(s.res); err != nil {
				return err
			}
		}
		wanted := func(id camdriver.StreamID) bool { return slices.Contains(w.streams, id) }
		w.reader = rssets.NewReader(file, rssets.Options{Streams: wanted, Rig: process.NewRig(file.Snapshot()), Match: true})
		var start time.Duration
		start, w.end = file.FileTimes(s.Filter)
		w.reader.Seek(max(0, start-time.Second))
		w.advance()
		s.others = append(s.others, w)
		for _, id := range w.streams {
			s.Cameras, s.files = append(s.Cameras, id), append(s.files, file)
		}
	}
	return nil
}

func (w *follower) close() {
	w.before.release()
	w.next.release()
	w.chain.Reset()
	w.reader.Close()
}

func (f *followed) release() {
	if f != nil {
		f.Release()
	}
}

// advance reads the next set that has all streams.
func (w *follower) advance() {
	w.before.release()
	w.before, w.next = w.next, nil
	for {
		e, ok := w.reader.Next()
		if n, _ := w.reader.Damaged(); !ok && n > w.damaged {
			w.damaged = n
			continue
		}
		if !ok || e.At-time.Second > w.end {
			if ok {
				e.Release()
			}
			return
		}
		if lacking(&e.Set, w.streams) == nil {
			w.next = &followed{Entry: e}
			return
		}
		e.Release()
	}
}

// nearest returns the images at the time of a set of the first camera, or why there are none.
func (w *follower) nearest(to *process.Image, at time.Duration) (images []process.Image, why string, err error) {
	stamps := to.Frame.Domain != camdriver.HardwareClock && w.any() != nil &&
		w.any().Frame.Domain != camdriver.HardwareClock
	wanted := int64(w.s.File.Shift()) + int64(at)
	if stamps {
		wanted = stamp(to.Frame)
	}
	when := func(f *followed) int64 {
		if !stamps {
			return int64(w.file.Shift()) + int64(f.At)
		}
		img, _ := find(&f.Set, w.streams[0])
		return stamp(img.Frame)
	}
	for w.next != nil && when(w.next) <= wanted {
		w.advance()
	}
	best, off := w.before, time.Duration(0)
	if w.before != nil {
		off = time.Duration(wanted - when(w.before))
	}
	if w.next != nil && (best == nil || time.Duration(when(w.next)-wanted) < off) {
		best, off = w.next, time.Duration(when(w.next)-wanted)
	}
	name := w.file.Camera().Name
	if best == nil {
		return nil, "there is no set of " + name, nil
	}
	first, _ := find(&best.Set, w.streams[0])
	slower := min(to.Frame.Profile.FPS, first.Frame.Profile.FPS)
	if slower > 0 && off > 3*time.Second/4/time.Duration(slower) {
		return nil, fmt.Sprintf("the nearest set of %s is %v away", name, off), nil
	}
	w.farthest, w.stamps = max(w.farthest, off), stamps
	if !best.processed {
		best.processed = true
		if err := w.chain.Process(&best.Set); err != nil {
			return nil, "", err
		}
	}
	for _, id := range w.streams {
		img, ok := find(&best.Set, id)
		if !ok {
			return nil, "", fmt.Errorf("the filters leave no image of %s of %s that the data set can have", id, name)
		}
		images = append(images, img)
	}
	return images, "", nil
}

// any returns a set that was read.
func (w *follower) any() *followed {
	if w.next != nil {
		return w.next
	}
	return w.before
}

// note says how the camera's sets were matched.
func (w *follower) note() {
	by := "the times of recording, since their stamps aren't of one clock"
	if w.stamps {
		by = "their stamps"
	}
	w.s.Inform("frames of %s are those nearest to %s's, at most %v away by %s", w.file.Camera().Name,
		w.s.File.Camera().Name, w.farthest, by)
	w.s.Damaged += w.damaged
}
