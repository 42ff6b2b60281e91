package rsbag

import (
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
	"rsros/msgs"
)

// Recordings of librealsense since 2.58 have the topics of this layout, but many have text instead
// of typed messages, which package rstext parses.

const typeString = "std_msgs/String"

// findText finds topics with text instead of their type, and notes topics that aren't read.
func (f *File) findText() {
	text, _ := msgs.Lookup(typeString)
	f.texts = make(map[uint32]bool)
	for _, c := range f.bag.Connections() {
		if want := f.topics[c.ID].Kind.Type(); want != "" && want != typeString && c.MD5 == text.MD5 {
			f.texts[c.ID] = true
			switch f.topics[c.ID].Kind {
			case rslayout.TopicDeviceInfo, rslayout.TopicSensorInfo, rslayout.TopicStreamInfo, rslayout.TopicMetadata:
				f.textual = true
			}
		}
	}
	if !f.textual { // a few topics have the wrong type
		clear(f.texts)
		return
	}
	for _, c := range f.bag.Connections() {
		if f.topics[c.ID].Kind == rslayout.TopicUnknown && strings.HasPrefix(c.Topic, "/device_0/") && !strings.HasSuffix(c.Topic, "/image/camera_info") {
			f.note("%s: %s is not read here; left out", c.Topic, c.Type)
		}
	}
}

// textMessage adds a message with text to the description.
func (d *description) textMessage(t rslayout.Topic, m bagstore.Message) error {
	if t.Kind == rslayout.TopicOptionValue {
		v, err := d.f.optionValue(t, m)
		if err == nil {
			d.option(t, t.Name, v)
		}
		return err
	}
	var text msgs.String
	if err := msgs.Unmarshal(m.Data, &text); err != nil {
		return err
	}
	switch t.Kind {
	case rslayout.TopicDeviceInfo, rslayout.TopicSensorInfo, rslayout.TopicAdditionalInfo:
		for p := range rstext.Pairs(text.Data) {
			d.keyValue(t, msgs.KeyValue{Key: p.Key, Value: p.Value})
		}
		return nil
	}
	return d.textOfStream(d.stream(t), t, text.Data)
}

func (d *description) textOfStream(s *stream, t rslayout.Topic, text string) error {
	switch t.Kind {
	case rslayout.TopicStreamInfo:
		if s.info != nil {
			d.f.note("stream %s: described twice; the first counts", s.profile.Stream)
			return nil
		}
		encoding, fps, err := rstext.ParseStreamInfo(text)
		if err == nil {
			// A file doesn't say which profile is the default.
			s.info = &msgs.StreamInfo{FPS: uint32(fps), Encoding: encoding, Recommended: true}
		}
		return err
	case rslayout.TopicCameraInfo:
		in, err := rstext.ParseIntrinsics(text)
		if err == nil {
			s.camera = rslayout.CameraInfo(camdriver.StreamSnapshot{Video: &in})
		}
		return err
	case rslayout.TopicImuIntrinsic:
		in, err := rstext.ParseMotionIntrinsics(text)
		if err == nil {
			s.imu = rslayout.ImuIntrinsic(&in)
		}
		return err
	case rslayout.TopicTF:
		e, err := rstext.ParseExtrinsics(text)
		if err == nil {
			s.tf[t.Name] = e
		}
		return err
	}
	return nil
}

// optionValue reads an option's value, which may be text.
func (f *File) optionValue(t rslayout.Topic, m bagstore.Message) (float32, error) {
	if !f.texts[m.Conn.ID] {
		var v msgs.Float32
		err := decode(t, m, &v)
		return v.Data, err
	}
	var text msgs.String
	if err := msgs.Unmarshal(m.Data, &text); err != nil {
		return 0, err
	}
	return rstext.ParseSingle(text.Data)
}

func (a *assembler) text(t rslayout.Topic, m bagstore.Message) error {
	if t.Kind == rslayout.TopicOptionValue {
		return a.option(t, m)
	}
	var text msgs.String
	if err := msgs.Unmarshal(m.Data, &text); err != nil {
		return err
	}
	switch t.Kind {
	case rslayout.TopicMetadata:
		md, err := rstext.ParseMetadata(text.Data)
		a.part(t, false).text = &md // with an error, the part that could be parsed
		a.unknownKeys(md.Unknown)
		return err
	case rslayout.TopicNotification:
		n, err := rstext.ParseNotification(text.Data)
		if err == nil {
			a.events = append(a.events, a.event(Event{Sensor: t.Sensor, Notification: &n}))
		}
		return err
	}
	return &TypeError{Topic: m.Conn.Topic, Want: t.Kind.Type(), Have: m.Conn.Type}
}

func (a *assembler) textMetadata(p *partial) {
	f, md := p.frame, p.text
	f.Number, f.Timestamp, f.Domain, f.Metadata = md.Number, md.Timestamp, md.Domain, md.Values
	if md.Units > 0 && f.Stream().Kind == camdriver.Depth {
		f.DepthUnits = md.Units
	}
	if a.system {
		f.Arrival = md.System
	}
	sortMetadata(f)
}
