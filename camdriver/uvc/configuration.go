// Package uvc encodes and decodes what USB's video class 1.5 and HID add to USB: descriptors, requests, and headers of
// payloads. The driver, the virtual camera and reports share it; published descriptors of cameras and recorded requests
// of librealsense are its judges, in the virtual camera's tests.
package uvc

import (
	"encoding/binary"
	"fmt"
)

// Descriptor types of USB 2.0 table 9-5, the video class (CS_INTERFACE) and HID.
const (
	DescDevice        = 1
	DescConfiguration = 2
	DescString        = 3
	descInterface     = 4
	descEndpoint      = 5
	descAssociation   = 11
	DescBOS           = 15
	descHID           = 0x21
	DescHIDReport     = 0x22
	descClass         = 0x24
)

// Classes of interfaces, and subclasses of the video class.
const (
	classHID   = 3
	classVideo = 14

	subclassControl   = 1
	subclassStreaming = 2
)

// Configuration is the part of a USB configuration descriptor that a driver uses.
type Configuration struct {
	Strings []uint8 // indices of the strings that name functions and interfaces; 0 is none
	Video   []Function
	HID     []HID
}

// Function is a UVC function: a control interface and its streaming interfaces.
type Function struct {
	Interface  uint8
	Version    uint16   // bcdUVC
	Camera     uint8    // id of the camera terminal; 0 if none
	Processing uint8    // id of the processing unit; 0 if none
	Status     Endpoint // zero if none
	Units      []Unit
	Streams    []Stream
}

// Unit is a camera terminal, a processing unit or an extension unit.
type Unit struct {
	ID        uint8
	GUID      [16]byte // of an extension unit, in wire order; zero otherwise
	Selectors []uint8  // of the controls in its bit map
}

// Endpoint is an interrupt endpoint.
type Endpoint struct {
	Address   uint8
	MaxPacket int
}

// Stream is a streaming interface.
type Stream struct {
	Interface uint8
	Endpoint  uint8
	MaxPacket int
	Formats   []Format
}

type Format struct {
	Index  uint8
	GUID   [16]byte
	Bits   int // a pixel
	Frames []Frame
}

type Frame struct {
	Index         uint8
	Width, Height int
	Intervals     []uint32 // in 100 ns
}

// HID is a HID interface with an interrupt IN endpoint.
type HID struct {
	Interface uint8
	Endpoint  uint8
	MaxPacket int
	Report    int // size of the report descriptor
}

// DescriptorError is an error at an offset of the configuration.
type DescriptorError struct {
	Offset int
	What   string
}

func (e *DescriptorError) Error() string {
	return fmt.Sprintf("USB configuration descriptor at byte %d: %s", e.Offset, e.What)
}

// ParseConfiguration parses a configuration and the descriptors after it. Unknown
// descriptors are skipped. One with a wrong length is an error, returned with what precedes it.
func ParseConfiguration(b []byte) (*Configuration, error) {
	if len(b) < 9 || b[1] != DescConfiguration {
		return &Configuration{}, &DescriptorError{0, "no configuration descriptor"}
	}
	if total := int(binary.LittleEndian.Uint16(b[2:])); total < len(b) {
		b = b[:total]
	}
	w := &walk{cfg: &Configuration{}}
	for at := 0; at < len(b); {
		size := 0
		if len(b)-at >= 2 {
			size = int(b[at])
		}
		if size < 2 || size > len(b)-at {
			return w.cfg, &DescriptorError{at, fmt.Sprintf("length %d, but %d bytes are left", size, len(b)-at)}
		}
		if err := w.visit(b[at : at+size]); err != nil {
			return w.cfg, &DescriptorError{at, err.Error()}
		}
		at += size
	}
	return w.cfg, nil
}

// walk keeps the interface to which the next descriptors belong.
type walk struct {
	cfg    *Configuration
	class  uint8
	sub    uint8
	number uint8
	alt    uint8
}

func (w *walk) visit(d []byte) error {
	switch d[1] {
	case DescConfiguration:
		if len(d) >= 9 {
			w.cfg.Strings = append(w.cfg.Strings, d[6])
		}
	case descAssociation:
		if len(d) >= 8 {
			w.cfg.Strings = append(w.cfg.Strings, d[7])
		}
	case descHID:
		if w.class == classHID && w.alt == 0 && len(d) >= 9 {
			w.cfg.HID[len(w.cfg.HID)-1].Report = int(binary.LittleEndian.Uint16(d[7:]))
		}
	case descInterface:
		return w.iface(d)
	case descEndpoint:
		return w.endpoint(d)
	case descClass:
		switch {
		case w.class != classVideo || w.alt != 0:
		case w.sub == subclassControl:
			return w.control(d)
		case w.sub == subclassStreaming:
			return w.streaming(d)
		}
	}
	return nil
}

func (w *walk) iface(d []byte) error {
	if len(d) < 9 {
		return fmt.Errorf("interface descriptor of %d bytes, want 9", len(d))
	}
	w.number, w.alt, w.class, w.sub = d[2], d[3], d[5], d[6]
	w.cfg.Strings = append(w.cfg.Strings, d[8])
	if w.alt != 0 {
		return nil // D400 cameras have no alternate settings
	}
	switch {
	case w.class == classVideo && w.sub == subclassControl:
		w.cfg.Video = append(w.cfg.Video, Function{Interface: w.number})
	case w.class == classVideo && w.sub == subclassStreaming:
		f := w.function()
		if f == nil {
			return fmt.Errorf("streaming interface %d before any control interface", w.number)
		}
		f.Streams = append(f.Streams, Stream{Interface: w.number})
	case w.class == classHID:
		w.cfg.HID = append(w.cfg.HID, HID{Interface: w.number})
	}
	return nil
}

func (w *walk) endpoint(d []byte) error {
	if len(d) < 7 {
		return fmt.Errorf("endpoint descriptor of %d bytes, want 7", len(d))
	}
	address, packet := d[2], int(binary.LittleEndian.Uint16(d[4:])&0x7ff)
	if address&0x80 == 0 || w.alt != 0 {
		return nil
	}
	switch {
	case w.class == classVideo && w.sub == subclassControl:
		w.function().Status = Endpoint{address, packet}
	case w.class == classVideo && w.sub == subclassStreaming:
		s := w.stream()
		s.Endpoint, s.MaxPacket = address, packet
	case w.class == classHID:
		h := &w.cfg.HID[len(w.cfg.HID)-1]
		h.Endpoint, h.MaxPacket = address, packet
	}
	return nil
}

func (w *walk) function() *Function {
	if len(w.cfg.Video) == 0 {
		return nil
	}
	return &w.cfg.Video[len(w.cfg.Video)-1]
}

// stream returns the current streaming interface, which iface has appended.
func (w *walk) stream() *Stream {
	f := w.function()
	return &f.Streams[len(f.Streams)-1]
}
