package msgs

// ImageHead is all of sensor_msgs/Image but the pixels, which come last: a whole
// message is the head's wire form followed by DataLen bytes. A head can be encoded
// without copying the pixels.
type ImageHead struct {
	Header    Header
	Height    uint32
	Width     uint32
	Encoding  string // "rgb8", "16UC1", …
	BigEndian bool
	Step      uint32 // bytes from row to row
	DataLen   uint32 // bytes of pixels that follow
}

// Append adds the wire form up to the pixels.
func (m *ImageHead) Append(e *Encoder) {
	m.Header.Append(e)
	e.U32(m.Height)
	e.U32(m.Width)
	e.String(m.Encoding)
	e.Bool(m.BigEndian)
	e.U32(m.Step)
	e.U32(m.DataLen)
}

// Decode fills m and leaves the decoder at the pixels: d.Raw(int(m.DataLen)).
func (m *ImageHead) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.Height = d.U32()
	m.Width = d.U32()
	m.Encoding = d.String()
	m.BigEndian = d.Bool()
	m.Step = d.U32()
	m.DataLen = d.U32()
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

// Append adds the wire form.
func (m *CameraInfo) Append(e *Encoder) {
	m.Header.Append(e)
	e.U32(m.Height)
	e.U32(m.Width)
	e.String(m.DistortionModel)
	e.Len(len(m.D))
	e.F64s(m.D)
	e.F64s(m.K[:])
	e.F64s(m.R[:])
	e.F64s(m.P[:])
	e.U32(m.BinningX)
	e.U32(m.BinningY)
	e.U32(m.ROI.XOffset)
	e.U32(m.ROI.YOffset)
	e.U32(m.ROI.Height)
	e.U32(m.ROI.Width)
	e.Bool(m.ROI.DoRectify)
}

// Decode fills m.
func (m *CameraInfo) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.Height = d.U32()
	m.Width = d.U32()
	m.DistortionModel = d.String()
	m.D = make([]float64, d.Len(8))
	d.F64s(m.D)
	d.F64s(m.K[:])
	d.F64s(m.R[:])
	d.F64s(m.P[:])
	m.BinningX = d.U32()
	m.BinningY = d.U32()
	m.ROI.XOffset = d.U32()
	m.ROI.YOffset = d.U32()
	m.ROI.Height = d.U32()
	m.ROI.Width = d.U32()
	m.ROI.DoRectify = d.Bool()
}

// Imu is sensor_msgs/Imu.
type Imu struct {
	Header                Header
	Orientation           Quaternion
	OrientationCovariance [9]float64 // first element -1: no orientation
	AngularVelocity       Vector3    // rad/s
	AngularCovariance     [9]float64
	LinearAcceleration    Vector3 // m/s²
	LinearCovariance      [9]float64
}

// Append adds the wire form.
func (m *Imu) Append(e *Encoder) {
	m.Header.Append(e)
	m.Orientation.Append(e)
	e.F64s(m.OrientationCovariance[:])
	m.AngularVelocity.Append(e)
	e.F64s(m.AngularCovariance[:])
	m.LinearAcceleration.Append(e)
	e.F64s(m.LinearCovariance[:])
}

// Decode fills m.
func (m *Imu) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.Orientation.Decode(d)
	d.F64s(m.OrientationCovariance[:])
	m.AngularVelocity.Decode(d)
	d.F64s(m.AngularCovariance[:])
	m.LinearAcceleration.Decode(d)
	d.F64s(m.LinearCovariance[:])
}

// TimeReference is sensor_msgs/TimeReference.
type TimeReference struct {
	Header  Header
	TimeRef Time
	Source  string
}

// Append adds the wire form.
func (m *TimeReference) Append(e *Encoder) {
	m.Header.Append(e)
	e.Time(m.TimeRef)
	e.String(m.Source)
}

// Decode fills m.
func (m *TimeReference) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.TimeRef = d.Time()
	m.Source = d.String()
}
