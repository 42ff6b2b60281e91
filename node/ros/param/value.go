// Package param converts values to the types of the ROS parameter server.
package param

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"rsros/program/yaml"
)

// FromYAML parses one YAML value into the types of the parameter server; see Value.
func FromYAML(text string) (any, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	var v any
	if err := yaml.Decode([]byte(text), &v); err != nil {
		return nil, err
	}
	return Value(v)
}

// Value converts a value to the types of the parameter server: bool, int
// (32 bits), float64, string, []byte, time.Time, []any, map[string]any.
func Value(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case bool, string, float64, []byte, time.Time:
		return v, nil
	case float32:
		return float64(v), nil
	case int:
		return integer(int64(v))
	case int32:
		return int(v), nil
	case int64:
		return integer(v)
	case uint64:
		return integer(int64(min(v, 1<<62)))
	case []any:
		out := make([]any, len(v))
		for i := range v {
			var err error
			if out[i], err = Value(v[i]); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := maps.Clone(v)
		for k := range out {
			var err error
			if out[k], err = Value(v[k]); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("a parameter can't be of type %T", v)
}

func integer(v int64) (any, error) {
	if v != int64(int32(v)) {
		return nil, fmt.Errorf("%d doesn't fit the 32 bits of a parameter", v)
	}
	return int(v), nil
}
