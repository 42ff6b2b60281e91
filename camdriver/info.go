package camdriver

// InfoKey names one fact that a device or sensor says of itself. Values are those
// of rs2_camera_info; librealsense stores unknown keys under an undefined one, so
// there are no others.
type InfoKey uint8

// The facts, in rs2_camera_info order.
const (
	InfoName InfoKey = iota
	InfoSerialNumber
	InfoFirmwareVersion
	InfoRecommendedFirmwareVersion
	InfoPhysicalPort
	InfoDebugOpCode
	InfoAdvancedMode
	InfoProductId
	InfoCameraLocked
	InfoUsbTypeDescriptor
	InfoProductLine
	InfoAsicSerialNumber
	InfoFirmwareUpdateId
	InfoIpAddress
	InfoDfuDevicePath
	InfoConnectionType
	InfoSmcuFwVersion     // since librealsense 2.57
	InfoImuType           // since 2.57.7
	InfoMipiDriverVersion // since 2.58
)

var infoNames = [...]string{
	"Name",
	"Serial Number",
	"Firmware Version",
	"Recommended Firmware Version",
	"Physical Port",
	"Debug Op Code",
	"Advanced Mode",
	"Product Id",
	"Camera Locked",
	"Usb Type Descriptor",
	"Product Line",
	"Asic Serial Number",
	"Firmware Update Id",
	"Ip Address",
	"Dfu Device Path",
	"Connection Type",
	"Smcu Fw Version",
	"Imu Type",
	"Mipi Driver Version",
}

// String gives the SDK's name: "Serial Number".
func (k InfoKey) String() string { return nameOf(infoNames[:], int(k)) }

// ParseInfoKey is the inverse of String.
func ParseInfoKey(s string) (InfoKey, bool) {
	i := indexOf(infoNames[:], s)
	return InfoKey(max(i, 0)), i >= 0
}

// Info is one fact.
type Info struct {
	Key   InfoKey
	Value string
}

// Find looks a fact up; "" if there is none.
func Find(list []Info, key InfoKey) string {
	for _, i := range list {
		if i.Key == key {
			return i.Value
		}
	}
	return ""
}
