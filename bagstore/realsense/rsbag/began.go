package rsbag

import (
	"cmp"
	"slices"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
)

// Began returns file time 0 on the time line of the recording: that of the first stamp with a date. Stamps of the
// camera's own clock have none; then it is the recorder's Start, or the host's time of the first frame. It is 0 if
// there is neither. A result that isn't Absolute is of a source whose system time had no date.
func (f *File) Began() bagstore.Time {
	at, dated := f.dated()
	if dated {
		return at
	}
	if start, ok := f.Start(); ok {
		at = bagstore.TimeOf(start)
	} else if e, ok := f.FirstStamp(true); ok {
		if arrived := bagstore.TimeOf(e.Frame.Arrival); arrived.Absolute() {
			at = arrived - bagstore.Time(e.Time)
		}
		e.Frame.Release()
	}
	return f.possible(at)
}

// dated is Began by the first stamp with a date, if there is one.
func (f *File) dated() (at bagstore.Time, ok bool) {
	e, ok := f.FirstStamp(false)
	if !ok {
		return 0, false
	}
	defer e.Frame.Release()
	return f.possible(bagstore.Time(msgs.FromMillis(e.Frame.Timestamp)) - bagstore.Time(e.Time)), true
}

// possible returns 0 for a time from which a bag can't hold all times of the recording.
func (f *File) possible(at bagstore.Time) bagstore.Time {
	if at < 0 || at > bagstore.MaxTime-f.end {
		return 0
	}
	return at
}

// FirstStamp returns the first frame of those whose stamps are of the camera's own clock, or of the others, by the
// first frames of all streams. The caller releases it.
func (f *File) FirstStamp(camera bool) (Event, bool) {
	c := f.cursor(CursorOptions{FramesOnly: true, SystemTimes: true}, f.instant(f.first))
	defer c.Close()
	for e, ok := c.Next(); ok; e, ok = c.Next() { // usually enough
		if (e.Frame.Domain == camdriver.HardwareClock) == camera {
			e.Frame.Retain()
			return e, true
		}
	}
	list := f.Streams()
	slices.SortStableFunc(list, func(a, b StreamSummary) int { return cmp.Compare(a.First, b.First) })
	for _, s := range list {
		e, err := f.First(s.Profile.Stream)
		if err != nil {
			continue
		}
		if (e.Frame.Domain == camdriver.HardwareClock) == camera {
			return e, true
		}
		e.Frame.Release()
	}
	return Event{}, false
}

// TimeLine relates the times in a bag to the stamps of its frames.
type TimeLine struct {
	Offset    bagstore.Time          // what the times in the bag lack to be on the line
	Unstamped []*bagstore.Connection // those whose headers have the times in the bag instead of stamps
}

// TimeLineOf returns the time line of Began, of the first device that has one. It is the zero TimeLine for a bag
// without topics of the layout, if the times in the bag have dates, and if the line isn't known.
func TimeLineOf(bag *bagstore.Recording) (line TimeLine) {
	list := devices(bag)
	for _, device := range list {
		f, began, err := briefly(bag, device, list)
		// Some times wrapped below zero, or all have dates.
		if err != nil || len(f.segments) > 1 || f.segments[0].lo >= epochTimes {
			continue
		}
		if began > 0 {
			line.Offset = began + f.segments[0].shift
			for _, c := range bag.Connections() {
				if f.textual && f.topics[c.ID].IsFrame() {
					line.Unstamped = append(line.Unstamped, c)
				}
			}
			return line
		}
	}
	return line
}

// briefly returns a File that can read frames, and its Began. Without a stamp that has a date, it has the whole
// description, because Start is there.
func briefly(bag *bagstore.Recording, c Camera, all []Camera) (*File, bagstore.Time, error) {
	f, err := find(bag, c, all)
	if err != nil {
		return nil, 0, err
	}
	d := newDescription(f)
	d.connections()
	f.findTimes()
	for _, s := range d.streams {
		f.streams = append(f.streams, s)
	}
	if began, ok := f.dated(); ok {
		return f, began, nil
	}
	if f, err = describe(bag, c, all); err != nil {
		return nil, 0, err
	}
	return f, f.Began(), nil
}
