package ros2

import (
	"cmp"
	"fmt"

	"rsros/msgs"
	"rsros/msgs/cdr"
)

// Mapping converts messages of a ROS 2 type to ROS 1.
type Mapping struct {
	// Type is the ROS 1 type.
	Type msgs.Type
	// Dropped lists the fields that ROS 1 lacks as paths such as "markers.texture".
	Dropped []string

	plans []*plan // by release of ROS 2, newest first
	own   func(*cdr.Decoder, *msgs.Encoder)
	wide  map[string]bool // wstring fields, by type and field name
}

// Map returns the mapping of a ROS 2 type, such as "sensor_msgs/msg/Image". definition has
// the encoding "ros2msg" and includes dependencies; it is empty if the recording has none.
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

// padding is the number of bytes that ROS 2 recorders may append to a message.
const padding = 3

// Convert appends the ROS 1 form of a CDR message, which includes its encapsulation, to to, and
// reports whether the result is complete. It isn't if a dropped field isn't zero, if more than padding follows the last field, or if a time is before 1970.
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
				first = cmp.Or(first, fmt.Errorf("message has %d bytes, %d of them after its last field", len(message), d.Remaining()))
			}
		}
	}
	return to, false, first
}

// logToROS1 converts a rcl_interfaces/msg/Log to a rosgraph_msgs/Log.
func logToROS1(d *cdr.Decoder, e *msgs.Encoder) {
	stamp, level := d.Time(), d.U8()
	out := msgs.Log{Header: msgs.Header{Stamp: stamp}, Name: d.String(), Msg: d.String(), File: d.String(), Function: d.String(), Line: d.U32()}
	// Levels are multiples of ten in ROS 2 and powers of two in ROS 1.
	out.Level = 1 << min(max(int(level)/10-1, 0), 4)
	e.Message(&out)
}
