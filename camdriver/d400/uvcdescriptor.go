package d400

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Class-specific descriptor subtypes of UVC 1.5, tables.
const (
	vcHeader         = 1
	vcInputTerminal  = 2
	vcProcessingUnit = 5
	vcExtensionUnit  = 6

	vsFormatUncompressed = 4
	vsFrameUncompressed  = 5
	vsFormatFrameBased   = 16
	vsFrameFrameBased    = 17

	terminalCamera = 0x0201
)

// control parses a class descriptor of a control interface.
func (w *descriptorWalk) control(d []byte) error {
	if len(d) < 4 {
		return errors.New("class descriptor without a subtype")
	}
	f := w.function()
	switch d[2] {
	case vcHeader:
		if len(d) < 5 {
			return fmt.Errorf("video control header has %d bytes, want 12", len(d))
		}
		f.Version = binary.LittleEndian.Uint16(d[3:])
	case vcInputTerminal:
		if len(d) >= 6 && binary.LittleEndian.Uint16(d[4:]) == terminalCamera {
			f.Camera, f.Controls[0] = d[3], controlBits(d, 14)
		}
	case vcProcessingUnit:
		f.Processing, f.Controls[1] = d[3], controlBits(d, 7)
	case vcExtensionUnit:
		if len(d) < 20 {
			return fmt.Errorf("extension unit has %d bytes, want at least 24", len(d))
		}
		u := extensionUnit{ID: d[3], GUID: [16]byte(d[4:20])}
		if len(d) > 21 {
			u.Controls = controlBits(d, 22+int(d[21]))
		}
		f.Extensions = append(f.Extensions, u)
	}
	return nil
}

// controlBits returns the bit map whose length is at offset at, truncated to the descriptor.
func controlBits(d []byte, at int) []byte {
	if at >= len(d) {
		return nil
	}
	return d[at+1 : min(len(d), at+1+int(d[at]))]
}

// streaming parses a class descriptor of a streaming interface.
func (w *descriptorWalk) streaming(d []byte) error {
	if len(d) < 4 {
		return errors.New("class descriptor without a subtype")
	}
	s := w.stream()
	switch d[2] {
	case vsFormatUncompressed, vsFormatFrameBased:
		if len(d) < 22 {
			return fmt.Errorf("format descriptor has %d bytes, want at least 27", len(d))
		}
		s.Formats = append(s.Formats, videoFormat{Index: d[3], GUID: [16]byte(d[5:21])})
	case vsFrameUncompressed, vsFrameFrameBased:
		if len(s.Formats) == 0 {
			return errors.New("frame descriptor before any format")
		}
		frame, err := parseFrame(d)
		if err != nil {
			return err
		}
		format := &s.Formats[len(s.Formats)-1]
		format.Frames = append(format.Frames, frame)
	}
	return nil
}

// parseFrame parses a frame descriptor. The two kinds have the number of intervals at
// different offsets. The intervals start at byte 26.
func parseFrame(d []byte) (videoFrame, error) {
	if len(d) < 26 {
		return videoFrame{}, fmt.Errorf("frame descriptor has %d bytes, want at least 26", len(d))
	}
	f := videoFrame{
		Index:  d[3],
		Width:  int(binary.LittleEndian.Uint16(d[5:])),
		Height: int(binary.LittleEndian.Uint16(d[7:])),
	}
	count := int(d[25])
	if d[2] == vsFrameFrameBased {
		count = int(d[21])
	}
	rest := d[26:]
	if count == 0 { // continuous: minimum, maximum, step; offer both ends
		count = min(2, len(rest)/4)
	}
	if len(rest) < 4*count {
		return f, fmt.Errorf("frame descriptor has %d intervals, want %d", len(rest)/4, count)
	}
	for i := range count {
		if v := binary.LittleEndian.Uint32(rest[4*i:]); v > 0 {
			f.Intervals = append(f.Intervals, v)
		}
	}
	return f, nil
}

// frameRate converts an interval in 100 ns to frames per second. Cameras report 6 fps as
// 1666665, so compare intervals after rounding.
func frameRate(interval uint32) int {
	if interval == 0 {
		return 0
	}
	return int((10_000_000 + uint64(interval)/2) / uint64(interval))
}
