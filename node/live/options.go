package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/graph"
	"rsros/node/naming"
)

// cameraOptions offers a sensor's writable options through dynamic_reconfigure as
// realsense2_camera does, under <camera>/<module>/. Its Handler publishes changes by others.
type cameraOptions struct {
	camdriver.NopHandler
	sensor camdriver.Sensor
	number int
	topics *graph.ParameterTopics

	mu sync.Mutex // orders updates
}

// offerCameraOptions offers the options of each sensor with writable ones.
func (c *camera) offerCameraOptions() (err error) {
	for i, s := range c.device.Sensors() {
		if len(writable(s)) == 0 {
			continue
		}
		prefix := c.opts.Camera + "/" + moduleName(s.Name())
		c.applyParameters(s, prefix)
		o := &cameraOptions{sensor: s, number: i}
		if o.topics, err = graph.AdvertiseParameters(c.node, prefix+"/"); err != nil {
			return err
		}
		c.laterDo(o.topics.Close)
		if err := o.topics.Serve(o.set); err != nil {
			return err
		}
		o.topics.Describe(o.parameters(false))
		o.publish()
		c.attach(o, nil)
	}
	return nil
}

// applyParameters sets options from the parameter server, as realsense2_camera does at its
// start.
func (c *camera) applyParameters(s camdriver.Sensor, prefix string) {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	v, found, err := c.node.Param(ctx, prefix)
	tree, _ := v.(map[string]any)
	if !found || err != nil {
		return
	}
	for _, o := range writable(s) {
		name := moduleName(o.ID.String())
		value, ok := naming.OptionValue(tree[name])
		if !ok || value == o.Value {
			continue
		}
		if err := s.SetOption(o.ID, min(max(value, o.Min), o.Max)); err != nil {
			c.log.Warn().Err(err).Str("parameter", prefix+"/"+name).Msg("cannot set an option")
		}
	}
}

// writable returns the options that a user may set.
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

// set sets the options in a request, limited to their ranges, and returns the resulting
// values.
func (c *cameraOptions) set(m *msgs.Config) (*msgs.Config, error) {
	wanted := graph.Sent(m)
	var errs []error
	for _, o := range writable(c.sensor) {
		v, ok := naming.OptionValue(wanted[moduleName(o.ID.String())])
		if v = min(max(v, o.Min), o.Max); !ok || v == o.Value {
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
	config := c.parameters(true).Config(nil)
	c.topics.Publish(&config)
	return config
}

// parameters returns the parameters of the options, with their default or current values.
func (c *cameraOptions) parameters(current bool) (list graph.Parameters) {
	for _, o := range writable(c.sensor) {
		if current {
			o.Default = o.Value
		}
		list = append(list, naming.OptionParameter(moduleName(o.ID.String()), o))
	}
	return list
}

// OptionChanged implements camdriver.Handler.
func (c *cameraOptions) OptionChanged(sensor int, _ camdriver.OptionID, _ float32) {
	if sensor == c.number {
		c.publish()
	}
}
