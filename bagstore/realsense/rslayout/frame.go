package rslayout

import (
	"encoding/binary"
	"slices"
	"strconv"

	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
	"rsros/msgs"
)

// Stream makes the messages of a stream's frames. Its topics are known when the stream starts, so
// that nothing is looked up for a message.
type Stream struct {
	Sensor   int
	Data     []StreamTopic // one, or three of a pose
	Metadata StreamTopic
	kind     camdriver.StreamKind
	encoding string
}

// StreamTopic is one of a stream's topics.
type StreamTopic struct {
	Name string
	Type msgs.Type
}

// NewStream returns nil if the layout has no form for the stream.
func NewStream(s camdriver.StreamSnapshot) *Stream {
	id := s.Profile.Stream
	group, data := "", []string{"data"}
	switch {
	case id.Kind.Video():
		group = "/image/"
	case id.Kind.Inertial():
		group = "/imu/"
	case id.Kind == camdriver.Pose:
		group, data = "/pose/", []string{"transform/data", "accel/data", "twist/data"}
	case id.Kind == camdriver.Occupancy:
		group = "/occupancy_map/"
	default:
		return nil
	}
	topic := func(name string) StreamTopic {
		name = StreamPrefix(s.Sensor, id) + group + name
		return StreamTopic{name, typeOf(name)}
	}
	out := &Stream{Sensor: s.Sensor, Metadata: topic("metadata"), kind: id.Kind, encoding: Encoding(s.Profile.Format)}
	for _, name := range data {
		out.Data = append(out.Data, topic(name))
	}
	return out
}

// Topics returns the stream's topics, Metadata last. A nil stream has none.
func (s *Stream) Topics() []StreamTopic {
	if s == nil {
		return nil
	}
	return append(slices.Clip(s.Data), s.Metadata)
}

// AppendData appends the messages that carry a frame itself to list: one for each topic of Data.
// Heads are encoded into w and share its memory. Body is the frame's own memory, without a reference to it.
func (s *Stream) AppendData(list []msgs.Raw, w *msgs.Encoder, f *camdriver.Frame) []msgs.Raw {
	head := func(m msgs.Message) []byte {
		start := len(w.B)
		w.Message(m)
		return w.B[start:len(w.B):len(w.B)]
	}
	switch {
	case s.kind.Video():
		return append(list, msgs.Raw{Head: head(s.ImageHead(f)), Body: f.Data})
	case s.kind.Inertial():
		return append(list, msgs.Raw{Head: head(Imu(s.kind, f))})
	case s.kind == camdriver.Occupancy:
		return append(list, msgs.Raw{Head: head(occupancyHead(f)), Body: f.Data})
	}
	p := &f.Pose
	return append(list, msgs.Raw{Head: head(poseTransform(p))},
		msgs.Raw{Head: head(twist(p.Acceleration, p.AngularAcceleration))},
		msgs.Raw{Head: head(twist(p.Velocity, p.AngularVelocity))})
}

// header's frame_id "0" tells librealsense that no depth units follow the message.
func header(f *camdriver.Frame) msgs.Header {
	return msgs.Header{Seq: uint32(f.Number), Stamp: msgs.FromMillis(f.Timestamp), FrameID: "0"}
}

// ImageHead is what precedes the pixels of an image.
func (s *Stream) ImageHead(f *camdriver.Frame) *msgs.ImageHead {
	encoding := s.encoding
	if f.Profile.Format != camdriver.AnyFormat {
		encoding = Encoding(f.Profile.Format)
	}
	return &msgs.ImageHead{Header: header(f), Height: uint32(f.Height), Width: uint32(f.Width),
		Encoding: encoding, Step: uint32(f.Stride), DataLen: uint32(len(f.Data))}
}

func occupancyHead(f *camdriver.Frame) *msgs.OccupancyGridHead {
	o, q := f.Map.Origin, f.Map.Rotation
	return &msgs.OccupancyGridHead{Header: header(f), Resolution: f.Map.Resolution,
		Width: uint32(f.Width), Height: uint32(f.Height), DataLen: uint32(len(f.Data)),
		Origin: pose(o, q)}
}

// Imu is the message of a motion sample. It has only what the stream measures, as the SDK's.
func Imu(kind camdriver.StreamKind, f *camdriver.Frame) *msgs.Imu {
	m := &msgs.Imu{Header: header(f)}
	s := &f.Motion
	if kind != camdriver.Accel {
		m.AngularVelocity = msgs.Vector3{X: s.Gyro[0], Y: s.Gyro[1], Z: s.Gyro[2]}
	}
	if kind != camdriver.Gyro {
		m.LinearAcceleration = msgs.Vector3{X: s.Accel[0], Y: s.Accel[1], Z: s.Accel[2]}
	}
	if kind == camdriver.Motion {
		q := s.Orientation
		m.Orientation = msgs.Quaternion{X: q[0], Y: q[1], Z: q[2], W: q[3]}
	}
	return m
}

