// Package report writes reports of a camera's USB answers for people: zip files of JSON and binary files, which
// docs/usb.md describes. Package d400 makes the reports.
package report

import (
	"encoding/hex"
	"fmt"
	"iter"
)

// Format and Version are in each report.
const (
	Format  = "rs-ros-node camera report"
	Version = 1
)

// Report is a camera's answers in the order of the requests.
type Report struct {
	Head
	Descriptors []Descriptor
	Requests    []Request
	Commands    []Command
	Probes      []Probe
	Streams     []Stream
	Motion      []Motion
}

// Head is the content of report.json.
type Head struct {
	Format   string   `json:"format"`
	Version  int      `json:"version"`
	Program  string   `json:"program"` // that made the report
	System   string   `json:"system"`  // its operating system and kernel
	Camera   string   `json:"camera"`
	Product  string   `json:"product"`  // USB product id, "0B3A"
	Firmware string   `json:"firmware"` // "5.15.0.100"; empty if unknown
	USB      string   `json:"usb"`      // version of the link, "3.2"
	Speed    string   `json:"speed"`    // of the link, as libusb names it
	Masked   bool     `json:"serials_masked"`
	Status   uint8    `json:"status_endpoint"` // 0 if there is none
	HID      uint8    `json:"hid_endpoint"`
	Notes    []string `json:"notes"` // what could not be read, or was changed by masking
}

// Descriptor is a USB descriptor.
type Descriptor struct {
	Kind, Index uint8
	Where       uint16 // language of a string, interface of a HID report descriptor
	Data        []byte
}

// Kinds of descriptors.
const (
	KindDevice        = 1
	KindConfiguration = 2
	KindString        = 3
	KindBOS           = 15
	KindHIDReport     = 0x22
)

// Request is a control request of a class and its answer.
type Request struct {
	Type    uint8  `json:"type"` // class and direction, as USB sends them
	Request uint8  `json:"request"`
	Value   uint16 `json:"value"`
	Index   uint16 `json:"index"`
	Length  uint16 `json:"length"` // requested
	What    string `json:"what"`
	Answer  Hex    `json:"answer"`
	Error   string `json:"error,omitempty"` // Stall, or another
}

// Stall is the error of a request that the camera refused.
const Stall = "stall"

// Command is a command of the hardware monitor and its reply. The data is a file of its own.
type Command struct {
	Op     uint32    `json:"op"`
	Params [4]uint32 `json:"params"`
	What   string    `json:"what"`
	Code   int32     `json:"code"` // negative if the camera refused; otherwise 0
	Error  string    `json:"error,omitempty"`
	CRC    string    `json:"crc,omitempty"` // of a calibration table: Right or Wrong
	Data   []byte    `json:"-"`
	Bytes  int       `json:"bytes"` // of Data
}

// States of a calibration table's checksum.
const (
	Right = "right"
	Wrong = "wrong"
)

// Profile is a mode of a video streaming interface, as its descriptors name it.
type Profile struct {
	Interface uint8  `json:"interface"`
	Endpoint  uint8  `json:"endpoint"`
	Format    uint8  `json:"format"` // index
	Frame     uint8  `json:"frame"`  // index
	GUID      Hex    `json:"guid"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Interval  uint32 `json:"interval"` // 100 ns
}

// Probe is the answer to a probe for a profile.
type Probe struct {
	Profile
	Answer Hex    `json:"answer"`
	Error  string `json:"error,omitempty"`
}

// Stream is the beginning of a video stream.
type Stream struct {
	Profile
	Payloads   []Payload `json:"payloads"`
	Interrupts []Packet  `json:"interrupts"` // on the status endpoint meanwhile
	Error      string    `json:"error,omitempty"`
}

// Payload is a transfer of a stream, without its pixels.
type Payload struct {
	Time   int64 `json:"us"`   // of arrival, in µs after the first
	Size   int   `json:"size"` // of the transfer, in bytes
	Header Hex   `json:"header"`
}

// Packet is a transfer of an interrupt endpoint.
type Packet struct {
	Time int64 `json:"us"` // of arrival, in µs after the first payload or packet
	Data Hex   `json:"data"`
}

// Motion is the beginning of an inertial sensor's stream.
type Motion struct {
	ID       uint8    `json:"report"`
	Interval uint16   `json:"interval"` // as in the feature report
	Rate     int      `json:"rate"`     // requested, in Hz
	Reports  []Packet `json:"reports"`
	Error    string   `json:"error,omitempty"`
}

// Hex is bytes, which are hexadecimal digits in JSON.
type Hex []byte

// MarshalText returns digits.
func (h Hex) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h), nil }

// Note adds a note.
func (r *Report) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Descriptor returns a descriptor, or nil.
func (r *Report) Descriptor(kind, index uint8, where uint16) []byte {
	for _, d := range r.Descriptors {
		if d.Kind == kind && d.Index == index && d.Where == where {
			return d.Data
		}
	}
	return nil
}

// Parts yields the descriptors of a configuration, of at least two bytes each, until one is damaged.
func Parts(configuration []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for b := configuration; len(b) >= 2 && b[0] >= 2 && int(b[0]) <= len(b); b = b[b[0]:] {
			if !yield(b[:b[0]]) {
				return
			}
		}
	}
}

// Command returns the reply to a command of the hardware monitor, or nil.
func (r *Report) Command(op uint32, params [4]uint32) *Command {
	for i, c := range r.Commands {
		if c.Op == op && c.Params == params {
			return &r.Commands[i]
		}
	}
	return nil
}
