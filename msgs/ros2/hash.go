package ros2

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"rsros/msgs"
)

// hashPrefix is that of version 1 of ROS 2's interface hashes.
const hashPrefix = "RIHS01_"

// fieldTypes are the type ids in type descriptions. They are wire constants.
var fieldTypes = map[string]int{
	"int8": 2, "uint8": 3, "char": 3, "int16": 4, "uint16": 5, "int32": 6, "uint32": 7, "int64": 8, "uint64": 9,
	"float32": 10, "float64": 11, "bool": 15, "byte": 16, "string": 17,
}

const (
	nestedType    = 1
	fixedArray    = 48  // added for an array
	variableArray = 144 // added for a sequence
)

// hash returns the type hash, which ROS 2 stores with topics since Iron: SHA-256 of the
// description as JSON with this spacing.
func (d *describer) hash() string {
	used := slices.Sorted(slices.Values(d.names[1:]))
	var b strings.Builder
	fmt.Fprintf(&b, `{"type_description": %s, "referenced_type_descriptions": [`, d.typeJSON(d.names[0]))
	for i, name := range used {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(d.typeJSON(name))
	}
	b.WriteString("]}")
	sum := sha256.Sum256([]byte(b.String()))
	return hashPrefix + hex.EncodeToString(sum[:])
}

func (d *describer) typeJSON(name string) string {
	var list []string
	for _, f := range d.fields(name) {
		list = append(list, fmt.Sprintf(
			`{"name": %s, "type": {"type_id": %d, "capacity": %d, "string_capacity": 0, "nested_type_name": %s}}`,
			msgs.QuoteJSON(f.name), f.kind, f.capacity, msgs.QuoteJSON(f.nested)))
	}
	return fmt.Sprintf(`{"type_name": %s, "fields": [%s]}`, msgs.QuoteJSON(FullTypeName(name)), strings.Join(list, ", "))
}

// describedField is a field in a type description.
type describedField struct {
	name           string
	kind, capacity int
	nested         string // type name, for nestedType
}

func (d *describer) fields(name string) (list []describedField) {
	switch s := d.specs[name]; {
	case s == nil:
		list = []describedField{{name: "sec", kind: fieldTypes["int32"]}, {name: "nanosec", kind: fieldTypes["uint32"]}}
	case len(s.Fields) == 0:
		list = []describedField{{name: "structure_needs_at_least_one_member", kind: fieldTypes["uint8"]}}
	default:
		for i := range s.Fields {
			list = append(list, describeField(s, &s.Fields[i]))
		}
	}
	return list
}

func describeField(s *msgs.Spec, f *msgs.Field) describedField {
	kind, nested := fieldTypes[f.Type], ""
	if kind == 0 {
		kind, nested = nestedType, FullTypeName(elementType(f))
	}
	capacity := 0
	switch {
	case f.Array && f.Len == msgs.Variable:
		kind += variableArray
	case f.Array:
		kind, capacity = kind+fixedArray, f.Len
	}
	return describedField{name: fieldName(s, f), kind: kind, capacity: capacity, nested: nested}
}

// EncodeDescription appends the description of a type, such as "std_msgs/msg/String", as a
// type_description_interfaces/msg/TypeDescription. definition has the encoding "ros2msg".
func EncodeDescription(e *msgs.Encoder, name, definition string) error {
	m, err := Map(name, definition)
	if err != nil {
		return err
	}
	d := describe(m.plans[0].from)
	d.encode(e, d.names[0])
	used := slices.Sorted(slices.Values(d.names[1:]))
	e.Len(len(used))
	for _, name := range used {
		d.encode(e, name)
	}
	return nil
}

func (d *describer) encode(e *msgs.Encoder, name string) {
	list := d.fields(name)
	e.String(FullTypeName(name))
	e.Len(len(list))
	for _, f := range list {
		e.String(f.name)
		e.U8(uint8(f.kind))
		e.U64(uint64(f.capacity))
		e.U64(0) // capacity of a bounded string
		e.String(f.nested)
		e.String("") // default value
	}
}
