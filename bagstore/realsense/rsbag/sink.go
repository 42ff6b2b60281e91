package rsbag

import (
	"cmp"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
	"rsros/msgs"
)

// sink is a bag or an MCAP as a Recorder's Target. Errors are permanent.
type sink struct {
	device  int // its number
	enc     *rslayout.Encoder
	w       bagstore.BagWriter
	conns   map[string]uint32               // by topic
	names   map[string]string               // of topics in the file, where they aren't those of the device
	streams map[camdriver.StreamID][]uint32 // connections of the streams that have frames, in the order of Stream.Topics
	scratch msgs.Encoder                    // heads of the frame being written
	list    []msgs.Raw                      // its messages
	units   map[int]float32                 // depth units as the file says them so far, by sensor
	err     error
}

// newSink returns the sink of a device. Of several devices in a bag, it belongs to the first one's.
func newSink(w bagstore.BagWriter, device int, snap camdriver.DeviceSnapshot) *sink {
	s := &sink{device: device, enc: rslayout.NewEncoder(snap), w: w, conns: make(map[string]uint32),
		streams: make(map[camdriver.StreamID][]uint32), units: make(map[int]float32)}
	for i, sensor := range snap.Sensors {
		if o, ok := camdriver.FindOption(sensor.Options, camdriver.OptionDepthUnits); ok {
			s.units[i] = o.Value
		}
	}
	return s
}

// describe writes the device's description, for the first device with the version of the file.
func (s *sink) describe(first bool) {
	for _, m := range s.enc.Static() {
		if first || rslayout.ParseTopic(m.Topic).Kind != rslayout.TopicFileVersion {
			s.write(m, staticTime)
		}
	}
}

func (s *sink) write(m rslayout.Message, at bagstore.Time) {
	if id := s.connection(m.Topic, m.Type); s.err == nil {
		s.err = s.w.Write(id, at, m.Head, m.Body, m.Tail)
	}
}

// lend writes a message of a frame, which it retains until the message's body is written.
func (s *sink) lend(conn uint32, m *msgs.Raw, at bagstore.Time, f *camdriver.Frame) {
	switch {
	case s.err != nil:
	case len(m.Body) == 0:
		s.err = s.w.Write(conn, at, m.Head)
	default:
		s.err = s.w.Lend(conn, at, f.Retain().Release, m.Head, m.Body)
	}
}

// connection returns the connection of a topic, which it adds if necessary.
func (s *sink) connection(topic string, t msgs.Type) uint32 {
	id, known := s.conns[topic]
	if !known {
		id = s.connect(bagstore.Connection{Topic: topic, Type: t.Name, MD5: t.MD5, Definition: t.Definition})
	}
	return id
}

func (s *sink) connect(c bagstore.Connection) (id uint32) {
	if s.err == nil {
		topic := c.Topic
		c.Topic = cmp.Or(s.names[topic], rslayout.DeviceTopic(s.device, topic))
		if id, s.err = s.w.AddConnection(c); s.err == nil {
			s.conns[topic] = id
		}
	}
	return id
}

// Frame writes a frame of a stream that the encoder has, and retains it until its pixels are
// written. A checkpoint has the frame with all of its metadata, or not at all.
func (s *sink) Frame(sensor int, f *camdriver.Frame, time time.Duration) error {
	at := bagstore.Time(time)
	if f.DepthUnits > 0 && f.DepthUnits != s.units[sensor] {
		s.depthUnits(sensor, f.DepthUnits, at)
	}
	s.scratch.B = s.scratch.B[:0] // Write has copied what it got the last time
	st, conns := s.enc.Stream(f.Stream()), s.streams[f.Stream()]
	if conns == nil {
		for _, t := range st.Topics() {
			conns = append(conns, s.connection(t.Name, t.Type))
		}
		s.streams[f.Stream()] = conns
	}
	s.w.Hold()
	s.list = st.AppendData(s.list[:0], &s.scratch, f)
	for i := range s.list {
		s.lend(conns[i], &s.list[i], at, f)
	}
	s.list = st.AppendMetadata(s.list[:0], &s.scratch, f)
	for i := range s.list {
		s.lend(conns[len(st.Data)], &s.list[i], at, f)
	}
	if err := s.w.Release(); s.err == nil {
		s.err = err
	}
	return s.err
}

// depthUnits writes a frame's units as an option change, the only place for them in version 3. A
// sensor without the option gets it from the start: for librealsense it marks a depth sensor.
func (s *sink) depthUnits(sensor int, units float32, at bagstore.Time) {
	if _, told := s.units[sensor]; !told {
		at = staticTime
	}
	s.units[sensor] = units
	if m, ok := s.enc.Option(sensor, camdriver.OptionDepthUnits, units); ok {
		s.write(m, at)
	}
}

func (s *sink) put(m rslayout.Message, ok bool, at bagstore.Time) error {
	if !ok {
		return camdriver.ErrUnsupported
	}
	s.write(m, at)
	return s.err
}

func (s *sink) Holds(sensor int, id camdriver.StreamID) bool {
	st := s.enc.Stream(id)
	return st != nil && st.Sensor == sensor
}

func (s *sink) Option(sensor int, id camdriver.OptionID, value float32, at time.Duration) error {
	if id > rstext.Names256.Option { // librealsense 2.56 would take it for one without a name
		return camdriver.ErrUnsupported
	}
	m, ok := s.enc.Option(sensor, id, value)
	err := s.put(m, ok, max(bagstore.Time(at), earliest))
	if id == camdriver.OptionDepthUnits && err == nil {
		s.units[sensor] = value
	}
	return err
}

func (s *sink) Notification(sensor int, n camdriver.Notification, at time.Duration) error {
	m, ok := s.enc.Notification(sensor, n)
	return s.put(m, ok, max(bagstore.Time(at), earliest))
}

func (s *sink) Write(topic string, m msgs.Message, at time.Duration) error {
	return s.put(rslayout.NewMessage(topic, m), true, bagstore.Time(at))
}

func (s *sink) Fact(key, value string) error {
	return s.put(rslayout.Additional(key, value), true, staticTime)
}

func (s *sink) Checkpoint() error {
	if s.err != nil {
		return s.err
	}
	return s.w.Checkpoint()
}

func (s *sink) CheckpointIfDue() error { return s.w.CheckpointIfDue() }
func (s *sink) WriteMethod() string    { return s.w.WriteMethod() }
func (s *sink) Size() int64            { return s.w.Size() }
func (s *sink) Close() error           { return s.w.Close() }
func (s *sink) Kept() bagstore.Kept    { return s.w.Kept() }

func (s *sink) FramesTopic(id camdriver.StreamID) string {
	return rslayout.DeviceTopic(s.device, s.enc.Stream(id).Data[0].Name)
}
