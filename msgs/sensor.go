package msgs

// ImageHead is sensor_msgs/Image up to its pixels, DataLen bytes that follow. Encoding it
// separately avoids a copy of the pixels.
type ImageHead struct {
	Header    Header
	Height    uint32
	Width     uint32
	Encoding  string // "rgb8", "16UC1", …
	BigEndian bool
	Step      uint32 // bytes per row, with padding
	DataLen   uint32 // size of the pixels in bytes
}

// Append appends the wire form up to the pixels. It is faster than a codec.
func (m *ImageHead) Append(e *Encoder) {
	m.Header.Append(e)
	e.U32(m.Height)
	e.U32(m.Width)
	e.String(m.Encoding)
	e.Bool(m.BigEndian)
	e.U32(m.Step)
	e.U32(m.DataLen)
}

// Decode sets m and leaves the decoder at the pixels: d.Raw(int(m.DataLen)).
func (m *ImageHead) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.Height = d.U32()
	m.Width = d.U32()
	m.Encoding = d.String()
	m.BigEndian = d.Bool()
	m.Step = d.U32()
	m.DataLen = d.U32()
}

func (m *ImageHead) fields(c codec) {
	if c.e != nil {
		m.Append(c.e)
	} else {
		m.Decode(c.d)
	}
}

// CameraInfo is sensor_msgs/CameraInfo.
type CameraInfo struct {
	Header          Header
	Height, Width   uint32
	DistortionModel string
	D               []float64
	K, R            [9]float64  // 3x3 row-major
	P               [12]float64 // 3x4 row-major
	BinningX        uint32
	BinningY        uint32
	ROI             RegionOfInterest
}

// RegionOfInterest is sensor_msgs/RegionOfInterest.
type RegionOfInterest struct {
	XOffset, YOffset, Height, Width uint32
	DoRectify                       bool
}

func (m *CameraInfo) fields(c codec) {
	m.Header.fields(c)
	c.u32(&m.Height, &m.Width)
	c.str(&m.DistortionModel)
	size(c, &m.D, 8)
	c.f64s(m.D)
	c.f64s(m.K[:])
	c.f64s(m.R[:])
	c.f64s(m.P[:])
	c.u32(&m.BinningX, &m.BinningY, &m.ROI.XOffset, &m.ROI.YOffset, &m.ROI.Height, &m.ROI.Width)
	c.bool(&m.ROI.DoRectify)
}

// Imu is sensor_msgs/Imu.
type Imu struct {
	Header                Header
	Orientation           Quaternion
	OrientationCovariance [9]float64 // first element is -1 if there is no orientation
	AngularVelocity       Vector3    // rad/s
	AngularCovariance     [9]float64
	LinearAcceleration    Vector3 // m/s²
	LinearCovariance      [9]float64
}

func (m *Imu) fields(c codec) {
	m.Header.fields(c)
	m.Orientation.fields(c)
	c.f64s(m.OrientationCovariance[:])
	m.AngularVelocity.fields(c)
	c.f64s(m.AngularCovariance[:])
	m.LinearAcceleration.fields(c)
	c.f64s(m.LinearCovariance[:])
}

// TimeReference is sensor_msgs/TimeReference.
type TimeReference struct {
	Header  Header
	TimeRef Time
	Source  string
}

func (m *TimeReference) fields(c codec) {
	m.Header.fields(c)
	c.time(&m.TimeRef)
	c.str(&m.Source)
}
