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
		unknown := f.topics[c.ID].Kind == rslayout.TopicUnknown && strings.HasPrefix(c.Topic, "/device_0/")
		if unknown && !strings.HasSuffix(c.Topic, "/image/camera_info") {
			f.note("%s: %s is not read here; left out", c.Topic, c.Type)
		}
	}
}

// parsed reads a message that is a text.
func parsed[T any](m bagstore.Message, parse func(string) (T, error)) (v T, err error) {
	var text msgs.String
	if err := msgs.Unmarshal(m.Data, &text); err != nil {
		return v, err
	}
	return parse(text.Data)
}

// fromText sets a message to what a text in its place says.
func fromText(text string, into msgs.Message) (known bool, err error) {
	switch into := into.(type) {
	case *msgs.Float32:
		into.Data, err = rstext.ParseSingle(text)
	case *msgs.StreamInfo:
		var fps int
		into.Encoding, fps, err = rstext.ParseStreamInfo(text)
		into.FPS, into.Recommended = uint32(fps), true // a file doesn't say which profile is the default
	case *msgs.CameraInfo:
		in, e := rstext.ParseIntrinsics(text)
		*into, err = *rslayout.CameraInfo(camdriver.StreamSnapshot{Video: &in}), e
	case *msgs.ImuIntrinsic:
		in, e := rstext.ParseMotionIntrinsics(text)
		*into, err = *rslayout.ImuIntrinsic(&in), e
	default:
		return false, nil
	}
	return true, err
}
