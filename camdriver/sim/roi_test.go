package sim

import (
	"testing"

	"rsros/camdriver"
	"rsros/test/drivertest"
	"rsros/test/need"
)

// TestROI checks that a region becomes as bright as the whole image was, that its bounds
// are in the metadata of stereo frames, and that it is kept after Stop.
func TestROI(t *testing.T) {
	dev, err := Open(Options{Noiseless: true})
	need.Must(t, err)
	defer dev.Close()
	color := small(dev.Sensors()[1], camdriver.ColorStream, 6)
	stereo := small(dev.Sensors()[0], camdriver.DepthStream, 6)
	metered := dev.Sensors()[1].(camdriver.ROISensor)
	darkest := darkestTile(dev, color)
	for name, bad := range map[string]camdriver.ROI{"outside": {Right: 5000, Bottom: 10}, "reversed": {Left: 100, Right: 50, Bottom: 10}, "negative": {Left: -1, Right: 5, Bottom: 5}} {
		if metered.SetROI(bad) == nil {
			t.Errorf("SetROI accepted a region that is %s: %v", name, bad)
		}
	}
	need.Must(t, metered.SetROI(darkest))
	first := func(sensor int, p camdriver.Profile) *camdriver.Frame {
		t.Helper()
		got := make(chan *camdriver.Frame, 1)
		r := &recorder{Each: func(f *camdriver.Frame) {
			select {
			case got <- f.Retain():
			default:
			}
		}}
		drivertest.Start(t, dev.Sensors()[sensor], r, p)
		f := <-got
		dev.Sensors()[sensor].Stop()
		return f
	}
	f := first(1, color)
	plain := make([]byte, color.FrameSize())
	dev.world.render(color, 0, newSettings(colorOptions()).look, plain)
	all := camdriver.FullROI(color.Width, color.Height)
	if bright, was := mean(f.Data, color, all), mean(plain, color, all); bright < was*1.1 {
		t.Errorf("brightness is %.1f with auto exposure for the darkest part, %.1f without", bright, was)
	}
	f.Release()

	region := camdriver.ROI{Left: 10, Right: 20, Top: 30, Bottom: 40}
	need.Must(t, dev.Sensors()[0].(camdriver.ROISensor).SetROI(region))
	f = first(0, stereo)
	defer f.Release()
	for key, want := range map[camdriver.MetadataKey]int64{
		camdriver.MetaExposureRoiLeft: 10, camdriver.MetaExposureRoiRight: 20, camdriver.MetaExposureRoiTop: 30, camdriver.MetaExposureRoiBottom: 40,
	} {
		if got, _ := f.Meta(key); got != want {
			t.Errorf("%s is %d, want %d", key, got, want)
		}
	}
	if _, ok := dev.Sensors()[2].(camdriver.ROISensor); ok {
		t.Error("the motion module has a region of interest")
	}
}

// darkestTile returns the darkest of 8 by 8 tiles of an image.
func darkestTile(d *Device, p camdriver.Profile) camdriver.ROI {
	pixels := make([]byte, p.FrameSize())
	d.world.render(p, 0, newSettings(colorOptions()).look, pixels)
	var best camdriver.ROI
	w, h := p.Width/8, p.Height/8
	for i := range 64 {
		x, y := i%8*w, i/8*h
		r := camdriver.ROI{Left: x, Right: x + w - 1, Top: y, Bottom: y + h - 1}
		if best == (camdriver.ROI{}) || mean(pixels, p, r) < mean(pixels, p, best) {
			best = r
		}
	}
	return best
}
