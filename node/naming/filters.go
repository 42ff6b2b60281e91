package naming

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/ros"
	"rsros/ros/graph"
)

// filters holds the blocks that realsense2_camera's parameters select.
type filters struct {
	depth     process.Chain            // before align, in the wrapper's order
	align     *process.Align           // nil without align_depth
	colorizer *process.Colorizer       // nil without
	original  *process.Colorizer       // for unaligned depth; nil unless depth is aligned, too
	cloud     *process.PointCloud      // nil without
	names     map[string]process.Block // blocks with options, by realsense2_camera's names
	groups    []*graph.Reconfigure     // of options
}

func newFilters(res *process.Resources, o *WrapperOptions) *filters {
	f := &filters{names: make(map[string]process.Block)}
	for _, name := range o.depthBlocks() {
		b := process.New(res, name)
		f.depth, f.names[name] = append(f.depth, b), b
	}
	if o.align() {
		f.align = process.NewAlign(res, camdriver.Color)
	}
	if o.has(filterColorizer) {
		f.colorizer = process.NewColorizer(res)
		f.names[filterColorizer] = f.colorizer
		if f.align != nil {
			f.original = process.NewColorizer(res)
		}
	}
	if o.cloud() {
		texture := o.Texture
		if f.align != nil && texture.Kind == camdriver.Color {
			texture = camdriver.StreamID{} // a point has the colour of the same pixel
		}
		f.cloud = process.NewPointCloud(res, texture)
		f.names[filterPointCloud] = f.cloud
	}
	return f
}

func (f *filters) fresh(res *process.Resources, o *WrapperOptions) *filters {
	out := newFilters(res, o)
	for name, b := range f.names {
		process.CopyOptions(out.names[name], b)
	}
	return out
}

func (f *filters) offer(ctx context.Context, n *ros.Node, camera string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(f.names)) {
		group, err := OfferOptions(ctx, n, camera+"/"+name, f.names[name])
		if group != nil {
			f.groups = append(f.groups, group)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// OfferOptions offers the options of a processing block or a sensor that users may change
// through dynamic_reconfigure, below a name. It first sets those that the parameter server
// has there, as realsense2_camera does. It returns nil if there are none.
func OfferOptions(ctx context.Context, n *ros.Node, name string, of interface {
	Options() []camdriver.Option
	SetOption(camdriver.OptionID, float32) error
}) (*graph.Reconfigure, error) {
	writable := func() []camdriver.Option {
		return slices.DeleteFunc(slices.Clone(of.Options()),
			func(o camdriver.Option) bool { return o.ReadOnly || o.Max <= o.Min })
	}
	parameters := func(current bool) (list graph.Parameters) {
		for _, o := range writable() {
			if current {
				o.Default = o.Value
			}
			list = append(list, optionParameter(o))
		}
		return list
	}
	set := func(_ context.Context, wanted map[string]any) error {
		var errs []error
		for _, o := range writable() {
			v, ok := optionValue(wanted[ParameterName(o.ID.String())])
			if v = min(max(v, o.Min), o.Max); !ok || v == o.Value {
				continue
			}
			if err := of.SetOption(o.ID, v); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", o.ID, err))
			}
		}
		return errors.Join(errs...)
	}
	if len(writable()) == 0 {
		return nil, nil
	}
	return graph.KeepReconfigure(ctx, n, name, parameters(false),
		func() graph.Parameters { return parameters(true) }, set)
}

// ParameterName converts "Stereo Module" to stereo_module, as realsense2_camera does.
func ParameterName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(name))
}

// optionParameter returns the parameter of an option: a bool, an int or a float64.
func optionParameter(o camdriver.Option) graph.Parameter {
	p := graph.Parameter{Name: ParameterName(o.ID.String()), Description: o.Description}
	whole := func(v float32) bool { return v == float32(int(v)) }
	switch {
	case o.Min == 0 && o.Max == 1 && o.Step == 1:
		p.Default = o.Default != 0
	case whole(o.Min) && whole(o.Max) && whole(o.Step) && o.Step > 0:
		p.Default, p.Min, p.Max = int(o.Default), int(o.Min), int(o.Max)
	default:
		p.Default, p.Min, p.Max = float64(o.Default), float64(o.Min), float64(o.Max)
	}
	return p
}

// optionValue converts a parameter's value to an option's; true is 1.
func optionValue(v any) (value float32, ok bool) {
	switch v := v.(type) {
	case int:
		return float32(v), true
	case float64:
		return float32(v), v == v
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func (f *filters) reset() {
	f.depth.Reset()
	if f.align != nil {
		f.align.Reset()
	}
	if f.cloud != nil {
		f.cloud.Reset()
	}
}

func (f *filters) close() {
	for _, g := range f.groups {
		g.Close()
	}
	f.reset()
}
