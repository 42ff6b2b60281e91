package orbbec

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"rsros/bagstore"
)

// Recording describes a recording.
type Recording struct {
	Device    []Fact   `json:"device"`
	Streams   []Stream `json:"streams"`
	DepthUnit float64  `json:"depth_m,omitempty"` // metres per unit of depth images; 0: not known
	Notes     []string `json:"notes"`             // what is odd or missing
}

// Stream is a topic with frames of a sensor.
type Stream struct {
	Name    string   `json:"stream"`
	Topic   string   `json:"topic"`
	Kind    Kind     `json:"-"`
	Sensor  int      `json:"sensor"`
	Frames  uint64   `json:"frames"`
	Profile *Profile `json:"profile,omitempty"` // nil: it isn't recorded, or isn't one of images
}

// Is reports whether a bag has frames in the layout.
func Is(bag *bagstore.Bag) bool {
	return bag.Content() == nil && slices.ContainsFunc(bag.Connections(), func(c *bagstore.Connection) bool {
		kind, _ := parseTopic(c.Topic)
		return kind >= ImageTopic && kind <= PointsTopic && c.Type == stockTypes[kind]
	})
}

var stockTypes = map[Kind]string{ImageTopic: "sensor_msgs/Image", MotionTopic: "sensor_msgs/Imu", PointsTopic: "sensor_msgs/PointCloud2"}

// Properties of cameras that say what depth images hold.
const (
	propertyPrecision = 75 // an index of precisions
	propertyToDepth   = 85 // the camera computes depth; otherwise it sends disparity
	propertyDepthUnit = 176
)

// precisions are millimetres per unit.
var precisions = []float64{1, 0.8, 0.4, 0.1, 0.2, 0.5, 0.05}

// Open reads the description of a recording, which is some messages.
func Open(bag *bagstore.Bag) *Recording {
	r := &Recording{Notes: []string{}, Device: []Fact{}}
	counts := bag.Counts()
	for _, c := range bag.Connections() {
		kind, sensor := parseTopic(c.Topic)
		if kind < ImageTopic || kind > PointsTopic {
			continue
		}
		i := slices.IndexFunc(r.Streams, func(s Stream) bool { return s.Topic == c.Topic })
		if i < 0 {
			i = len(r.Streams)
			r.Streams = append(r.Streams, Stream{Name: sensorName(sensor), Topic: c.Topic, Kind: kind, Sensor: sensor})
			if slices.ContainsFunc(r.Streams[:i], func(s Stream) bool { return s.Sensor == sensor }) {
				r.Streams[i].Name = c.Topic
			}
		}
		r.Streams[i].Frames += counts[c.ID]
	}
	slices.SortStableFunc(r.Streams, func(a, b Stream) int { return a.Sensor - b.Sensor })
	v := bag.View(bagstore.Query{Connections: func(c *bagstore.Connection) bool {
		kind, _ := parseTopic(c.Topic)
		return kind == deviceTopic || kind == profileTopic || kind == propertyTopic
	}})
	var d describer
	for m, err := range v.Messages() {
		if err == nil {
			err = d.message(r, m)
		}
		if err != nil {
			r.Notes = append(r.Notes, err.Error())
		}
		if len(r.Notes) == maxNotes {
			break
		}
	}
	d.depth(r)
	if len(r.Device) == 0 {
		r.Notes = append(r.Notes, "no device information: the recorder writes it when a recording ends")
	}
	return r
}

// maxNotes bounds what is said about damaged descriptions.
const maxNotes = 20

// describer reads descriptions. Properties are only kept if they are about depth.
type describer struct {
	millimetres float64
	disparity   bool
}

func (d *describer) message(r *Recording, m bagstore.Message) (err error) {
	switch kind, sensor := parseTopic(m.Conn.Topic); kind {
	case deviceTopic:
		var facts []Fact
		if facts, err = decodeDevice(m.Data); err == nil {
			r.Device = facts
		}
	case profileTopic:
		var p Profile
		if p, err = decodeVideoProfile(m.Data); err == nil {
			for i := range r.Streams {
				if r.Streams[i].Sensor == sensor {
					r.Streams[i].Profile = &p
				}
			}
		}
	default:
		var p property
		if p, err = decodeProperty(m.Data); err == nil {
			d.property(p)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.Conn.Topic, err)
	}
	return nil
}

func (d *describer) property(p property) {
	switch {
	case p.id == propertyPrecision && len(p.value) == 4:
		if level := binary.LittleEndian.Uint32(p.value); int64(level) < int64(len(precisions)) && d.millimetres == 0 {
			d.millimetres = precisions[level]
		}
	case p.id == propertyDepthUnit && len(p.value) == 4:
		if unit := float64(math.Float32frombits(binary.LittleEndian.Uint32(p.value))); unit > 0 && unit <= 1000 {
			d.millimetres = unit
		}
	case p.id == propertyToDepth && len(p.value) > 0:
		d.disparity = p.value[0] == 0
	}
}

func (d *describer) depth(r *Recording) {
	if !slices.ContainsFunc(r.Streams, func(s Stream) bool { return s.Sensor == depthSensor }) {
		return
	}
	if d.disparity {
		r.Notes = append(r.Notes, "depth images hold disparity: the camera was set not to compute depth")
		return
	}
	if r.DepthUnit = d.millimetres / 1000; r.DepthUnit == 0 {
		r.Notes = append(r.Notes, "the recording doesn't say what a unit of depth is")
	}
}

// Stream returns the stream of a topic; nil if it has none. It may be called on a nil Recording.
func (r *Recording) Stream(topic string) *Stream {
	if r == nil {
		return nil
	}
	i := slices.IndexFunc(r.Streams, func(s Stream) bool { return s.Topic == topic })
	if i < 0 {
		return nil
	}
	return &r.Streams[i]
}

// String is a profile as a user names it, such as "Z16 848x480@30".
func (p *Profile) String() string {
	return fmt.Sprintf("%s %dx%d@%d", p.Format, p.Width, p.Height, p.FPS)
}

// WriteText prints the description for people.
func (r *Recording) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, f := range r.Device {
		if f.Value != "" {
			fmt.Fprintf(t, "%s:\t%s\n", f.Name, f.Value)
		}
	}
	for _, s := range r.Streams {
		fmt.Fprintf(t, "%s:\t%d frames", s.Name, s.Frames)
		if s.Profile != nil {
			fmt.Fprintf(t, ", %s", s.Profile)
		}
		if s.Sensor == depthSensor && r.DepthUnit > 0 {
			fmt.Fprintf(t, ", %g mm", 1000*r.DepthUnit)
		}
		fmt.Fprintf(t, ", %s\n", s.Topic)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(t, "note:\t%s\n", n)
	}
	return t.Flush()
}
