package d400

import (
	"fmt"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// calibration is a camera's calibration. If a part could not be read, its error is
// returned to callers that need it.
type calibration struct {
	stereo    stereoCalibration
	modes     map[size]focal
	color     colorCalibration
	imu       imuCalibration
	stereoErr error
	colorErr  error
	cropped   bool
	hasMotion bool
}

// readCalibration reads all tables. A camera with an invalid table can still stream.
func readCalibration(l *link, d *Device) *calibration {
	c := &calibration{cropped: d.product.cropped, imu: imuCalibration{accel: idealMotion(), gyro: idealMotion()}}
	b, err := l.command(model.OpGetCalibration, nil, model.TableDepth)
	if err == nil {
		c.stereo, err = parseStereo(b)
	}
	if c.stereoErr = err; err != nil {
		d.log.Warn().Err(err).Msg("cannot read the depth calibration")
	}
	if b, err := l.command(model.OpIntrinsics, nil); err == nil { // firmware 5.11.9.5 and later
		c.modes = parseModes(b)
	}
	if l.color != nil || d.product.cropped {
		if b, err = l.command(model.OpGetCalibration, nil, model.TableColor); err == nil {
			c.color, err = parseColor(b)
		}
		if c.colorErr = err; err != nil {
			d.log.Warn().Err(err).Msg("cannot read the colour calibration")
		}
	} else {
		c.colorErr = camdriver.ErrNotFound
	}
	if c.hasMotion = l.hid != nil; c.hasMotion {
		if b, err = l.command(model.OpReadMotionTab, nil, imuTable, imuBytes); err == nil {
			c.imu, err = parseIMU(b)
		}
		if err != nil {
			d.log.Info().Err(err).Msg("the motion module is not calibrated")
		}
	}
	return c
}

// poses returns the maps from depth's coordinate system to each stream's.
func (c *calibration) poses(p product) map[camdriver.StreamID]camdriver.Extrinsics {
	poses := map[camdriver.StreamID]camdriver.Extrinsics{
		camdriver.DepthStream: camdriver.Identity(),
		camdriver.LeftStream:  camdriver.Identity(),
		mixedStream:           camdriver.Identity(),
	}
	if c.stereoErr == nil {
		poses[camdriver.RightStream] = c.stereo.rightFromLeft()
	}
	switch {
	case c.colorErr == nil && c.color.hasPose:
		poses[camdriver.ColorStream] = c.color.depth.Inverse()
	case c.cropped:
		poses[camdriver.ColorStream] = camdriver.Identity() // the left imager itself
	}
	if c.hasMotion {
		motion := c.imu.fromDepth
		if !c.imu.hasPose {
			motion = camdriver.Identity()
			motion.Translation = p.imuOrigin
		}
		poses[camdriver.GyroStream], poses[camdriver.AccelStream] = motion, motion
	}
	return poses
}

// intrinsics returns the intrinsics of a video profile. Y16 images are not rectified
// and have none.
func (c *calibration) intrinsics(p camdriver.Profile) (camdriver.Intrinsics, error) {
	s := size{p.Width, p.Height}
	if s.w <= 0 || s.h <= 0 {
		return camdriver.Intrinsics{}, fmt.Errorf("intrinsics of %s: %w", p, camdriver.ErrNotFound)
	}
	switch {
	case p.Stream == camdriver.ColorStream && c.colorErr != nil:
		return camdriver.Intrinsics{}, c.colorErr
	case p.Stream == camdriver.ColorStream && c.cropped:
		return c.color.d405Intrinsics(s), nil
	case p.Stream == camdriver.ColorStream:
		return c.color.intrinsics(s), nil
	case p.Stream.Kind == camdriver.Depth, p.Format == camdriver.Y8:
		if c.stereoErr != nil {
			return camdriver.Intrinsics{}, c.stereoErr
		}
		return c.stereo.intrinsics(s, c.modes)
	}
	return camdriver.Intrinsics{}, fmt.Errorf("intrinsics of %s: %w", p, camdriver.ErrNotFound)
}

// Parameters of model.OpReadMotionTab.
const imuTable, imuBytes = 0, 520
