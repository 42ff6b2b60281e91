package d400

import (
	"encoding/binary"
	"fmt"
)

// Descriptor types of USB 2.0 table 9-5, the video class (CS_INTERFACE) and HID.
const (
	descConfig      = 2
	descInterface   = 4
	descEndpoint    = 5
	descCSInterface = 0x24
	descHID         = 0x21

	classVideo       = 14
	classHID         = 3
	subclassControl  = 1
	subclassStreamer = 2
)

// configuration is the part of a USB configuration descriptor that the driver uses.
type configuration struct {
	Interfaces []uint8 // all interface numbers, in descriptor order
	Video      []videoFunction
	HID        []hidFunction
}

// videoFunction is a UVC function: a control interface and its streaming interfaces.
type videoFunction struct {
	Interface  uint8
	Version    uint16    // bcdUVC
	Camera     uint8     // id of the camera terminal; 0 if none
	Processing uint8     // id of the processing unit; 0 if none
	Controls   [2][]byte // bit maps of the controls of both
	Status     endpoint  // zero if none
	Extensions []extensionUnit
	Streams    []videoStream
}

// endpoint is an interrupt endpoint.
type endpoint struct {
	Address   uint8
	MaxPacket int
}

type extensionUnit struct {
	ID       uint8
	GUID     [16]byte // in wire order
	Controls []byte   // bit map
}

// videoStream is a streaming interface.
type videoStream struct {
	Interface uint8
	Endpoint  uint8
	MaxPacket int
	Formats   []videoFormat
}

type videoFormat struct {
	Index  uint8
	GUID   [16]byte
	Frames []videoFrame
}

type videoFrame struct {
	Index         uint8
	Width, Height int
	Intervals     []uint32 // in 100 ns
}

// hidFunction is a HID interface with an interrupt IN endpoint.
type hidFunction struct {
	Interface uint8
	Endpoint  uint8
	MaxPacket int
}

// descriptorError is an error at an offset of the configuration.
type descriptorError struct {
	Offset int
	What   string
}

func (e *descriptorError) Error() string {
	return fmt.Sprintf("USB configuration descriptor at byte %d: %s", e.Offset, e.What)
}

// parseConfiguration parses a configuration and the descriptors after it. Unknown
// descriptors are skipped. One with a wrong length is an error.
func parseConfiguration(b []byte) (*configuration, error) {
	if len(b) < 9 || b[1] != descConfig {
		return nil, &descriptorError{0, "no configuration descriptor"}
	}
	if total := int(binary.LittleEndian.Uint16(b[2:])); total < len(b) {
		b = b[:total]
	}
	w := &descriptorWalk{cfg: &configuration{}}
	for at := 0; at < len(b); {
		size := 0
		if len(b)-at >= 2 {
			size = int(b[at])
		}
		if size < 2 || size > len(b)-at {
			return nil, &descriptorError{at, fmt.Sprintf("length %d, but %d bytes are left", size, len(b)-at)}
		}
		if err := w.visit(b[at : at+size]); err != nil {
			return nil, &descriptorError{at, err.Error()}
		}
		at += size
	}
	return w.cfg, nil
}

// descriptorWalk keeps the interface to which the next descriptors belong.
type descriptorWalk struct {
	cfg    *configuration
	class  uint8
	sub    uint8
	number uint8
	alt    uint8
}

func (w *descriptorWalk) visit(d []byte) error {
	switch d[1] {
	case descInterface:
		return w.iface(d)
	case descEndpoint:
		return w.endpoint(d)
	case descCSInterface:
		switch {
		case w.class != classVideo || w.alt != 0:
		case w.sub == subclassControl:
			return w.control(d)
		case w.sub == subclassStreamer:
			return w.streaming(d)
		}
	}
	return nil
}

func (w *descriptorWalk) iface(d []byte) error {
	if len(d) < 9 {
		return fmt.Errorf("interface descriptor of %d bytes, want 9", len(d))
	}
	w.number, w.alt, w.class, w.sub = d[2], d[3], d[5], d[6]
	if w.alt != 0 {
		return nil // D400 cameras have no alternate settings
	}
	w.cfg.Interfaces = append(w.cfg.Interfaces, w.number)
	switch {
	case w.class == classVideo && w.sub == subclassControl:
		w.cfg.Video = append(w.cfg.Video, videoFunction{Interface: w.number})
	case w.class == classVideo && w.sub == subclassStreamer:
		f := w.function()
		if f == nil {
			return fmt.Errorf("streaming interface %d before any control interface", w.number)
		}
		f.Streams = append(f.Streams, videoStream{Interface: w.number})
	case w.class == classHID:
		w.cfg.HID = append(w.cfg.HID, hidFunction{Interface: w.number})
	}
	return nil
}

func (w *descriptorWalk) endpoint(d []byte) error {
	if len(d) < 7 {
		return fmt.Errorf("endpoint descriptor of %d bytes, want 7", len(d))
	}
	address, packet := d[2], int(binary.LittleEndian.Uint16(d[4:])&0x7ff)
	if address&0x80 == 0 || w.alt != 0 {
		return nil
	}
	switch {
	case w.class == classVideo && w.sub == subclassControl:
		w.function().Status = endpoint{address, packet}
	case w.class == classVideo && w.sub == subclassStreamer:
		s := w.stream()
		s.Endpoint, s.MaxPacket = address, packet
	case w.class == classHID:
		h := &w.cfg.HID[len(w.cfg.HID)-1]
		h.Endpoint, h.MaxPacket = address, packet
	}
	return nil
}

func (w *descriptorWalk) function() *videoFunction {
	if len(w.cfg.Video) == 0 {
		return nil
	}
	return &w.cfg.Video[len(w.cfg.Video)-1]
}

// stream returns the current streaming interface, which iface has appended.
func (w *descriptorWalk) stream() *videoStream {
	f := w.function()
	return &f.Streams[len(f.Streams)-1]
}
