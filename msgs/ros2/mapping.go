package ros2

import (
	"fmt"

	"rsros/msgs"
)

// Mapping converts messages of a ROS 2 type to ROS 1.
type Mapping struct {
	converter
	// Type is the ROS 1 type.
	Type msgs.Type
	// Dropped lists the fields that ROS 1 lacks as paths such as "markers.texture".
	Dropped []string
}

// Map returns the mapping of a ROS 2 type, such as "sensor_msgs/msg/Image". definition has
// the encoding "ros2msg" and includes dependencies; it is empty if the recording has none.
func Map(name, definition string) (*Mapping, error) {
	short, err := TypeName(name)
	if err != nil {
		return nil, err
	}
	own, renamed := ros1Names[short]
	if s, ok := specials[own]; ok {
		from, err := msgs.ParseFrom(short, newer)
		return &Mapping{Type: msgs.MustType(own), converter: converter{plans: []*plan{{from: from, own: s.toROS1}}}}, err
	}
	if renamed {
		short, definition = own, ""
	}
	m := &Mapping{}
	sources := []func(string) (string, bool){newer, older}
	if definition != "" {
		text, wide, err := ros1Syntax(short, definition)
		if err != nil {
			return nil, fmt.Errorf("definition of %s: %w", name, err)
		}
		m.wide = wide
		sources = []func(string) (string, bool){msgs.Split(short, text).Text}
	}
	for _, text := range sources {
		if err := m.add(short, text); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// add adds a plan for the definitions that text returns.
func (m *Mapping) add(name string, text func(string) (string, bool)) error {
	from, err := msgs.ParseFrom(name, text)
	if err != nil {
		return err
	}
	if len(m.plans) > 0 && m.plans[0].from.MD5() == from.MD5() {
		return nil // same in both releases
	}
	to, err := msgs.ParseFrom(name, func(name string) (string, bool) {
		if t, ok := ros1Text(name); ok {
			return t, true
		}
		return text(name)
	})
	if err != nil {
		return err
	}
	c := compiler{from: "ROS 2", to: "ROS 1", wide: m.wide, done: make(map[pair]*plan)}
	p, err := c.compile(from, to, "")
	if err != nil {
		return fmt.Errorf("type %s: %w", name, err)
	}
	m.plans = append(m.plans, p)
	if len(m.plans) == 1 {
		m.Type = msgs.Type{Name: to.Name, MD5: to.MD5(), Definition: to.FullText()}
		if known, ok := msgs.Lookup(name); ok && known.MD5 == m.Type.MD5 {
			m.Type = known // with the usual definition
		}
		m.Dropped = c.dropped
	}
	return nil
}
