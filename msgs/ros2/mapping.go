package ros2

import (
	"cmp"
	"fmt"
	"slices"

	"rsros/msgs"
	"rsros/msgs/cdr"
)

// Mapping makes ROS 1 messages of the messages of one ROS 2 type.
type Mapping struct {
	// Type is the ROS 1 type.
	Type msgs.Type
	// Dropped lists the fields that ROS 1 has no place for, as paths such as
	// "markers.texture".
	Dropped []string

	plans []*plan // forms of the type in several releases of ROS 2, newest first
	own   func(*cdr.Decoder, *msgs.Encoder)
	wide  map[string]bool // fields that are wide strings, by the names of type and field
}

// Map finds the ROS 1 form of a ROS 2 type, such as "sensor_msgs/msg/Image".
// definition is its text of the encoding "ros2msg", with those of the types it
// uses; empty if the recording has none.
func Map(name, definition string) (*Mapping, error) {
	short, err := TypeName(name)
	if err != nil {
		return nil, err
	}
	if short == logType {
		return &Mapping{Type: msgs.MustType("rosgraph_msgs/Log"), own: logToROS1}, nil
	}
	if own, ok := ros1Names[short]; ok {
		short, definition = own, ""
	}
	m := &Mapping{}
	sources := []func(string) (string, bool){newer, older}
	if definition != "" {
		text, wide, err := ros1Syntax(short, definition)
		if err != nil {
			return nil, fmt.Errorf("the definition of %s: %w", name, err)
		}
		m.wide = wide
		list := texts(short, text)
		sources = []func(string) (string, bool){func(name string) (string, bool) { t, ok := list[name]; return t, ok }}
	}
	for _, text := range sources {
		if err := m.add(short, text); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// add adds the form of a type that consists of these texts.
func (m *Mapping) add(name string, text func(string) (string, bool)) error {
	from, err := assemble(name, text)
	if err != nil {
		return err
	}
	if len(m.plans) > 0 && m.plans[0].from.MD5() == from.MD5() {
		return nil // releases don't differ
	}
	to, err := assemble(name, func(name string) (string, bool) {
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
			m.Type = known // the same text as that of connections of other origin
		}
		m.Dropped = c.dropped
	}
	return nil
}

// padding is what recorders of ROS 2 may put after a message.
const padding = 3

// ToROS1 appends the ROS 1 form of a CDR message, encapsulation included, to what it
// is given.
func (m *Mapping) ToROS1(to, message []byte) ([]byte, error) {
	out, _, err := m.Convert(to, message)
	return out, err
}

// Convert is ToROS1 that also reports whether everything of the message is in its ROS 1
// form. It isn't where a field of Dropped has a value, where more than padding follows its
// last field, or a time is before 1970.
func (m *Mapping) Convert(to, message []byte) (out []byte, whole bool, err error) {
	d := cdr.NewDecoder(message)
	if m.own != nil {
		e := msgs.Encoder{B: to}
		m.own(d, &e)
		return e.B, true, d.Err()
	}
	units := []int{0}
	if len(m.wide) > 0 {
		units = wideUnits
	}
	var first error
	for _, p := range m.plans {
		for _, unit := range units {
			d.Reset(message)
			r := run{d: d, out: to, limit: len(to) + growth*len(message) + slack, unit: unit}
			r.plan(p)
			if err := d.Err(); err != nil {
				first = cmp.Or(first, err)
			} else if d.Remaining() <= padding || len(m.plans)*len(units) == 1 {
				return r.out, !r.lossy && d.Remaining() <= padding, nil
			} else {
				first = cmp.Or(first, fmt.Errorf("message of %d bytes: %d bytes follow its last field", len(message), d.Remaining()))
			}
		}
	}
	return to, false, first
}

// logToROS1 makes a rosgraph_msgs/Log of a rcl_interfaces/msg/Log.
func logToROS1(d *cdr.Decoder, e *msgs.Encoder) {
	stamp, level := d.Time(), d.U8()
	out := msgs.Log{Header: msgs.Header{Stamp: stamp}, Name: d.String(), Msg: d.String(), File: d.String(), Function: d.String(), Line: d.U32()}
	// ROS 2 counts levels in tens, ROS 1 in powers of two, of DEBUG, INFO, WARN, ERROR, FATAL.
	out.Level = 1 << min(max(int(level)/10-1, 0), 4)
	out.Append(e)
}

// Known lists the ROS 1 names of the types that are mapped without a definition.
func Known() []string {
	list := msgs.Types()
	for name := range forms() {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
