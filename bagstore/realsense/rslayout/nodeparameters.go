package rslayout

import (
	"fmt"
	"path"
	"strings"
	"sync"

	"rsros/camdriver"
	"rsros/msgs"
)

// NodeOption is the value of an option of one of the camera's sensors.
type NodeOption struct {
	Sensor string // librealsense's name of the sensor
	ID     camdriver.OptionID
	Value  float32
}

// optionModules are the sensors of a camera in the names of the node's parameters.
var optionModules = map[string]string{
	"depth_module": "Stereo Module", "stereo_module": "Stereo Module", "rgb_camera": "RGB Camera",
	"motion_module": "Motion Module",
}

var optionIDs = sync.OnceValue(func() map[string]camdriver.OptionID {
	ids := make(map[string]camdriver.OptionID)
	for id := camdriver.OptionID(0); ; id++ {
		if _, known := camdriver.ParseOptionID(id.String()); !known {
			return ids
		}
		// Depth goes out in millimetres, whatever the sensor's units are.
		if id != camdriver.OptionDepthUnits {
			ids[camdriver.SnakeCase(id.String())] = id
		}
	}
})

func optionOf(module, name string, value float32) (NodeOption, bool) {
	sensor, known := optionModules[module]
	id, has := optionIDs()[name]
	return NodeOption{sensor, id, value}, known && has
}

// Types of the values of ROS 2's parameters that options have.
const (
	parameterBool = iota + 1
	parameterInteger
	parameterDouble
)

// ParseParameterEvent parses a rcl_interfaces/ParameterEvent: the node, the new values of options, and
// the number of other parameters.
func ParseParameterEvent(message []byte) (node string, options []NodeOption, others int, err error) {
	d := msgs.NewDecoder(message)
	d.Time()
	node = d.String()
	for range 2 { // new and changed; those that were deleted have no value
		for range d.Len(minParameter) {
			name, value, ok := decodeParameter(d)
			module, rest, _ := strings.Cut(name, ".")
			o, known := optionOf(module, rest, value)
			if !ok || !known {
				others++
				continue
			}
			options = append(options, o)
		}
	}
	if d.Err() != nil {
		return "", nil, 0, fmt.Errorf("parameters: %w", d.Err())
	}
	return node, options, others, nil
}

// minParameter is the size of a parameter whose name, text and lists are empty.
const minParameter = 4 + 1 + 1 + 8 + 8 + 4 + 5*4

// decodeParameter reads a rcl_interfaces/Parameter. ok: its value is a number or a bool.
func decodeParameter(d *msgs.Decoder) (name string, value float32, ok bool) {
	name = d.String()
	kind, b, i, f := d.U8(), d.Bool(), d.I64(), d.F64()
	d.Bytes() // text
	for _, size := range [...]int{1, 1, 8, 8} {
		d.Raw(size * d.Len(size))
	}
	for range d.Len(4) {
		d.Bytes()
	}
	switch kind {
	case parameterBool:
		return name, boolNumber(b), true
	case parameterInteger:
		return name, float32(i), true
	case parameterDouble:
		return name, float32(f), true
	}
	return name, 0, false
}

func boolNumber(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// updatesSuffix ends the names of dynamic_reconfigure's topics.
const updatesSuffix = "/parameter_updates"

// UpdatedNode reports whether a topic has a sensor's options in dynamic_reconfigure, and returns the
// prefix of the camera's topics.
func UpdatedNode(topic string) (prefix string, ok bool) {
	module, ok := strings.CutSuffix(topic, updatesSuffix)
	return strings.TrimSuffix(path.Dir(module), "/") + "/", ok && optionModules[path.Base(module)] != ""
}

// ParseUpdates parses a dynamic_reconfigure/Config: a sensor's options, and the number of other values.
func ParseUpdates(topic string, message []byte) (options []NodeOption, others int, err error) {
	var c msgs.Config
	if err := msgs.Unmarshal(message, &c); err != nil {
		return nil, 0, fmt.Errorf("parameters: %w", err)
	}
	module := path.Base(strings.TrimSuffix(topic, updatesSuffix))
	add := func(name string, v float32) {
		if o, ok := optionOf(module, name, v); ok {
			options = append(options, o)
		} else {
			others++
		}
	}
	for _, p := range c.Bools {
		add(p.Name, boolNumber(p.Value))
	}
	for _, p := range c.Ints {
		add(p.Name, float32(p.Value))
	}
	for _, p := range c.Doubles {
		add(p.Name, float32(p.Value))
	}
	return options, others + len(c.Strs), nil
}
