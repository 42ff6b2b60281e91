package ros2

import (
	"fmt"
	"strings"
)

// builtin maps ROS 2 types to built-in types of ROS 1.
var builtin = map[string]string{
	"builtin_interfaces/Time":     "time",
	"builtin_interfaces/Duration": "duration",
}

// TypeName converts "sensor_msgs/msg/Image" to "sensor_msgs/Image". It rejects services and
// actions, such as "pkg/srv/Name_Request", which bags don't contain.
func TypeName(name string) (string, error) {
	parts := strings.Split(name, "/")
	switch {
	case len(parts) == 3 && parts[1] == "msg":
		return parts[0] + "/" + parts[2], nil
	case len(parts) == 3:
		return "", fmt.Errorf("type %s: services and actions cannot be stored in a ROS 1 bag", name)
	case len(parts) == 2:
		return name, nil
	}
	return "", fmt.Errorf("type %q: want package/msg/Type", name)
}

// separator precedes each dependency in a definition.
var separator = strings.Repeat("=", 80)

// ros1Syntax converts a definition of the encoding "ros2msg", with its dependencies after lines of '=', to the syntax
// of ROS 1. wide is the set of wstring fields, by type and field name, which are strings in ROS 1.
func ros1Syntax(name, text string) (ros1 string, wide map[string]bool, err error) {
	pkg, _, _ := strings.Cut(name, "/")
	wide = make(map[string]bool)
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "MSG:"); ok {
			if name, err = TypeName(strings.TrimSpace(title)); err != nil {
				return "", nil, err
			}
			pkg, _, _ = strings.Cut(name, "/")
			line = separator + "\nMSG: " + name
		} else if strings.HasPrefix(line, "====") {
			continue
		} else {
			isWide := strings.HasPrefix(line, "wstring")
			if line, err = fieldLine(pkg, line); err != nil {
				return "", nil, err
			}
			if _, field, ok := strings.Cut(line, " "); ok && isWide {
				wide[name+"."+field] = true
			}
		}
		if line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String(), wide, nil
}

// fieldLine converts a field or a constant. It omits comments and default values.
func fieldLine(pkg, line string) (string, error) {
	words := strings.Fields(line)
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return "", nil
	}
	if len(words) == 1 {
		return "", fmt.Errorf("%q: want \"type name\"", line)
	}
	typ, err := fieldType(pkg, words[0])
	if err != nil {
		return "", err
	}
	rest := strings.TrimSpace(line[len(words[0]):])
	end := strings.IndexFunc(rest, func(r rune) bool { return !isNameRune(r) })
	if end < 0 {
		return typ + " " + rest, nil
	}
	name, after := rest[:end], strings.TrimSpace(rest[end:])
	value, isConstant := strings.CutPrefix(after, "=")
	if !isConstant {
		return typ + " " + name, nil // the rest is a default value or a comment
	}
	value = strings.TrimSpace(value)
	if typ == "string" {
		return typ + " " + name + "=" + unquote(value), nil
	}
	value, _, _ = strings.Cut(value, "#")
	return typ + " " + name + "=" + strings.TrimSpace(value), nil
}

func isNameRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// unquote converts a string constant to the syntax of ROS 1, which has no quotes.
func unquote(value string) string {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return value
	}
	var plain strings.Builder
	for i := 1; i < len(value); i++ {
		switch {
		case value[i] == value[0]:
			return plain.String()
		case value[i] == '\\' && i+1 < len(value) && value[i+1] == value[0]:
			i++
		}
		plain.WriteByte(value[i])
	}
	return value
}

// fieldType converts a type: names without "msg", and no bounds.
func fieldType(pkg, typ string) (string, error) {
	elem, array, isArray := strings.Cut(typ, "[")
	if isArray {
		if strings.HasPrefix(array, "<=") {
			array = "]"
		}
		array = "[" + array
	}
	elem, _, _ = strings.Cut(elem, "<=")
	if elem == "wstring" {
		elem = "string"
	}
	if strings.Contains(elem, "/") {
		name, err := TypeName(elem)
		if err != nil {
			return "", err
		}
		elem = name
	} else if pkg == "builtin_interfaces" && (elem == "Time" || elem == "Duration") {
		elem = pkg + "/" + elem
	}
	if own, ok := builtin[elem]; ok {
		elem = own
	}
	return elem + array, nil
}
