package ros2

import (
	"cmp"
	"fmt"

	"rsros/msgs"
)

// Encoder converts messages of a ROS 1 type to ROS 2.
type Encoder struct {
	converter
	// Type is the ROS 2 type, such as "sensor_msgs/msg/Image".
	Type string
	// Definition has the encoding "ros2msg" and includes dependencies.
	Definition string
	// Hash is the type hash, "RIHS01_…".
	Hash string
	// Dropped lists the fields that ROS 2 lacks as paths such as "header.frame_id", except for what it never has: the seq
	// of headers, frame_id and topics of a log message, and frame_id of extrinsics.
	Dropped []string
}

// NewEncoder returns an encoder for a ROS 1 type with a full definition.
func NewEncoder(name, definition string) (*Encoder, error) {
	from, err := msgs.Parse(name, definition)
	if err != nil {
		return nil, err
	}
	short := name
	if other, ok := ros2Names[name]; ok {
		short = other
	}
	if s, ok := specials[name]; ok && from.MD5() == msgs.MustType(name).MD5 {
		e, err := encoderFor(short, from)
		if err == nil {
			e.plans = []*plan{{own: s.toROS2}}
		}
		return e, err
	}
	own := msgs.Split(name, definition)
	to, err := msgs.ParseFrom(name, func(name string) (string, bool) {
		if t, ok := newer(name); ok {
			return t, true
		}
		return own.Text(name)
	})
	if err != nil {
		return nil, err
	}
	c := compiler{from: "ROS 1", to: "ROS 2", done: make(map[pair]*plan)}
	p, err := c.compile(from, to, "")
	if err != nil {
		return nil, fmt.Errorf("type %s: %w", name, err)
	}
	e, err := encoderFor(short, to)
	if err != nil {
		return nil, err
	}
	e.plans, e.Dropped = []*plan{p}, c.dropped
	return e, nil
}

// Describe returns the definition, in the encoding "ros2msg", and the type hash of a known
// ROS 2 type, such as "std_msgs/msg/String", that is the same in all releases of ROS 2.
func Describe(name string) (definition, hash string, ok bool) {
	short, invalid := TypeName(name)
	m, err := Map(name, "")
	if cmp.Or(invalid, err) != nil || len(m.plans) != 1 {
		return "", "", false
	}
	e, err := encoderFor(short, m.plans[0].from)
	if err != nil {
		return "", "", false
	}
	return e.Definition, e.Hash, true
}

// encoderFor returns the description of a type with the ROS 2 name short.
func encoderFor(short string, s *msgs.Spec) (*Encoder, error) {
	if _, ok := builtin[short]; ok {
		d := &describer{names: []string{short}, specs: map[string]*msgs.Spec{short: nil}}
		return d.encoder(), nil
	}
	if short != s.Name {
		var err error
		if s, err = msgs.ParseFrom(short, newer); err != nil {
			return nil, err
		}
	}
	return describe(s).encoder(), nil
}

func (d *describer) encoder() *Encoder {
	return &Encoder{
		Type: FullTypeName(d.names[0]), Definition: d.text(), Hash: d.hash(), converter: converter{toROS2: true},
	}
}
