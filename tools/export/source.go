package export

import (
	"cmp"
	"context"
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/tools/bagset"
)

// source is a recording that is exported. It is for one goroutine.
type source struct {
	o      Options
	bag    *bagstore.Recording
	filter bagstore.Filter
	walk   bagset.Walk
	bad    int // messages that can be read but not exported
}

func newSource(ctx context.Context, bag *bagstore.Recording, filter bagstore.Filter, o Options) source {
	return source{o: o, bag: bag, filter: filter, walk: bagset.NewWalk(ctx, o.Log)}
}

// each calls camera for each chosen camera of a RealSense recording, then topics with all else that is selected. prefix
// is of the names of the camera's streams, if there are several cameras.
func (s *source) each(camera func(file *rsbag.File, prefix string) error, topics func(*bagstore.View) error) error {
	recording := rsbag.IsRecording(s.bag)
	others, err := s.others(recording)
	if err == nil && recording {
		var files []*rsbag.File
		files, err = rsbag.OpenAll(s.bag.Path(), rsbag.Options{Bag: s.bag, Camera: s.o.Camera})
		for i := 0; err == nil && i < len(files); i++ {
			prefix := ""
			if len(files) > 1 {
				prefix = files[i].Camera().Name + "/"
			}
			err = camera(files[i], prefix)
		}
	}
	if err != nil {
		return err
	}
	return topics(others)
}

// others returns what is selected, without the layout of a RealSense recording, and without other cameras than the
// chosen one.
func (s *source) others(recording bool) (*bagstore.View, error) {
	mine, err := func(string) bool { return true }, error(nil)
	if s.o.Camera != "" {
		if mine, err = rsbag.TopicsOf(s.bag, s.o.Camera); err != nil {
			return nil, fmt.Errorf("%s: %w", s.bag.Path(), err)
		}
	}
	q := s.filter.Query()
	selected := q.Connections
	q.Connections = func(c *bagstore.Connection) bool {
		_, layout := rslayout.TopicType(c.Topic)
		return selected(c) && mine(c.Topic) && !(recording && (layout || rsbag.IsTopic(c.Topic)))
	}
	return s.bag.View(q), nil
}

// frames calls do for the frames of chosen streams.
func (s *source) frames(file *rsbag.File, chosen map[camdriver.StreamID]bool, do func(rsbag.Event) error) error {
	isChosen := func(id camdriver.StreamID) bool { return chosen[id] }
	cursor := file.Cursor(rsbag.CursorOptions{Streams: isChosen, FramesOnly: true})
	defer cursor.Close()
	for e := range cursor.Part(s.filter) {
		if e.Frame == nil { // an option's value at the start
			continue
		}
		if err := cmp.Or(do(e), s.walk.Step()); err != nil {
			return err
		}
	}
	if n, err := cursor.Damaged(); n > 0 {
		s.bad += int(n)
		s.o.Log.Warn().Uint64("messages", n).Err(err).Msg("damaged messages were left out")
	}
	return nil
}

func (s *source) oddMessage(topic string, t bagstore.Time, err error) {
	s.bad++
	s.o.Log.Warn().Str("topic", topic).Int64("time", int64(t)).Err(err).Msg("a message was left out")
}

// facts are what is said about a frame, or about a message.
type facts struct {
	Stream string  `json:"stream"`           // a stream's name, or a topic
	Number uint64  `json:"number"`           // of the frame; header.seq of a topic
	Stamp  float64 `json:"timestamp_ms"`     // of the frame
	Domain string  `json:"domain,omitempty"` // whose clock that is
	Time   int64   `json:"time_ns"`          // in the recording
	Width  int     `json:"width,omitempty"`  // pixels
	Height int     `json:"height,omitempty"` // pixels
}

func frameFacts(name string, f *camdriver.Frame, at int64) facts {
	return facts{Stream: name, Number: f.Number, Stamp: f.Timestamp, Domain: f.Domain.String(), Time: at}
}

func messageFacts(m bagstore.Message, h msgs.Header) facts {
	return facts{Stream: m.Conn.Topic, Number: uint64(h.Seq), Stamp: h.Stamp.Millis(), Time: int64(m.Time)}
}
