package msgs

// StreamInfo is realsense_msgs/StreamInfo.
type StreamInfo struct {
	FPS         uint32
	Encoding    string
	Recommended bool
}

func (m *StreamInfo) fields(c codec) {
	c.u32(&m.FPS)
	c.str(&m.Encoding)
	c.bool(&m.Recommended)
}

// ImuIntrinsic is realsense_msgs/ImuIntrinsic.
type ImuIntrinsic struct {
	Data           [12]float32 // 3x4 row-major: scale and cross-axis terms, then bias
	NoiseVariances [3]float32
	BiasVariances  [3]float32
}

func (m *ImuIntrinsic) fields(c codec) {
	c.f32s(m.Data[:])
	c.f32s(m.NoiseVariances[:])
	c.f32s(m.BiasVariances[:])
}

// Notification is realsense_msgs/Notification.
type Notification struct {
	Timestamp      Time
	Category       string
	Severity       string
	Description    string
	SerializedData string
}

func (m *Notification) fields(c codec) {
	c.time(&m.Timestamp)
	c.str(&m.Category, &m.Severity, &m.Description, &m.SerializedData)
}

// Extrinsics is realsense2_camera/Extrinsics.
type Extrinsics struct {
	Header      Header
	Rotation    [9]float64 // column-major
	Translation [3]float64 // m
}

func (m *Extrinsics) fields(c codec) {
	m.Header.fields(c)
	c.f64s(m.Rotation[:])
	c.f64s(m.Translation[:])
}

// IMUInfo is realsense2_camera/IMUInfo.
type IMUInfo struct {
	FrameID        string
	Data           [12]float64
	NoiseVariances [3]float64
	BiasVariances  [3]float64
}

func (m *IMUInfo) fields(c codec) {
	c.str(&m.FrameID)
	c.f64s(m.Data[:])
	c.f64s(m.NoiseVariances[:])
	c.f64s(m.BiasVariances[:])
}

// Metadata is realsense2_camera/Metadata.
type Metadata struct {
	Header   Header
	JSONData string
}

func (m *Metadata) fields(c codec) {
	m.Header.fields(c)
	c.str(&m.JSONData)
}

// DeviceInfo is the response of realsense2_camera/DeviceInfo.
type DeviceInfo struct {
	DeviceName        string
	SerialNumber      string
	FirmwareVersion   string
	USBTypeDescriptor string
	FirmwareUpdateID  string
	Sensors           string // comma-separated names
}

func (m *DeviceInfo) fields(c codec) {
	c.str(&m.DeviceName, &m.SerialNumber, &m.FirmwareVersion, &m.USBTypeDescriptor, &m.FirmwareUpdateID, &m.Sensors)
}
