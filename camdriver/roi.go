package camdriver

import "fmt"

// ROI is the region of a sensor's images that auto exposure measures, in pixels of
// the images that it streams. All bounds lie inside the region.
type ROI struct{ Left, Right, Top, Bottom int }

// ROISensor is a Sensor whose auto exposure can be limited to a region. Sensors
// that can't, such as those of a recording, don't implement it.
type ROISensor interface {
	Sensor
	// SetROI limits auto exposure to a region, or returns an error if the region
	// isn't inside the images. A sensor that isn't started uses it when it is. It
	// stays until it is set again, also when the camera is unplugged.
	SetROI(ROI) error
	// ROI returns the region that was set last, or that of the camera.
	ROI() (ROI, error)
}

// FullROI is all of an image.
func FullROI(width, height int) ROI { return ROI{Right: width - 1, Bottom: height - 1} }

// Check returns an error unless r is inside an image of this size and not empty.
func (r ROI) Check(width, height int) error {
	if r.Left < 0 || r.Top < 0 || r.Left > r.Right || r.Top > r.Bottom || r.Right >= width || r.Bottom >= height {
		return fmt.Errorf("region of interest %s: not inside an image of %dx%d", r, width, height)
	}
	return nil
}

// String names the region: "columns 100-200, rows 0-239".
func (r ROI) String() string {
	return fmt.Sprintf("columns %d-%d, rows %d-%d", r.Left, r.Right, r.Top, r.Bottom)
}
