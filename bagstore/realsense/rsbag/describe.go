package rsbag

import (
	"slices"
	"strconv"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
	"rsros/msgs"
)

// description gathers the messages that describe a device.
type description struct {
	f       *File
	info    []camdriver.Info
	sensors []*sensorDescription
	streams map[camdriver.StreamID]*stream
}

type sensorDescription struct {
	info     []camdriver.Info
	options  map[camdriver.OptionID]float32
	texts    map[camdriver.OptionID]string
	filters  []string
	streamed bool
}

func newDescription(f *File) *description {
	return &description{f: f, streams: make(map[camdriver.StreamID]*stream)}
}

func (d *description) sensor(n int) *sensorDescription {
	for len(d.sensors) <= n {
		d.sensors = append(d.sensors, &sensorDescription{
			options: make(map[camdriver.OptionID]float32), texts: make(map[camdriver.OptionID]string)})
	}
	return d.sensors[n]
}

func (d *description) stream(t rslayout.Topic) *stream {
	s := d.streams[t.Stream]
	if s == nil {
		d.sensor(t.Sensor).streamed = true
		s = &stream{sensor: t.Sensor, profile: camdriver.Profile{Stream: t.Stream}, tf: make(map[string]camdriver.Extrinsics)}
		d.streams[t.Stream] = s
	}
	if s.sensor != t.Sensor {
		d.f.note("stream %s is under sensors %d and %d; only the first counts", t.Stream, s.sensor, t.Sensor)
		return &stream{tf: make(map[string]camdriver.Extrinsics)}
	}
	return s
}

// describes says whether a topic is read whole at open: its messages are few.
func describes(t rslayout.Topic) bool {
	switch t.Kind {
	case rslayout.TopicUnknown, rslayout.TopicLogLine, rslayout.TopicSensorTime, rslayout.TopicNotification,
		rslayout.TopicOptionValue, rslayout.TopicPoseAccel, rslayout.TopicPoseTwist, rslayout.TopicMetadata:
		return false
	}
	return !t.IsFrame()
}

// read collects the description. Options have their initial value at 1 ns, and change later.
func (d *description) read() {
	d.connections()
	if d.f.native != nil {
		d.native()
		return
	}
	d.f.each(describes, bagstore.Query{}, d.message)
	isOption := func(t rslayout.Topic) bool { return t.Kind == rslayout.TopicOptionValue }
	d.f.each(isOption, bagstore.Query{End: staticTime}, d.message)
	for _, c := range d.f.bag.Connections() {
		if t := d.f.topics[c.ID]; isOption(t) {
			d.lateOption(c.ID, t)
		}
	}
}

// lateOption takes the first value of an option that has none at 1 ns.
func (d *description) lateOption(conn uint32, t rslayout.Topic) {
	id, known := rslayout.ParseOptionName(t.Name)
	if _, has := d.sensor(t.Sensor).options[id]; has || !known {
		return
	}
	v := d.f.bag.View(bagstore.Query{
		Connections: func(c *bagstore.Connection) bool { return c.ID == conn }})
	for m, err := range v.Messages() {
		if err == nil {
			d.f.note("sensor %d: option %s has no initial value; its first one is taken", t.Sensor, id)
			d.message(t, m)
		}
		return
	}
}

// connections notes which topics there are, even without messages.
func (d *description) connections() {
	seen := make(map[string]bool)
	for _, c := range d.f.bag.Connections() {
		t := d.f.topics[c.ID]
		if seen[c.Topic] && t.IsFrame() {
			d.f.note("%s has two connections; librealsense multiplies such frames", c.Topic)
		}
		seen[c.Topic] = true
		switch t.Kind {
		case rslayout.TopicUnknown, rslayout.TopicFileVersion, rslayout.TopicDeviceInfo, rslayout.TopicLogLine,
			rslayout.TopicAdditionalInfo:
			continue
		}
		d.sensor(t.Sensor)
		metadata := t.Kind == rslayout.TopicMetadata
		if !t.IsFrame() && !metadata && t.Kind != rslayout.TopicPoseAccel && t.Kind != rslayout.TopicPoseTwist {
			continue
		}
		s := d.stream(t)
		s.conns, s.hasMD = append(s.conns, c.ID), s.hasMD || metadata
		if t.IsFrame() {
			s.data = append(s.data, c.ID)
		}
	}
}

func (d *description) message(t rslayout.Topic, m bagstore.Message) {
	var err error
	switch t.Kind {
	case rslayout.TopicFileVersion:
		var v msgs.UInt32
		if err = d.f.decode(t, m, &v); err == nil {
			d.f.version = v.Data
		}
	case rslayout.TopicDeviceInfo, rslayout.TopicSensorInfo, rslayout.TopicAdditionalInfo, rslayout.TopicProperty:
		err = d.keyValues(t, m)
	case rslayout.TopicOptionValue:
		var v msgs.Float32
		if err = d.f.decode(t, m, &v); err == nil {
			d.option(t, t.Name, v.Data)
		}
	case rslayout.TopicOptionText, rslayout.TopicPostProcessing:
		var s msgs.String
		if err = d.f.decode(t, m, &s); err == nil {
			d.text(t, s.Data)
		}
	default:
		err = d.streamMessage(t, m)
	}
	if err != nil {
		d.f.leave("%s: %v", m.Conn.Topic, err)
	}
}

