package ros2

import (
	"fmt"
	"strings"

	"rsros/msgs"
)

// builtinText is the definition of each of the ROS 2 types that are built into ROS 1.
const builtinText = "int32 sec\nuint32 nanosec\n"

// describer is a type with its dependencies.
type describer struct {
	names []string // in order of first use
	specs map[string]*msgs.Spec
}

// describe returns a type with its dependencies. Those of builtin have no Spec.
func describe(s *msgs.Spec) *describer {
	d := &describer{specs: make(map[string]*msgs.Spec)}
	d.add(s.Name, s)
	return d
}

func (d *describer) add(name string, s *msgs.Spec) {
	if _, seen := d.specs[name]; seen {
		return
	}
	d.names, d.specs[name] = append(d.names, name), s
	if s == nil {
		return
	}
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Kind == msgs.KindStruct || builtinName(f.Kind) != "" {
			d.add(elementType(f), f.Sub)
		}
	}
}

// text returns the definition in the encoding "ros2msg", as in rosbag2.
func (d *describer) text() string {
	var b strings.Builder
	for i, name := range d.names {
		if i > 0 {
			fmt.Fprintf(&b, "\n%s\nMSG: %s\n", separator, name)
		}
		b.WriteString(ownText(d.specs[name]))
	}
	return b.String()
}

// ownText returns the definition of a single type, nil for one of builtin.
func ownText(s *msgs.Spec) string {
	if s == nil {
		return builtinText
	}
	var b strings.Builder
	for _, c := range s.Constants {
		value := c.Value
		if c.Type == "string" {
			value = quote(value)
		}
		fmt.Fprintf(&b, "%s %s=%s\n", c.Type, c.Name, value)
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		fmt.Fprintf(&b, "%s %s\n", elementType(f)+arrayText(f), fieldName(s, f))
	}
	return b.String()
}

// builtinName returns ROS 2's type for a time or a duration.
func builtinName(k msgs.Kind) string {
	switch k {
	case msgs.KindTime:
		return "builtin_interfaces/Time"
	case msgs.KindDuration:
		return "builtin_interfaces/Duration"
	}
	return ""
}

func elementType(f *msgs.Field) string {
	if name := builtinName(f.Kind); name != "" {
		return name
	}
	return f.Type
}

func arrayText(f *msgs.Field) string {
	switch {
	case !f.Array:
		return ""
	case f.Len == msgs.Variable:
		return "[]"
	}
	return fmt.Sprintf("[%d]", f.Len)
}

// fieldName returns the name of a field in ROS 2, whose common types have lower-case names.
// Names in other types are unchanged.
func fieldName(s *msgs.Spec, f *msgs.Field) string {
	if _, common := msgs.Lookup(s.Name); common {
		return strings.ToLower(f.Name)
	}
	return f.Name
}

// quote is the inverse of unquote.
func quote(value string) string {
	if !strings.Contains(value, `"`) {
		return `"` + value + `"`
	}
	return "'" + strings.ReplaceAll(value, "'", `\'`) + "'"
}
