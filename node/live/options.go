package live

import (
	"context"
	"fmt"

	"rsros/camdriver"
	"rsros/node/naming"
	"rsros/ros/graph"
)

type optionUpdates struct {
	camdriver.NopHandler
	sensor int
	group  *graph.Reconfigure
}

func (u *optionUpdates) OptionChanged(sensor int, _ camdriver.OptionID, _ float32) {
	if sensor == u.sensor {
		u.group.Publish()
	}
}

// offerCameraOptions offers the sensors' options below <camera>/<module>.
func (c *camera) offerCameraOptions(ctx context.Context) error {
	for i, s := range c.device.Sensors() {
		group, err := naming.OfferOptions(ctx, c.node, c.moduleName(s), s)
		if err != nil {
			return err
		}
		if group != nil {
			c.cleanup.AddFunc(group.Close)
			c.attach(&optionUpdates{sensor: i, group: group}, nil)
		}
	}
	return nil
}

// moduleName returns the name of a sensor's parameters.
func (c *camera) moduleName(s camdriver.Sensor) string {
	return c.opts.Camera + "/" + naming.ParameterName(s.Name())
}

// offerRegions offers the sensors' regions of auto exposure as realsense2_camera does: left, right, top and bottom
// through dynamic_reconfigure, under <camera>/<module>/auto_exposure_roi.
func (c *camera) offerRegions(ctx context.Context) error {
	for i, s := range c.device.Sensors() {
		sensor, ok := s.(camdriver.ROISensor)
		width, height := imageSize(c.profiles[i])
		if !ok || width == 0 {
			continue
		}
		full := camdriver.FullROI(width, height)
		last := full
		name := c.moduleName(s) + "/auto_exposure_roi"
		group, err := graph.OfferReconfigure(ctx, c.node, name, regionParameters(full), func(v graph.Values) error {
			roi := camdriver.ROI{
				Left: v["left"].(int), Right: v["right"].(int),
				Top: v["top"].(int), Bottom: v["bottom"].(int),
			}
			if roi == last {
				return nil
			}
			if err := sensor.SetROI(roi); err != nil {
				return fmt.Errorf("region of auto exposure: %w", err)
			}
			last = roi
			return nil
		})
		if err != nil {
			return err
		}
		c.cleanup.AddFunc(group.Close)
	}
	return nil
}

// imageSize returns the size of the first images that a sensor streams, or 0.
func imageSize(profiles []camdriver.Profile) (width, height int) {
	for _, p := range profiles {
		if p.Stream.Kind.Video() {
			return p.Width, p.Height
		}
	}
	return 0, 0
}

func regionParameters(full camdriver.ROI) []graph.Parameter {
	bound := func(name string, value, limit int) graph.Parameter {
		return graph.Parameter{
			Name: name, Description: fmt.Sprintf("auto-exposure %s coordinate", name), Default: value, Min: 0, Max: limit,
		}
	}
	return []graph.Parameter{
		bound("left", 0, full.Right), bound("right", full.Right, full.Right),
		bound("top", 0, full.Bottom), bound("bottom", full.Bottom, full.Bottom),
	}
}
