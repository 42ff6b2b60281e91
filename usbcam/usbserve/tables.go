package usbserve

import (
	"errors"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/usbcam/d435i"
)

// tablesOf returns a device's calibration in the form of firmware tables. Values that the device doesn't
// have remain the virtual camera's; motion data is already corrected.
func tablesOf(dev camdriver.Device, s *Source) (d435i.Tables, error) {
	t := d435i.Factory()
	t.Motion.Accel, t.Motion.Gyro = model.NoCorrection, model.NoCorrection
	clear(t.Depth.Rectified)
	for _, p := range s.offers[camdriver.DepthStream] {
		in, err := dev.Sensors()[s.streams[camdriver.DepthStream]].Intrinsics(p)
		if err != nil {
			return t, err
		}
		t.Depth.Rectified[model.ImageSize{p.Width, p.Height}] = model.Pinhole{Fx: in.Fx, Fy: in.Fy, Ppx: in.Ppx, Ppy: in.Ppy}
	}
	if e, err := dev.Extrinsics(camdriver.DepthStream, camdriver.RightStream); err == nil {
		t.Depth.Baseline = 1000 * e.Translation[0]
	} else if !known(err) {
		return t, err
	}
	if e, err := dev.Extrinsics(camdriver.DepthStream, camdriver.GyroStream); err == nil {
		t.Motion.FromDepth.Translation = e.Translation
	} else if !known(err) {
		return t, err
	}
	return t, colorTable(&t, dev, s)
}

// known reports whether err says that the device lacks something.
func known(err error) bool {
	return errors.Is(err, camdriver.ErrNotFound) || errors.Is(err, camdriver.ErrUnsupported)
}

// colorTable sets what firmware keeps of the colour imager: intrinsics of its largest size,
// of which others are derived, and the pose.
func colorTable(t *d435i.Tables, dev camdriver.Device, s *Source) error {
	var largest camdriver.Profile
	for _, p := range s.offers[camdriver.ColorStream] {
		if p.Width*p.Height > largest.Width*largest.Height {
			largest = p
		}
	}
	if largest.Width == 0 {
		return nil
	}
	in, err := dev.Sensors()[s.streams[camdriver.ColorStream]].Intrinsics(largest)
	if err != nil {
		return err
	}
	in.Width, in.Height = largest.Width, largest.Height
	t.Color.SetIntrinsics(in)
	e, err := dev.Extrinsics(camdriver.DepthStream, camdriver.ColorStream)
	if err != nil {
		return err
	}
	t.Color.ToDepth = e.Inverse()
	return nil
}