func vector(v camdriver.Vec3) msgs.Vector3 {
	return msgs.Vector3{X: float64(v[0]), Y: float64(v[1]), Z: float64(v[2])}
}

func poseTransform(p *camdriver.PoseSample) *msgs.Transform {
	return &msgs.Transform{Translation: vector(p.Translation), Rotation: msgs.Quaternion{
		X: float64(p.Rotation[0]), Y: float64(p.Rotation[1]), Z: float64(p.Rotation[2]), W: float64(p.Rotation[3])}}
}

func twist(linear, angular camdriver.Vec3) *msgs.Twist {
	return &msgs.Twist{Linear: vector(linear), Angular: vector(angular)}
}

// AppendMetadata appends one message for each number that came with a frame to list: 13 to 20. They
// are encoded into w and share its memory.
func (s *Stream) AppendMetadata(list []msgs.Raw, w *msgs.Encoder, f *camdriver.Frame) []msgs.Raw {
	v := values{list, w}
	if s.kind == camdriver.Pose {
		v.number(rstext.KeyTracker, int64(f.Pose.TrackerConfidence))
		v.number(rstext.KeyMapper, int64(f.Pose.MapperConfidence))
		v.millis(rstext.KeyPoseStamp, f.Timestamp)
		v.number(rstext.KeyNumber, int64(f.Number))
	}
	v.nanos(rstext.KeySystem, f.Arrival.UnixNano())
	v.text(rstext.KeyDomain, f.Domain.String())
	sent, of256 := 0, 0
	for i, m := range f.Metadata {
		twice := i > 0 && f.Metadata[i-1].Key == m.Key
		if twice || m.Key > camdriver.MetaEmbeddedFilters || sent == camdriver.MaxAllMetadata {
			continue
		}
		if m.Key <= camdriver.MetaCrc {
			if of256 == camdriver.MaxMetadata {
				continue
			}
			of256++
		}
		v.number(m.Key.String(), m.Value)
		sent++
	}
	return v.list
}

// values makes a list of KeyValue messages, encoded into w.
type values struct {
	list []msgs.Raw
	w    *msgs.Encoder
}

// put adds a message with a key and the text that value appends.
func (v *values) put(key string, value func([]byte) []byte) {
	start := len(v.w.B)
	v.w.String(key)
	at := len(v.w.B)
	v.w.U32(0) // the length of the text
	v.w.B = value(v.w.B)
	binary.LittleEndian.PutUint32(v.w.B[at:], uint32(len(v.w.B)-at-4))
	v.list = append(v.list, msgs.Raw{Head: v.w.B[start:len(v.w.B):len(v.w.B)]})
}

func (v *values) text(key, value string) {
	v.put(key, func(b []byte) []byte { return append(b, value...) })
}

func (v *values) number(key string, value int64) {
	v.put(key, func(b []byte) []byte { return strconv.AppendInt(b, value, 10) })
}

// millis writes a time in ms as C's "%f" does.
func (v *values) millis(key string, ms float64) {
	v.put(key, func(b []byte) []byte { return strconv.AppendFloat(b, ms, 'f', 6, 64) })
}

// nanos writes a time in ms exactly, and faster than millis. Times before 1970 become 0.
func (v *values) nanos(key string, ns int64) {
	const perMilli = 1e6
	ns = max(ns, 0)
	v.put(key, func(b []byte) []byte {
		b = append(strconv.AppendInt(b, ns/perMilli, 10), '.')
		for rest, unit := ns%perMilli, int64(perMilli/10); unit > 0; unit /= 10 {
			b = append(b, byte('0'+rest/unit%10))
		}
		return b
	})
}

// Transform writes extrinsics: metres and a unit quaternion.
func Transform(e camdriver.Extrinsics) *msgs.Transform {
	t := pose(e.Translation, e.Quaternion())
	return &t
}

func pose(t [3]float64, q [4]float64) msgs.Transform {
	return msgs.Transform{Translation: msgs.Vector3{X: t[0], Y: t[1], Z: t[2]},
		Rotation: msgs.Quaternion{X: q[0], Y: q[1], Z: q[2], W: q[3]}}
}

// Extrinsics returns a stream's pose. A quaternion of length zero reads as identity.
func Extrinsics(t *msgs.Transform) camdriver.Extrinsics {
	v, q := t.Translation, t.Rotation
	return camdriver.FromQuaternion([4]float64{q.X, q.Y, q.Z, q.W}, [3]float64{v.X, v.Y, v.Z})
}
