package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/graph"
)

// cameraOptions offers one sensor's writable options through dynamic_reconfigure
// as realsense2_camera does, under <camera>/<module>/. It is a consumer of the
// hub, so that changes by others are published as well.
type cameraOptions struct {
	camdriver.NopHandler
	sensor     camdriver.Sensor
	number     int
	parameters *graph.ParameterTopics

	mu sync.Mutex // orders updates
}

// offerCameraOptions offers the options of every sensor that has some to set.
func (c *camera) offerCameraOptions() (err error) {
	for i, s := range c.device.Sensors() {
		if len(writable(s)) == 0 {
			continue
		}
		prefix := c.opts.Camera + "/" + moduleName(s.Name())
		c.applyParameters(s, prefix)
		o := &cameraOptions{sensor: s, number: i}
		if o.parameters, err = graph.AdvertiseParameters(c.node, prefix+"/"); err != nil {
			return err
		}
		c.later(func() error { o.parameters.Close(); return nil })
		if err := o.parameters.Serve(o.set); err != nil {
			return err
		}
		description := describeOptions(writable(s))
		o.parameters.Describe(&description)
		o.publish()
		c.attach(o, nil)
	}
	return nil
}

// applyParameters sets the options that the parameter server has values for, as
// realsense2_camera does at its start.
func (c *camera) applyParameters(s camdriver.Sensor, prefix string) {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	v, ok, err := c.node.Param(ctx, prefix)
	tree, _ := v.(map[string]any)
	if !ok || err != nil {
		return
	}
	for _, o := range writable(s) {
		name := moduleName(o.ID.String())
		value, said := optionValue(tree[name])
		if !said || value == o.Value {
			continue
		}
		if err := s.SetOption(o.ID, min(max(value, o.Min), o.Max)); err != nil {
			c.log.Warn().Err(err).Str("parameter", prefix+"/"+name).Msg("an option wasn't set")
		}
	}
}

// optionValue converts a parameter to an option's value; true is 1.
func optionValue(v any) (value float32, ok bool) {
	switch v := v.(type) {
	case int:
		return float32(v), true
	case float64:
		return float32(v), true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// writable are the options that a user may set.
func writable(s camdriver.Sensor) []camdriver.Option {
	var out []camdriver.Option
	for _, o := range s.Options() {
		if !o.ReadOnly && o.Max > o.Min {
			out = append(out, o)
		}
	}
	return out
}

// moduleName converts a name to realsense2_camera's form: "Stereo Module" to
// stereo_module.
func moduleName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(name))
}

// kind is an option's type in dynamic_reconfigure.
func kind(o camdriver.Option) string {
	whole := func(v float32) bool { return v == float32(math.Trunc(float64(v))) }
	switch {
	case o.Min == 0 && o.Max == 1 && o.Step == 1:
		return "bool"
	case whole(o.Min) && whole(o.Max) && whole(o.Step) && o.Step > 0:
		return "int"
	}
	return "double"
}

func describeOptions(options []camdriver.Option) msgs.ConfigDescription {
	group := msgs.Group{Name: "Default"}
	for _, o := range options {
		group.Parameters = append(group.Parameters, msgs.ParamDescription{
			Name: moduleName(o.ID.String()), Type: kind(o), Description: o.Description,
		})
	}
	values := func(pick func(camdriver.Option) float32) msgs.Config { return optionConfig(options, pick) }
	return msgs.ConfigDescription{
		Groups: []msgs.Group{group},
		Min:    values(func(o camdriver.Option) float32 { return o.Min }),
		Max:    values(func(o camdriver.Option) float32 { return o.Max }),
		Dflt:   values(func(o camdriver.Option) float32 { return o.Default }),
	}
}

func optionConfig(options []camdriver.Option, pick func(camdriver.Option) float32) msgs.Config {
	c := msgs.Config{Groups: []msgs.GroupState{{Name: "Default", State: true}}}
	for _, o := range options {
		name, v := moduleName(o.ID.String()), pick(o)
		switch kind(o) {
		case "bool":
			c.Bools = append(c.Bools, msgs.Param[bool]{Name: name, Value: v != 0})
		case "int":
			c.Ints = append(c.Ints, msgs.Param[int32]{Name: name, Value: int32(v)})
		default:
			c.Doubles = append(c.Doubles, msgs.Param[float64]{Name: name, Value: float64(v)})
		}
	}
	return c
}

// set carries out a request, which may name any of the options, and returns the
// resulting values. Values outside an option's range are limited to it.
func (c *cameraOptions) set(m *msgs.Config) (*msgs.Config, error) {
	wanted := map[string]float32{}
	for _, p := range m.Bools {
		wanted[p.Name] = 0
		if p.Value {
			wanted[p.Name] = 1
		}
	}
	for _, p := range m.Ints {
		wanted[p.Name] = float32(p.Value)
	}
	for _, p := range m.Doubles {
		wanted[p.Name] = float32(p.Value)
	}
	var errs []error
	for _, o := range writable(c.sensor) {
		v, said := wanted[moduleName(o.ID.String())]
		if v = min(max(v, o.Min), o.Max); !said || v == o.Value {
			continue
		}
		if err := c.sensor.SetOption(o.ID, v); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", o.ID, err))
		}
	}
	config := c.publish()
	return &config, errors.Join(errs...)
}

// publish publishes the current values and returns them.
func (c *cameraOptions) publish() msgs.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	config := optionConfig(writable(c.sensor), func(o camdriver.Option) float32 { return o.Value })
	c.parameters.Publish(&config)
	return config
}

// OptionChanged implements camdriver.Handler.
func (c *cameraOptions) OptionChanged(sensor int, _ camdriver.OptionID, _ float32) {
	if sensor == c.number {
		c.publish()
	}
}
