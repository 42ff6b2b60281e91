package rsbag

import (
	"fmt"
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/packed"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/msgs/imagetransport"
	"rsros/program/buffers"
)

// assembler combines the messages of one instant into events. All parts of a frame have one time.
type assembler struct {
	f      *File
	base   time.Time // Frame.Arrival of file time 0
	units  map[int]float32
	at     bagstore.Time
	events []Event
	open   map[camdriver.StreamID]*partial
	order  []*partial // frames in the order of their data
	errs   uint64     // messages that could not be read
	err    error

	system  bool              // Frame.Arrival is the recorded system time
	unknown map[string]uint64 // metadata values by key that camdriver doesn't know

	metadatas map[camdriver.StreamID]*nativeMetadata // of a camera node's streams; nil: none
	matched   uint64                                 // frames with metadata of a camera node
	changed   bool                                   // events contains the camera node's options
}

type partial struct {
	sensor int
	frame  *camdriver.Frame // nil before its data
	about  *rstext.Metadata // nil: there is none
}

func (a *assembler) begin(at bagstore.Time) {
	a.at, a.events, a.order, a.changed = at, nil, nil, false
	a.open = make(map[camdriver.StreamID]*partial)
}

// part returns the frame that a message belongs to, a new one for data of a frame that has data.
func (a *assembler) part(t rslayout.Topic, data bool) *partial {
	p := a.open[t.Stream]
	if p == nil || data && p.frame != nil {
		p = &partial{sensor: t.Sensor}
		a.open[t.Stream] = p
	}
	if data {
		a.order = append(a.order, p)
	}
	return p
}

func (a *assembler) add(t rslayout.Topic, m bagstore.Message) {
	if err := a.message(t, m); err != nil {
		a.errs++
		a.err = err
	}
}

func (a *assembler) message(t rslayout.Topic, m bagstore.Message) (err error) {
	if t.IsFrame() {
		f, err := a.frame(t, m)
		if err == nil {
			a.part(t, true).frame = f
		}
		return err
	}
	switch t.Kind {
	case rslayout.TopicPoseAccel, rslayout.TopicPoseTwist:
		err = a.twist(t, m)
	case rslayout.TopicMetadata:
		err = a.metadata(t, m)
	case rslayout.TopicOptionValue:
		err = a.option(t, m)
	case rslayout.TopicNotification:
		err = a.notification(t, m)
	case topicNativeOptions:
		a.nativeOption(m)
	}
	return err
}

func (a *assembler) frame(t rslayout.Topic, m bagstore.Message) (*camdriver.Frame, error) {
	switch t.Kind {
	case rslayout.TopicImu:
		return a.imu(t, m)
	case rslayout.TopicPoseTransform:
		return a.transform(t, m)
	}
	// The others aren't decoded whole, so that what they hold isn't copied.
	if err := checkType(t, m); err != nil {
		return nil, err
	}
	switch t.Kind {
	case rslayout.TopicImage:
		return a.image(t, m)
	case rslayout.TopicCompressed:
		return a.compressed(t, m)
	}
	return a.occupancy(t, m)
}

func (a *assembler) start(t rslayout.Topic, owner buffers.Releaser, h msgs.Header) *camdriver.Frame {
	f := camdriver.NewFrame(owner)
	f.Profile = a.f.stream(t.Stream).profile
	f.Number, f.Timestamp = uint64(h.Seq), h.Stamp.Millis()
	f.Arrival = a.base.Add(time.Duration(a.at))
	if a.f.native != nil {
		a.nativeFrame(f, h.Stamp)
	}
	return f
}

// usualUnits is the depth unit in metres if the file has none.
const usualUnits = 0.001

// image makes an image frame. It retains the message's memory instead of copying pixels.
func (a *assembler) image(t rslayout.Topic, m bagstore.Message) (*camdriver.Frame, error) {
	d := msgs.NewDecoder(m.Data)
	var head msgs.ImageHead
	head.Decode(d)
	pixels := d.Raw(int(head.DataLen))
	if d.Err() != nil {
		return nil, d.Err()
	}
	f := a.start(t, m.Retain(), head.Header)
	f.Width, f.Height, f.Stride, f.Data = int(head.Width), int(head.Height), int(head.Step), pixels
	f.Profile.Width, f.Profile.Height = f.Width, f.Height
	inFrame := !a.f.textual && a.f.native == nil || f.Profile.Format == camdriver.AnyFormat // the format
	if format, known := rslayout.ParseEncoding(head.Encoding); known && inFrame {
		f.Profile.Format = format
	}
	a.depthUnits(t, f)
	if t.Stream.Kind == camdriver.Depth && head.Header.FrameID == "1" { // the units follow the message
		if u := d.F32(); u > 0 {
			f.DepthUnits = u
		}
	}
	return f, nil
}

