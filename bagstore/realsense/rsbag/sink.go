package rsbag

import (
	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
	"rsros/msgs"
)

// sink is where a recording's messages go: a bag of the layout. Its first error
// stays.
type sink struct {
	enc     *rslayout.Encoder
	w       *bagstore.Writer
	conns   map[string]uint32 // by topic
	scratch msgs.Encoder      // heads of the frame being written
	units   map[int]float32   // depth units as the file says them so far, by sensor
	err     error
}

func newSink(path string, snap camdriver.DeviceSnapshot, o bagstore.Options) (sink, error) {
	w, err := bagstore.Create(path, o)
	if err != nil {
		return sink{}, err
	}
	s := sink{enc: rslayout.NewEncoder(snap), w: w, conns: make(map[string]uint32), units: make(map[int]float32)}
	for i, sensor := range snap.Sensors {
		if o, ok := camdriver.FindOption(sensor.Options, camdriver.OptionDepthUnits); ok {
			s.units[i] = o.Value
		}
	}
	return s, nil
}

// describe writes the device's description.
func (s *sink) describe() {
	for _, m := range s.enc.Static() {
		s.write(m, staticTime)
	}
}

// write adds a message; its error stays in s.err.
func (s *sink) write(m rslayout.Message, at bagstore.Time) { s.lend(m, at, nil) }

// lend is write for a message whose body belongs to a frame, which is held until
// the body is on its way to the disk.
func (s *sink) lend(m rslayout.Message, at bagstore.Time, f *camdriver.Frame) {
	if s.err != nil {
		return
	}
	id, known := s.conns[m.Topic]
	if !known {
		id, s.err = s.w.AddConnection(bagstore.Connection{
			Topic: m.Topic, Type: m.Type.Name, MD5: m.Type.MD5, Definition: m.Type.Definition})
		if s.err != nil {
			return
		}
		s.conns[m.Topic] = id
	}
	if f == nil || len(m.Body) == 0 {
		s.err = s.w.Write(id, at, m.Head, m.Body, m.Tail)
		return
	}
	s.err = s.w.Lend(id, at, f.Retain().Release, m.Head, m.Body, m.Tail)
}

// frame writes a frame of a stream that the encoder knows.
func (s *sink) frame(sensor int, f *camdriver.Frame, at bagstore.Time) {
	if f.DepthUnits > 0 && f.DepthUnits != s.units[sensor] {
		s.depthUnits(sensor, f.DepthUnits, at)
	}
	s.scratch.B = s.scratch.B[:0] // Write has copied what it got the last time
	put := func(m rslayout.Message) { s.lend(m, at, f) }
	s.enc.AppendData(&s.scratch, sensor, f, put)
	s.enc.AppendMetadata(&s.scratch, sensor, f, put)
}

// option is the change of an option, unless librealsense 2.56 doesn't know it: it would take
// it for one without a name.
func (s *sink) option(sensor int, id camdriver.OptionID, value float32) (rslayout.Message, bool) {
	if id > rstext.Names256.Option {
		return rslayout.Message{}, false
	}
	return s.enc.Option(sensor, id, value)
}

// depthUnits says a frame's units where no option change did: version 3 has no
// other place for them. A sensor without the option gets it from the start, for
// librealsense takes it as the mark of a depth sensor.
func (s *sink) depthUnits(sensor int, units float32, at bagstore.Time) {
	if _, told := s.units[sensor]; !told {
		at = staticTime
	}
	s.units[sensor] = units
	if m, ok := s.enc.Option(sensor, camdriver.OptionDepthUnits, units); ok {
		s.write(m, at)
	}
}
