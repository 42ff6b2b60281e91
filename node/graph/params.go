package graph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"rsros/node/ros"
	"rsros/program"
)

// Params are a node's private parameters, as the parameter server returns them.
type Params map[string]any

// PrivateParams gets the node's private parameters. It waits for the master, as
// roscpp does.
func PrivateParams(ctx context.Context, n *ros.Node) (Params, error) {
	for {
		v, ok, err := n.Param(ctx, "~")
		if err == nil {
			tree, _ := v.(map[string]any)
			if !ok {
				tree = nil
			}
			return tree, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-n.Done():
			return nil, errors.New("shut down before a master answered")
		case <-time.After(time.Second):
		}
	}
}

// ParamReader reads private parameters and collects errors of those that have the
// wrong type. An empty string and a namespace of the same name count as unset.
type ParamReader struct {
	params Params
	wrong  map[string]error // by name, because streams share parameters
}

// NewParamReader reads p, which may be nil.
func NewParamReader(p Params) *ParamReader { return &ParamReader{p, map[string]error{}} }

// Err returns all errors so far, by name.
func (p *ParamReader) Err() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(p.wrong)) {
		errs = append(errs, p.wrong[name])
	}
	return errors.Join(errs...)
}

// Value returns nil if the parameter is unset.
func (p *ParamReader) Value(name string) any {
	switch v := p.params[name].(type) {
	case map[string]any:
		return nil
	case string:
		if v == "" {
			return nil
		}
	}
	return p.params[name]
}

// mistyped notes that a parameter has a value of the wrong type.
func (p *ParamReader) mistyped(name, want string, v any) {
	found := fmt.Sprint(v)
	if text, ok := v.(string); ok {
		found = strconv.Quote(text)
	}
	p.wrong[name] = fmt.Errorf("%w: parameter ~%s: want %s, not %s", program.ErrUsage, name, want, found)
}

// Text returns a text, or a number as one.
func (p *ParamReader) Text(name string) string {
	switch v := p.Value(name).(type) {
	case nil:
	case string:
		return v
	case int: // YAML reads a serial number as an integer
		return strconv.Itoa(v)
	default:
		p.mistyped(name, "text", v)
	}
	return ""
}

// Texts returns a list of texts, or a single text as a list. It returns nil if the
// parameter is unset.
func (p *ParamReader) Texts(name string) []string {
	list, ok := p.Value(name).([]any)
	if !ok {
		if text := p.Text(name); text != "" {
			return []string{text}
		}
		return nil
	}
	var texts []string
	for _, v := range list {
		text, ok := v.(string)
		if !ok {
			p.mistyped(name, "a list of texts", list)
		}
		texts = append(texts, text)
	}
	return texts
}

// Is reports whether a parameter is set and true.
func (p *ParamReader) Is(name string) bool {
	on, _ := p.Truth(name)
	return on
}

// Truth returns whether a parameter is true, and whether it is set.
func (p *ParamReader) Truth(name string) (on, said bool) {
	switch v := p.Value(name).(type) {
	case nil:
	case bool:
		return v, true
	default:
		p.mistyped(name, "true or false", v)
	}
	return false, false
}

// Number returns a positive number, or 0. realsense2_camera's 0 and -1 mean "the
// device's choice", which is 0 here.
func (p *ParamReader) Number(name string) int { return int(p.Real(name)) }

// Real is Number with a fraction.
func (p *ParamReader) Real(name string) float64 {
	switch v := p.Value(name).(type) {
	case nil:
	case int:
		return max(float64(v), 0)
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return max(v, 0)
		}
		p.mistyped(name, "a number", v)
	default:
		p.mistyped(name, "a number", v)
	}
	return 0
}

// Refuse notes that a parameter has a value that can't be used.
func (p *ParamReader) Refuse(name string, err error) {
	p.wrong[name] = fmt.Errorf("parameter ~%s: %w", name, err)
}