// depthUnits sets a depth frame's units to the current ones of its sensor.
func (a *assembler) depthUnits(t rslayout.Topic, f *camdriver.Frame) {
	if t.Stream.Kind != camdriver.Depth {
		return
	}
	if f.DepthUnits = a.units[t.Sensor]; !(f.DepthUnits > 0) {
		f.DepthUnits = usualUnits
	}
}

func (a *assembler) compressed(t rslayout.Topic, m bagstore.Message) (*camdriver.Frame, error) {
	head, format, data, err := compressedImage(msgs.NewDecoder(m.Data))
	if err != nil {
		return nil, err
	}
	pixels := a.f.stream(t.Stream).profile.Format
	var img imagetransport.Image
	if a.f.native != nil {
		if img, err = packed.DecodeNode(format, data); err == nil {
			pixels, _ = nativeFormat(t.Stream.Kind, img.Encoding)
		}
	} else {
		img, err = packed.Decode(format, data, pixels)
	}
	if err != nil {
		return nil, err
	}
	f := a.start(t, nil, head)
	f.Width, f.Height, f.Stride, f.Data = img.Width, img.Height, img.Step, img.Data
	f.Profile.Width, f.Profile.Height, f.Profile.Format = f.Width, f.Height, pixels
	a.depthUnits(t, f)
	return f, nil
}

// occupancy makes an occupancy map. Like image, it retains the message's memory.
func (a *assembler) occupancy(t rslayout.Topic, m bagstore.Message) (*camdriver.Frame, error) {
	d := msgs.NewDecoder(m.Data)
	var head msgs.OccupancyGridHead
	d.Message(&head)
	cells := d.Raw(int(head.DataLen))
	if d.Err() != nil {
		return nil, d.Err()
	}
	if uint64(head.Width)*uint64(head.Height) != uint64(len(cells)) {
		return nil, fmt.Errorf("%d cells in a map of %dx%d", len(cells), head.Width, head.Height)
	}
	f := a.start(t, m.Retain(), head.Header)
	f.Width, f.Height, f.Stride, f.Data = int(head.Width), int(head.Height), int(head.Width), cells
	o, q := head.Origin.Translation, head.Origin.Rotation
	f.Map = camdriver.MapInfo{Resolution: head.Resolution, Origin: [3]float64{o.X, o.Y, o.Z},
		Rotation: [4]float64{q.X, q.Y, q.Z, q.W}}
	return f, nil
}

func (a *assembler) imu(t rslayout.Topic, m bagstore.Message) (*camdriver.Frame, error) {
	var i msgs.Imu
	if err := a.f.decode(t, m, &i); err != nil {
		return nil, err
	}
	f := a.start(t, nil, i.Header)
	f.Motion = camdriver.MotionSample{
		Orientation: [4]float64{i.Orientation.X, i.Orientation.Y, i.Orientation.Z, i.Orientation.W},
		Gyro:        [3]float64{i.AngularVelocity.X, i.AngularVelocity.Y, i.AngularVelocity.Z},
		Accel:       [3]float64{i.LinearAcceleration.X, i.LinearAcceleration.Y, i.LinearAcceleration.Z},
	}
	return f, nil
}

func (a *assembler) transform(t rslayout.Topic, m bagstore.Message) (*camdriver.Frame, error) {
	var tf msgs.Transform
	if err := a.f.decode(t, m, &tf); err != nil {
		return nil, err
	}
	f, q := a.start(t, nil, msgs.Header{}), tf.Rotation
	f.Pose.Translation = vec3(tf.Translation)
	f.Pose.Rotation = [4]float32{float32(q.X), float32(q.Y), float32(q.Z), float32(q.W)}
	return f, nil
}

// twist adds velocities or accelerations to a frame, whose transform must come first. Open has
// noted streams without transforms.
func (a *assembler) twist(t rslayout.Topic, m bagstore.Message) error {
	if s := a.f.stream(t.Stream); s != nil && len(s.data) == 0 {
		return nil
	}
	var tw msgs.Twist
	if err := a.f.decode(t, m, &tw); err != nil { // Accel has the same md5
		return err
	}
	p := a.part(t, false)
	if p.frame == nil {
		return &TypeError{Topic: m.Conn.Topic, Want: "a pose/transform before it", Have: "none"}
	}
	if s := &p.frame.Pose; t.Kind == rslayout.TopicPoseAccel {
		s.Acceleration, s.AngularAcceleration = vec3(tw.Linear), vec3(tw.Angular)
	} else {
		s.Velocity, s.AngularVelocity = vec3(tw.Linear), vec3(tw.Angular)
	}
	return nil
}

