package msgs

// StreamInfo is realsense_msgs/StreamInfo.
type StreamInfo struct {
	FPS         uint32
	Encoding    string
	Recommended bool
}

// Append adds the wire form.
func (m *StreamInfo) Append(e *Encoder) {
	e.U32(m.FPS)
	e.String(m.Encoding)
	e.Bool(m.Recommended)
}

// Decode fills m.
func (m *StreamInfo) Decode(d *Decoder) {
	m.FPS = d.U32()
	m.Encoding = d.String()
	m.Recommended = d.Bool()
}

// ImuIntrinsic is realsense_msgs/ImuIntrinsic.
type ImuIntrinsic struct {
	Data           [12]float32 // 3x4 row-major: scale and cross-axis, bias
	NoiseVariances [3]float32
	BiasVariances  [3]float32
}

// Append adds the wire form.
func (m *ImuIntrinsic) Append(e *Encoder) {
	e.F32s(m.Data[:])
	e.F32s(m.NoiseVariances[:])
	e.F32s(m.BiasVariances[:])
}

// Decode fills m.
func (m *ImuIntrinsic) Decode(d *Decoder) {
	d.F32s(m.Data[:])
	d.F32s(m.NoiseVariances[:])
	d.F32s(m.BiasVariances[:])
}

// Notification is realsense_msgs/Notification.
type Notification struct {
	Timestamp      Time
	Category       string
	Severity       string
	Description    string
	SerializedData string
}

// Append adds the wire form.
func (m *Notification) Append(e *Encoder) {
	e.Time(m.Timestamp)
	e.String(m.Category)
	e.String(m.Severity)
	e.String(m.Description)
	e.String(m.SerializedData)
}

// Decode fills m.
func (m *Notification) Decode(d *Decoder) {
	m.Timestamp = d.Time()
	m.Category = d.String()
	m.Severity = d.String()
	m.Description = d.String()
	m.SerializedData = d.String()
}

// Extrinsics is realsense2_camera/Extrinsics.
type Extrinsics struct {
	Header      Header
	Rotation    [9]float64 // column-major
	Translation [3]float64 // m
}

// Append adds the wire form.
func (m *Extrinsics) Append(e *Encoder) {
	m.Header.Append(e)
	e.F64s(m.Rotation[:])
	e.F64s(m.Translation[:])
}

// Decode fills m.
func (m *Extrinsics) Decode(d *Decoder) {
	m.Header.Decode(d)
	d.F64s(m.Rotation[:])
	d.F64s(m.Translation[:])
}

// IMUInfo is realsense2_camera/IMUInfo.
type IMUInfo struct {
	FrameID        string
	Data           [12]float64
	NoiseVariances [3]float64
	BiasVariances  [3]float64
}

// Append adds the wire form.
func (m *IMUInfo) Append(e *Encoder) {
	e.String(m.FrameID)
	e.F64s(m.Data[:])
	e.F64s(m.NoiseVariances[:])
	e.F64s(m.BiasVariances[:])
}

// Decode fills m.
func (m *IMUInfo) Decode(d *Decoder) {
	m.FrameID = d.String()
	d.F64s(m.Data[:])
	d.F64s(m.NoiseVariances[:])
	d.F64s(m.BiasVariances[:])
}

// Metadata is realsense2_camera/Metadata.
type Metadata struct {
	Header   Header
	JSONData string
}

// Append adds the wire form.
func (m *Metadata) Append(e *Encoder) {
	m.Header.Append(e)
	e.String(m.JSONData)
}

// Decode fills m.
func (m *Metadata) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.JSONData = d.String()
}

// DeviceInfo is the response of realsense2_camera/DeviceInfo.
type DeviceInfo struct {
	DeviceName        string
	SerialNumber      string
	FirmwareVersion   string
	USBTypeDescriptor string
	FirmwareUpdateID  string
	Sensors           string // names, with commas
}

// Append adds the wire form.
func (m *DeviceInfo) Append(e *Encoder) {
	e.String(m.DeviceName)
	e.String(m.SerialNumber)
	e.String(m.FirmwareVersion)
	e.String(m.USBTypeDescriptor)
	e.String(m.FirmwareUpdateID)
	e.String(m.Sensors)
}

// Decode fills m.
func (m *DeviceInfo) Decode(d *Decoder) {
	m.DeviceName = d.String()
	m.SerialNumber = d.String()
	m.FirmwareVersion = d.String()
	m.USBTypeDescriptor = d.String()
	m.FirmwareUpdateID = d.String()
	m.Sensors = d.String()
}
