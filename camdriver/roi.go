package camdriver

import "fmt"

// ROI is the region of interest for auto exposure, in pixels of the streamed images. All bounds are inclusive.
type ROI struct{ Left, Right, Top, Bottom int }

// ROISensor is a Sensor whose auto exposure can be limited to a region. A recording's sensors don't implement it.
type ROISensor interface {
	Sensor
	// SetROI limits auto exposure to a region, now or once the sensor starts. The
	// region is kept when the camera is unplugged. It must be inside the images.
	SetROI(ROI) error
}

// FullROI returns the region that covers a whole image.
func FullROI(width, height int) ROI { return ROI{Right: width - 1, Bottom: height - 1} }

// LargestSize returns the largest width and height of images.
func LargestSize(profiles []Profile) (width, height int) {
	for _, p := range profiles {
		width, height = max(width, p.Width), max(height, p.Height)
	}
	return width, height
}

// Check returns an error if r is empty or not inside an image of the given size.
func (r ROI) Check(width, height int) error {
	if r.Left < 0 || r.Top < 0 || r.Left > r.Right || r.Top > r.Bottom || r.Right >= width || r.Bottom >= height {
		return fmt.Errorf("region of interest %s is outside the %dx%d image", r, width, height)
	}
	return nil
}

// String returns the form "columns 100-200, rows 0-239".
func (r ROI) String() string {
	return fmt.Sprintf("columns %d-%d, rows %d-%d", r.Left, r.Right, r.Top, r.Bottom)
}
