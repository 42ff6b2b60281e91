package rslayout

import (
	"math"
	"testing"

	"rsros/camdriver"
	"rsros/msgs"
)

// TestTopics checks that encoded topic names parse to what was encoded, and their types.
func TestTopics(t *testing.T) {
	depth := camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, FPS: 30, Width: 4, Height: 2}
	e := NewEncoder(camdriver.DeviceSnapshot{
		Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "a camera"}},
		Sensors: []camdriver.SensorSnapshot{{}, {
			Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "Stereo Module"}}, Options: []camdriver.Option{{ID: camdriver.OptionDepthUnits, Value: 0.001}},
		}},
		Streams: []camdriver.StreamSnapshot{{Sensor: 1, Profile: depth}},
	})
	list := e.Static()
	stream := e.Stream(depth.Stream)
	if stream == nil || stream.Sensor != 1 || e.Stream(camdriver.ColorStream) != nil {
		t.Fatalf("stream %+v, want one of sensor 1 and no other", stream)
	}
	for _, topic := range stream.Topics() {
		list = append(list, Message{Topic: topic.Name, Type: topic.Type})
	}
	kinds := make(map[TopicKind]bool)
	for _, m := range list {
		topic := ParseTopic(m.Topic)
		kinds[topic.Kind] = true
		if topic.Kind == TopicUnknown || topic.Kind.Type() != m.Type.Name {
			t.Errorf("%s is of kind %d with the type %q, encoded as %s", m.Topic, topic.Kind, topic.Kind.Type(), m.Type.Name)
		}
		if id, ok := ParseOptionName(topic.Name); topic.Kind == TopicOptionValue && (!ok || id != camdriver.OptionDepthUnits || topic.Sensor != 1) {
			t.Errorf("%s is the option %v of sensor %d", m.Topic, id, topic.Sensor)
		}
		if topic.IsFrame() && topic.Stream != depth.Stream {
			t.Errorf("%s has frames of %v", m.Topic, topic.Stream)
		}
	}
	for _, k := range []TopicKind{TopicFileVersion, TopicDeviceInfo, TopicSensorInfo, TopicOptionValue, TopicStreamInfo, TopicImage, TopicMetadata} {
		if !kinds[k] {
			t.Errorf("no topic of kind %d", k)
		}
	}
	for _, name := range []string{"", "/device_1/info", "/device_0/sensor_x/info", "/device_0/sensor_1/Depth_0/image", "/camera/depth/image_raw"} {
		if k := ParseTopic(name).Kind; k != TopicUnknown {
			t.Errorf("%q is of kind %d", name, k)
		}
	}
}

// TestExtrinsics checks that a rotation survives conversion to a quaternion, whichever of the four
// components is the largest.
func TestExtrinsics(t *testing.T) {
	for _, q := range []msgs.Quaternion{{W: 1}, {X: 1}, {Y: 1}, {Z: 1}, {X: -0.5, Y: 0.5, Z: -0.5, W: 0.5}, {X: 0.1, Y: -0.7, Z: 0.7, W: 0.1}} {
		e := Extrinsics(&msgs.Transform{Translation: msgs.Vector3{X: 1, Y: 2, Z: 3}, Rotation: q})
		again := Extrinsics(Transform(e))
		for i, v := range e.Rotation {
			if math.Abs(v-again.Rotation[i]) > 1e-12 {
				t.Errorf("%v: %v, want %v", q, again.Rotation, e.Rotation)
				break
			}
		}
		if again.Translation != e.Translation {
			t.Errorf("%v moved to %v", e.Translation, again.Translation)
		}
	}
	for _, q := range []msgs.Quaternion{{}, {X: math.Inf(1)}, {W: math.NaN()}} {
		if e := Extrinsics(&msgs.Transform{Rotation: q}); e != camdriver.Identity() {
			t.Errorf("%v is %v", q, e)
		}
	}
}
