package d400

import (
	"fmt"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// calibration is a camera's calibration. If a part could not be read, its error is returned to callers that need it.
type calibration struct {
	stereo     model.DepthTable
	modes      map[model.ImageSize]model.Pinhole
	color      model.ColorTable
	imu        model.MotionTable
	stereoErr  error
	colorErr   error
	depthColor bool
	hasMotion  bool
}

// readCalibration reads all tables. A camera with an invalid table can still stream.
func readCalibration(l *link, d *Device) *calibration {
	c := &calibration{depthColor: d.product.DepthColor,
		imu: model.MotionTable{Accel: model.NoCorrection, Gyro: model.NoCorrection}}
	b, err := l.command(model.OpGetCalibration, nil, model.TableDepth)
	if err == nil {
		c.stereo, err = model.ParseDepthTable(b)
	}
	if c.stereoErr = err; err != nil {
		d.log.Warn().Err(err).Msg("cannot read the depth calibration")
	}
	if b, err := l.command(model.OpIntrinsics, nil); err == nil { // firmware 5.11.9.5 and later
		c.modes = model.ParseModes(b)
	}
	if l.color != nil || d.product.DepthColor {
		if b, err = l.command(model.OpGetCalibration, nil, model.TableColor); err == nil {
			c.color, err = model.ParseColorTable(b)
		}
		if c.colorErr = err; err != nil {
			d.log.Warn().Err(err).Msg("cannot read the colour calibration")
		}
	} else {
		c.colorErr = camdriver.ErrNotFound
	}
	if c.hasMotion = l.hid != nil; c.hasMotion {
		if b, err = l.command(model.OpReadMotionTab, nil, model.MotionTableID, model.MotionTableSize); err == nil {
			c.imu, err = model.ParseMotionTable(b)
		}
		if err != nil {
			d.log.Info().Err(err).Msg("the motion module is not calibrated")
		}
	}
	return c
}

// poses returns the maps from depth's coordinate system to each stream's.
func (c *calibration) poses(p model.Product) map[camdriver.StreamID]camdriver.Extrinsics {
	poses := map[camdriver.StreamID]camdriver.Extrinsics{
		camdriver.DepthStream: camdriver.Identity(),
		camdriver.LeftStream:  camdriver.Identity(),
		mixedStream:           camdriver.Identity(),
	}
	if c.stereoErr == nil {
		poses[camdriver.RightStream] = c.stereo.RightFromLeft()
	}
	switch {
	case c.colorErr == nil && c.color.HasPose:
		poses[camdriver.ColorStream] = c.color.ToDepth.Inverse()
	case c.depthColor:
		poses[camdriver.ColorStream] = camdriver.Identity() // the left imager itself
	}
	if c.hasMotion {
		motion := c.imu.FromDepth
		if !c.imu.HasPose {
			motion = camdriver.Identity()
			motion.Translation = p.IMUOrigin
		}
		poses[camdriver.GyroStream], poses[camdriver.AccelStream] = motion, motion
	}
	return poses
}

// intrinsics returns the intrinsics of a video profile. Y16 images are not rectified and have none.
func (c *calibration) intrinsics(p camdriver.Profile) (camdriver.Intrinsics, error) {
	s := model.ImageSize{p.Width, p.Height}
	if s[0] <= 0 || s[1] <= 0 {
		return camdriver.Intrinsics{}, fmt.Errorf("intrinsics of %s: %w", p, camdriver.ErrNotFound)
	}
	switch {
	case p.Stream == camdriver.ColorStream && c.colorErr != nil:
		return camdriver.Intrinsics{}, c.colorErr
	case p.Stream == camdriver.ColorStream && c.depthColor:
		return c.color.D405Intrinsics(s), nil
	case p.Stream == camdriver.ColorStream:
		return c.color.Intrinsics(s), nil
	case p.Stream.Kind == camdriver.Depth, p.Format == camdriver.Y8:
		if c.stereoErr != nil {
			return camdriver.Intrinsics{}, c.stereoErr
		}
		return c.stereo.Intrinsics(s, c.modes)
	}
	return camdriver.Intrinsics{}, fmt.Errorf("intrinsics of %s: %w", p, camdriver.ErrNotFound)
}
