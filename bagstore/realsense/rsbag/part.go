package rsbag

import (
	"context"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
)

// InPart reports whether a recording that was opened with [bagstore.OpenOptions.Part] can be described by what it lists
// before it is narrowed: everything that describes the device, and all messages of other connections for which whole
// returns true, are at the time of the description, by the counts of the metadata.
func InPart(ctx context.Context, bag *bagstore.Bag, whole func(*bagstore.Connection) bool) bool {
	counts := bag.Counts()
	return counts != nil && inPart(ctx, bag, func(c *bagstore.Connection, t rslayout.Topic, static uint64) bool {
		n := counts[c.ID]
		return !((describes(t) || whole(c)) && static < n || t.Kind == rslayout.TopicOptionValue && n > 0 && static == 0)
	})
}

// InMotionPart is InPart for inertial samples alone, which no option changes. librealsense's .db3 files count nothing; what
// describes the device is at the time of the description if any of it is.
func InMotionPart(ctx context.Context, bag *bagstore.Bag) bool {
	return inPart(ctx, bag, func(_ *bagstore.Connection, t rslayout.Topic, static uint64) bool {
		return t.Kind != rslayout.TopicFileVersion && t.Kind != rslayout.TopicStreamInfo || static > 0
	})
}

// inPart calls fits for each connection, with the number of its messages at the time of the description.
func inPart(ctx context.Context, bag *bagstore.Bag, fits func(c *bagstore.Connection, t rslayout.Topic, static uint64) bool) bool {
	list := Devices(bag)
	if len(list) == 0 {
		return false
	}
	static := make(map[uint32]uint64)
	for m, err := range bag.View(bagstore.Query{End: staticTime}).Index() {
		if err != nil {
			return false
		}
		static[m.Conn.ID]++
	}
	var frames []uint32
	for _, c := range bag.Connections() {
		t := rslayout.ParseTopicOf(list[0], c.Topic)
		if !fits(c, t, static[c.ID]) {
			return false
		}
		if t.IsFrame() {
			frames = append(frames, c.ID)
		}
	}
	f := &File{bag: bag}
	first := f.viewOf(frames).Start()
	if first == 0 || first >= wrapPoint-wrapRange {
		return first > 0
	}
	// Times that wrapped come before others that don't look like it.
	low, high := wrapPoint-wrapRange, wrapPoint+wrapSlack
	if bag.NarrowTo(ctx, bagstore.Part{Start: low, End: high}) != nil {
		return false
	}
	return bag.View(bagstore.Query{Start: low, End: high}).Start() == 0
}

// margin is how far around a part frames are listed: those of a set have different times.
const margin = 2 * time.Second

// Narrow makes a File of a bag that was opened for a part read the frames that a filter selects. The description is that of
// the whole recording, except that Duration is until the last frame that is listed.
func (f *File) Narrow(ctx context.Context, filter bagstore.Filter) error {
	if !f.bag.Partial() {
		return nil
	}
	var part bagstore.Part
	if filter.Start > 0 {
		part.Start = filter.Start.Add(-margin)
	}
	if filter.End > 0 {
		part.End = filter.End.Add(margin)
	}
	for key, conns := range f.options {
		if key.id == camdriver.OptionDepthUnits {
			part.Last = append(part.Last, conns...)
		}
	}
	return f.bag.NarrowTo(ctx, part)
}
