package usbserve

import (
	"errors"

	"rsros/camdriver"
	"rsros/usbcam/d435i"
)

// tablesOf returns a device's calibration in the form of firmware tables. Values that the device doesn't
// have remain the virtual camera's; motion data is already corrected.
func tablesOf(dev camdriver.Device, s *Source) (d435i.Tables, error) {
	t := d435i.Factory()
	identity := camdriver.Identity().Rotation
	t.AccelS, t.GyroS = identity, identity
	t.AccelB, t.GyroB = [3]float64{}, [3]float64{}
	clear(t.Rect)
	for _, p := range s.offers[camdriver.DepthStream] {
		in, err := dev.Sensors()[s.streams[camdriver.DepthStream]].Intrinsics(p)
		if err != nil {
			return t, err
		}
		t.Rect[[2]int{p.Width, p.Height}] = [4]float64{in.Fx, in.Fy, in.Ppx, in.Ppy}
	}
	if e, err := dev.Extrinsics(camdriver.DepthStream, camdriver.RightStream); err == nil {
		t.Baseline = 1000 * e.Translation[0]
	} else if !known(err) {
		return t, err
	}
	if e, err := dev.Extrinsics(camdriver.DepthStream, camdriver.GyroStream); err == nil {
		t.DepthIMU = e.Translation
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
	t.ColorW, t.ColorH = largest.Width, largest.Height
	w, h := float64(largest.Width)/2, float64(largest.Height)/2
	t.ColorK = [4]float64{in.Fx / w, in.Fy / h, in.Ppx/w - 1, in.Ppy/h - 1}
	t.Coeffs = in.Coeffs
	e, err := dev.Extrinsics(camdriver.DepthStream, camdriver.ColorStream)
	if err != nil {
		return err
	}
	back := e.Inverse() // firmware keeps colour to depth
	t.ColorR = camdriver.Transpose(back.Rotation)
	for i := range 3 {
		t.ColorT[i] = -1000 * back.Translation[i]
	}
	return nil
}