func (d *description) streamMessage(t rslayout.Topic, m bagstore.Message) error {
	s := d.stream(t)
	switch t.Kind {
	case rslayout.TopicStreamInfo:
		if s.info != nil {
			d.f.note("%s: described twice; the first counts", m.Conn.Topic)
			return nil
		}
		return decodeTo(d.f, &s.info, t, m)
	case rslayout.TopicCameraInfo:
		return decodeTo(d.f, &s.camera, t, m)
	case rslayout.TopicImuIntrinsic:
		return decodeTo(d.f, &s.imu, t, m)
	case rslayout.TopicTF:
		e, err := d.f.extrinsics(t, m)
		if err == nil {
			s.tf[t.Name] = e
		}
		return err
	}
	return nil
}

// extrinsics reads the place of a stream, which may be text.
func (f *File) extrinsics(t rslayout.Topic, m bagstore.Message) (camdriver.Extrinsics, error) {
	if f.texts[m.Conn.ID] {
		return parsed(m, rstext.ParseExtrinsics)
	}
	var tf msgs.Transform
	err := f.decode(t, m, &tf)
	return rslayout.Extrinsics(&tf), err
}

// keyValues reads a key and its value, or a text with several.
func (d *description) keyValues(t rslayout.Topic, m bagstore.Message) error {
	if d.f.texts[m.Conn.ID] {
		var text msgs.String
		err := msgs.Unmarshal(m.Data, &text)
		for p := range rstext.Pairs(text.Data) {
			d.keyValue(t, msgs.KeyValue{Key: p.Key, Value: p.Value})
		}
		return err
	}
	var kv msgs.KeyValue
	err := d.f.decode(t, m, &kv)
	if err == nil {
		d.keyValue(t, kv)
	}
	return err
}

func (d *description) keyValue(t rslayout.Topic, kv msgs.KeyValue) {
	key, known := camdriver.ParseInfoKey(kv.Key)
	info := camdriver.Info{Key: key, Value: kv.Value}
	switch {
	case t.Kind == rslayout.TopicProperty:
		if v, err := strconv.ParseFloat(strings.TrimSpace(kv.Value), 32); err == nil {
			d.option(t, kv.Key, float32(v))
		}
	case t.Kind == rslayout.TopicAdditionalInfo && known: // an info that librealsense must not see
		d.info = append(d.info, info)
	case t.Kind == rslayout.TopicAdditionalInfo:
		d.f.additional = append(d.f.additional, kv)
	case !known:
		d.f.leave("info %q is no key of librealsense's", kv.Key)
	case t.Kind == rslayout.TopicDeviceInfo:
		d.info = append(d.info, info)
	default:
		s := d.sensor(t.Sensor)
		s.info = append(s.info, info)
	}
}

func (d *description) option(t rslayout.Topic, name string, value float32) {
	if id, known := rslayout.ParseOptionName(name); known {
		d.sensor(t.Sensor).options[id] = value
	} else {
		d.f.leave("sensor %d: option %q is unknown", t.Sensor, name)
	}
}

func (d *description) text(t rslayout.Topic, s string) {
	sensor := d.sensor(t.Sensor)
	if t.Kind == rslayout.TopicPostProcessing {
		if d.f.textual {
			sensor.filters = append(sensor.filters, rstext.List(s)...)
		} else {
			sensor.filters = append(sensor.filters, s)
		}
	} else if id, known := rslayout.ParseOptionName(t.Name); known {
		sensor.texts[id] = s
	}
}

// decode reads a message as its topic says. The message may be a text that says the same.
func (f *File) decode(t rslayout.Topic, m bagstore.Message, into msgs.Message) error {
	if f.texts[m.Conn.ID] {
		var text msgs.String
		if err := msgs.Unmarshal(m.Data, &text); err != nil {
			return err
		}
		if known, err := fromText(text.Data, into); known {
			return err
		}
	}
	if err := checkType(t, m); err != nil {
		return err
	}
	return msgs.Unmarshal(m.Data, into)
}

// decodeTo sets p to the message that decode reads, unless that fails.
func decodeTo[M any, P interface {
	*M
	msgs.Message
}](f *File, p *P, t rslayout.Topic, m bagstore.Message) error {
	into := P(new(M))
	err := f.decode(t, m, into)
	if err == nil {
		*p = into
	}
	return err
}

// checkType tells types by their md5 alone, as librealsense does.
func checkType(t rslayout.Topic, m bagstore.Message) error {
	if want, ok := msgs.Lookup(t.Kind.Type()); !ok || m.Conn.MD5 != want.MD5 {
		return &TypeError{Topic: m.Conn.Topic, Want: t.Kind.Type(), Have: m.Conn.Type}
	}
	return nil
}

// sortedOptions returns the sensor's options by ID. Recordings have no ranges, so minimum, maximum
// and default are the value.
func (s *sensorDescription) sortedOptions() []camdriver.Option {
	var list []camdriver.Option
	for id, v := range s.options {
		if s.texts[id] == rstext.AddedOption {
			continue
		}
		list = append(list, camdriver.Option{ID: id, Value: v, Min: v, Max: v, Default: v, ReadOnly: true,
			Description: s.texts[id]})
	}
	slices.SortFunc(list, func(a, b camdriver.Option) int { return int(a.ID) - int(b.ID) })
	return list
}
