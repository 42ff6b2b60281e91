package ros

import (
	"fmt"
	"strings"
	"time"

	"rsros/program/yaml"
)

// parseParam parses one YAML value into the types of the parameter server; see paramValue.
func parseParam(text string) (any, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	var v any
	if err := yaml.Decode([]byte(text), &v); err != nil {
		return nil, err
	}
	return paramValue(v)
}

// paramValue converts a value to the types of the parameter server: bool, int
// (32 bits), float64, string, []byte, time.Time, []any, map[string]any.
func paramValue(v any) (any, error) { return MapParam(v, paramLeaf) }

// MapParam returns a value with each element of its lists and trees, at any depth, replaced by
// what leaf returns for it.
func MapParam(v any, leaf func(any) (any, error)) (_ any, err error) {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			if list[i], err = MapParam(e, leaf); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		tree := make(map[string]any, len(v))
		for k, e := range v {
			if tree[k], err = MapParam(e, leaf); err != nil {
				return nil, err
			}
		}
		return tree, nil
	}
	return leaf(v)
}

func paramLeaf(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case bool, string, float64, []byte, time.Time:
		return v, nil
	case int:
		return paramInteger(int64(v))
	case int64:
		return paramInteger(v)
	case uint64:
		return paramInteger(int64(min(v, 1<<62)))
	}
	return nil, fmt.Errorf("a parameter can't be of type %T", v)
}

func paramInteger(v int64) (any, error) {
	if v != int64(int32(v)) {
		return nil, fmt.Errorf("%d doesn't fit the 32 bits of a parameter", v)
	}
	return int(v), nil
}
