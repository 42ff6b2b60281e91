package foxglove

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rsros/ros"
	"rsros/viewer/clients"
)

// parameter is a parameter in the protocol. JSON has one kind of number, so Type distinguishes ROS's kinds.
type parameter struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value,omitempty"`
	Type  string          `json:"type,omitempty"`
}

// The types that the JSON value alone doesn't determine.
const (
	typeDouble  = "float64"
	typeDoubles = "float64_array"
	typeBytes   = "byte_array"
)

// parameterOf converts a value of a ROS parameter: bool, int, float64, string, []byte,
// time.Time, []any or map[string]any.
func parameterOf(name string, value any) parameter {
	p := parameter{Name: name}
	switch v := value.(type) {
	case float64:
		p.Type = typeDouble
	case []byte:
		p.Type = typeBytes
	case []any:
		isDouble := func(e any) bool { _, ok := e.(float64); return ok }
		if len(v) > 0 && !slices.ContainsFunc(v, func(e any) bool { return !isDouble(e) }) {
			p.Type = typeDoubles
		}
	}
	value, _ = ros.MapParam(value, representable) // representable never fails
	p.Value, _ = clients.JSON(value)              // nor does this, of what representable returns
	return p
}

// representable replaces values that JSON can't represent, or represents differently.
func representable(value any) (any, error) {
	switch v := value.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v), nil
		}
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0" // so that it is read as a double, not as an int
		}
		return json.RawMessage(text), nil
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano), nil
	}
	return value, nil
}

// value returns the parameter's value for ROS, or nil if the parameter is to be deleted.
func (p *parameter) value() (any, error) {
	if len(p.Value) == 0 || string(p.Value) == "null" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(p.Value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
	}
	switch text, isText := v.(string); {
	case p.Type == typeBytes && isText:
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		return b, nil
	case p.Type == typeBytes:
		return nil, fmt.Errorf("parameter %s: %s isn't base64, as %s has to be", p.Name, p.Value, typeBytes)
	}
	double := p.Type == typeDouble || p.Type == typeDoubles
	v, err := ros.MapParam(v, func(v any) (any, error) { return fromJSON(v, double) })
	if err != nil {
		return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
	}
	return v, nil
}

// fromJSON turns a number into an int or a float64.
func fromJSON(value any, double bool) (any, error) {
	switch v := value.(type) {
	case json.Number:
		if !double && !strings.ContainsAny(v.String(), ".eE") {
			n, err := v.Int64()
			if err != nil || n < math.MinInt32 || n > math.MaxInt32 {
				return nil, fmt.Errorf("%s doesn't fit into 32 bits, as ROS's integers do", v)
			}
			return int(n), nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("%s isn't a float64", v)
		}
		return f, nil
	case nil:
		return nil, fmt.Errorf("null has no counterpart in ROS")
	}
	return value, nil
}
