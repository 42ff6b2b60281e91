package camdriver

// InfoKey identifies an entry in the description of a device or sensor. Values are those of rs2_camera_info. There are
// no others, because librealsense replaces unknown keys by an undefined one.
type InfoKey uint8

// The keys, in rs2_camera_info order.
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
	"Name", "Serial Number", "Firmware Version", "Recommended Firmware Version", "Physical Port", "Debug Op Code",
	"Advanced Mode", "Product Id", "Camera Locked", "Usb Type Descriptor", "Product Line", "Asic Serial Number",
	"Firmware Update Id", "Ip Address", "Dfu Device Path", "Connection Type", "Smcu Fw Version", "Imu Type",
	"Mipi Driver Version",
}

// String returns the SDK's name: "Serial Number".
func (k InfoKey) String() string { return nameOf(infoNames[:], k) }

// ParseInfoKey is the inverse of String.
func ParseInfoKey(s string) (InfoKey, bool) { return parseName[InfoKey](infoNames[:], s) }

// Info is one entry of a description.
type Info struct {
	Key   InfoKey
	Value string
}

// Find returns the value of key in list, or "".
func Find(list []Info, key InfoKey) string {
	for _, i := range list {
		if i.Key == key {
			return i.Value
		}
	}
	return ""
}
