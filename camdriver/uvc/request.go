package uvc

import "fmt"

// Request types: requests of a class to an interface, and standard requests to the device.
const (
	RequestIn  = 0xa1 // device to host
	RequestOut = 0x21
	StandardIn = 0x80
)

// GetDescriptor is the standard request for descriptors, whose types are Desc….
const GetDescriptor = 6

// Requests of the video class.
const (
	SetCur  = 0x01
	GetCur  = 0x81
	GetMin  = 0x82
	GetMax  = 0x83
	GetRes  = 0x84
	GetLen  = 0x85
	GetInfo = 0x86
	GetDef  = 0x87
)

// Requests of the HID class, and the type of a feature report, to which the report's id is added.
const (
	HIDGetReport = 0x01
	HIDSetReport = 0x09
	HIDFeature   = 0x0300
)

// RequestErrorCode is the selector of the last error in a control interface, whose unit is 0.
const RequestErrorCode = 2

// Control is the address of a control. A streaming interface has no units.
type Control struct{ Interface, Unit, Selector uint8 }

// ControlAt returns the address in a control request.
func ControlAt(value, index uint16) Control {
	return Control{uint8(index), uint8(index >> 8), uint8(value >> 8)}
}

// Value and Index are those of a control request.
func (c Control) Value() uint16 { return uint16(c.Selector) << 8 }
func (c Control) Index() uint16 { return uint16(c.Unit)<<8 | uint16(c.Interface) }

func (c Control) String() string {
	return fmt.Sprintf("interface %d unit %d selector %#x", c.Interface, c.Unit, c.Selector)
}