func vec3(v msgs.Vector3) camdriver.Vec3 {
	return camdriver.Vec3{float32(v.X), float32(v.Y), float32(v.Z)}
}

func (a *assembler) option(t rslayout.Topic, m bagstore.Message) error {
	var v msgs.Float32
	if err := a.f.decode(t, m, &v); err != nil {
		return err
	}
	id, known := rslayout.ParseOptionName(t.Name)
	if !known || a.f.textual && m.Time <= staticTime {
		return nil // unknown, noted by Open; or the initial value
	}
	if id == camdriver.OptionDepthUnits {
		a.units[t.Sensor] = v.Data
	}
	a.events = append(a.events, a.event(Event{Sensor: t.Sensor, Option: &OptionChange{id, v.Data}}))
	return nil
}

func (a *assembler) event(e Event) Event {
	e.Time = time.Duration(a.at)
	return e
}

func (a *assembler) notification(t rslayout.Topic, m bagstore.Message) error {
	n, err := a.f.notification(t, m)
	if err == nil {
		a.events = append(a.events, a.event(Event{Sensor: t.Sensor, Notification: &n}))
	}
	return err
}

// notification reads what a sensor reported, which may be text.
func (f *File) notification(t rslayout.Topic, m bagstore.Message) (camdriver.Notification, error) {
	if f.texts[m.Conn.ID] {
		return parsed(m, rstext.ParseNotification)
	}
	var n msgs.Notification
	err := f.decode(t, m, &n)
	at := notificationTime(n.Timestamp)
	return rstext.NewNotification(n.Category, n.Severity, n.Description, n.SerializedData, at), err
}

// notificationTime converts a notification's time, which in files of librealsense is in milliseconds.
func notificationTime(t msgs.Time) time.Time {
	const latestMillis = 1e14 // the year 5138, or 28 hours after 1970
	if t < latestMillis {
		return time.UnixMilli(int64(t))
	}
	return t.Time()
}

// finish returns the events of the instant, frames last, so that option changes apply to them.
func (a *assembler) finish() []Event {
	for _, p := range a.order {
		if p.frame == nil {
			continue // its data could not be read
		}
		a.describe(p)
		a.events = append(a.events, a.event(Event{Sensor: p.sensor, Frame: p.frame}))
	}
	return a.events
}

// metadata adds what a message says about a frame: one value, which is passed over if it is invalid, or a text.
func (a *assembler) metadata(t rslayout.Topic, m bagstore.Message) error {
	if a.f.texts[m.Conn.ID] {
		md, err := parsed(m, rstext.ParseMetadata)
		a.part(t, false).about = &md // with an error, the part that could be parsed
		return err
	}
	var kv msgs.KeyValue
	if err := a.f.decode(t, m, &kv); err != nil {
		return err
	}
	p := a.part(t, false)
	if p.about == nil {
		p.about = new(rstext.Metadata)
	}
	_ = p.about.Set(kv.Key, kv.Value)
	return nil
}

// describe sets the frame's fields to what is said about it.
func (a *assembler) describe(p *partial) {
	f, md := p.frame, p.about
	if md != nil {
		a.unknownKeys(md.Unknown)
		f.Domain, f.Metadata = md.Domain, md.Values
		f.Pose.TrackerConfidence, f.Pose.MapperConfidence = md.Tracker, md.Mapper
		if md.Numbered {
			f.Number = md.Number
		}
		if md.Stamped {
			f.Timestamp = md.Timestamp
		}
		if md.Units > 0 && f.Stream().Kind == camdriver.Depth {
			f.DepthUnits = md.Units
		}
		if a.system {
			f.Arrival = md.System
		}
	}
	sortMetadata(f)
}

// maxUnknown bounds the number of unknown keys that are counted.
const maxUnknown = 256

func (a *assembler) unknownKeys(keys []string) {
	for _, k := range keys {
		if _, counted := a.unknown[k]; counted || len(a.unknown) < maxUnknown {
			a.unknown[k]++
		}
	}
}

// sortMetadata sorts by key, and keeps the first value of each key and as many as fit.
func sortMetadata(f *camdriver.Frame) {
	slices.SortStableFunc(f.Metadata, func(a, b camdriver.MetadataValue) int { return int(a.Key) - int(b.Key) })
	f.Metadata = slices.CompactFunc(f.Metadata, func(a, b camdriver.MetadataValue) bool { return a.Key == b.Key })
	f.Metadata = camdriver.FitMetadata(f.Metadata)
}

// compressedImage takes a sensor_msgs/CompressedImage apart.
func compressedImage(d *msgs.Decoder) (head msgs.Header, format string, data []byte, err error) {
	head.Decode(d)
	format, data = d.String(), d.Raw(int(d.U32()))
	return head, format, data, d.Err()
}
