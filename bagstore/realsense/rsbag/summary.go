package rsbag

import (
	"iter"
	"slices"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
)

// IsRecording reports whether a bag has topics of the layout.
func IsRecording(bag *bagstore.Recording) bool {
	return slices.ContainsFunc(bag.Connections(), func(c *bagstore.Connection) bool { return IsTopic(c.Topic) })
}

// IsTopic reports whether a topic is of the layout.
func IsTopic(name string) bool {
	device, first := rslayout.FirstTopic(name)
	known := rslayout.ParseTopic(first).Kind != rslayout.TopicUnknown
	return known && device >= 0 && strings.HasPrefix(first, "/device_0/")
}

// StreamSummary is what a file holds of one stream.
type StreamSummary struct {
	Sensor      int
	Profile     camdriver.Profile
	Frames      uint64
	First, Last time.Duration // file times; 0 without frames
	Extrinsics  bool          // the stream is related to the reference
}

// Streams sums the streams up, in the order of the snapshot, from the index alone.
func (f *File) Streams() []StreamSummary {
	var out []StreamSummary
	for _, s := range f.streams {
		sum := StreamSummary{Sensor: s.sensor, Profile: s.profile, Frames: s.frames, Extrinsics: s.group != ""}
		for _, in := range f.segments {
			from, to, ok := f.ends(s.isData, in.lo, in.hi)
			if ok && sum.Last == 0 {
				sum.First = time.Duration(from + in.shift)
			}
			if ok {
				sum.Last = time.Duration(to + in.shift)
			}
		}
		out = append(out, sum)
	}
	return out
}

func (s *stream) isData(c *bagstore.Connection) bool { return slices.Contains(s.data, c.ID) }

// Times yields the file times of a stream's frames from a time on. It reads only the index.
func (f *File) Times(id camdriver.StreamID, from time.Duration) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		s := f.stream(id)
		if s == nil {
			return
		}
		t := f.newTrack(s.isData)
		defer t.close()
		for t.seek(bagstore.Time(from)); t.skip() && yield(time.Duration(t.time())); {
		}
	}
}

// Summary is the layout's part of what can be said about a bag.
type Summary struct {
	Camera   string            `json:"camera"`
	Number   int               `json:"number"`  // of the device; -1: a camera node
	Version  uint32            `json:"version"` // of the layout
	Device   map[string]string `json:"device"`  // facts under the SDK's names
	Recorded *time.Time        `json:"recorded,omitempty"`
	Seconds  float64           `json:"seconds"`
	Sensors  []SensorSummary   `json:"sensors"`
	Notes    []string          `json:"notes"`             // what is odd or missing
	Damaged  *uint64           `json:"damaged,omitempty"` // messages that can't be read; with gaps
	Others   []*Summary        `json:"others,omitempty"`  // further cameras
}

// SensorSummary is one sensor of a Summary.
type SensorSummary struct {
	Name    string       `json:"name"`
	Options int          `json:"options"`
	Clock   string       `json:"clock,omitempty"` // how the host's relates to the sensor's, if the recorder stated it
	Streams []StreamLine `json:"streams"`
}

// StreamLine is one stream of a Summary.
type StreamLine struct {
	Stream     string  `json:"stream"`
	Profile    string  `json:"profile"`
	Frames     uint64  `json:"frames"`
	Rate       float64 `json:"rate"` // Hz; 0 for less than two frames
	Extrinsics bool    `json:"extrinsics"`
	Missing    *uint64 `json:"missing,omitempty"` // frames that the camera's numbers leave out; with gaps
}

// summary sums the file up from its index alone; with gaps it reads every frame.
func (f *File) summary(gaps bool) *Summary {
	s := &Summary{Camera: f.camera.Name, Number: f.camera.device, Version: f.version, Device: map[string]string{},
		Seconds: f.Duration().Seconds(), Notes: f.notes}
	for _, info := range f.snap.Info {
		s.Device[info.Key.String()] = info.Value
	}
	if began := f.Began(); began.Absolute() {
		start := began.Std().UTC()
		s.Recorded = &start
	}
	for _, sensor := range f.snap.Sensors {
		clock := f.fact(rslayout.KeyClock(len(s.Sensors)))
		s.Sensors = append(s.Sensors, SensorSummary{Name: sensor.Name, Options: len(sensor.Options), Clock: clock})
	}
	var missing map[camdriver.StreamID]uint64
	if gaps {
		s.Damaged = new(uint64)
		missing, *s.Damaged, _ = f.Gaps()
	}
	for _, st := range f.Streams() {
		line := StreamLine{Stream: st.Profile.Stream.String(), Profile: st.Profile.String(), Frames: st.Frames,
			Extrinsics: st.Extrinsics}
		if d := st.Last - st.First; d > 0 {
			line.Rate = float64(st.Frames-1) / d.Seconds()
		}
		if gaps {
			n := missing[st.Profile.Stream]
			line.Missing = &n
		}
		sensor := &s.Sensors[st.Sensor]
		sensor.Streams = append(sensor.Streams, line)
	}
	return s
}
