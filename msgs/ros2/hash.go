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
	switch s := d.specs[name]; {
	case s == nil:
		list = []string{fieldJSON("sec", fieldTypes["int32"], 0, ""), fieldJSON("nanosec", fieldTypes["uint32"], 0, "")}
	case len(s.Fields) == 0:
		list = []string{fieldJSON("structure_needs_at_least_one_member", fieldTypes["uint8"], 0, "")}
	default:
		for i := range s.Fields {
			list = append(list, specFieldJSON(s, &s.Fields[i]))
		}
	}
	return fmt.Sprintf(`{"type_name": %s, "fields": [%s]}`, msgs.QuoteJSON(ros2Type(name)), strings.Join(list, ", "))
}

func specFieldJSON(s *msgs.Spec, f *msgs.Field) string {
	kind, nested := fieldTypes[f.Type], ""
	if kind == 0 {
		kind, nested = nestedType, ros2Type(elementType(f))
	}
	capacity := 0
	switch {
	case f.Array && f.Len == msgs.Variable:
		kind += variableArray
	case f.Array:
		kind, capacity = kind+fixedArray, f.Len
	}
	return fieldJSON(fieldName(s, f), kind, capacity, nested)
}

func fieldJSON(name string, kind, capacity int, nested string) string {
	return fmt.Sprintf(`{"name": %s, "type": {"type_id": %d, "capacity": %d, "string_capacity": 0, "nested_type_name": %s}}`,
		msgs.QuoteJSON(name), kind, capacity, msgs.QuoteJSON(nested))
}
