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

// control reads one class descriptor of a control interface.
func (w *descriptorWalk) control(d []byte) error {
	if len(d) < 4 {
		return errors.New("class descriptor without a subtype")
	}
	f := w.function()
	switch d[2] {
	case vcHeader:
		if len(d) < 5 {
			return fmt.Errorf("video control header of %d bytes, want 12", len(d))
		}
		f.Version = binary.LittleEndian.Uint16(d[3:])
	case vcInputTerminal:
		if len(d) >= 6 && binary.LittleEndian.Uint16(d[4:]) == terminalCamera {
			f.Camera = d[3]
		}
	case vcProcessingUnit:
		f.Processing = d[3]
	case vcExtensionUnit:
		if len(d) < 20 {
			return fmt.Errorf("extension unit of %d bytes, want 24 or more", len(d))
		}
		f.Extensions = append(f.Extensions, extensionUnit{ID: d[3], GUID: [16]byte(d[4:20])})
	}
	return nil
}

// streaming reads one class descriptor of a streaming interface.
func (w *descriptorWalk) streaming(d []byte) error {
	if len(d) < 4 {
		return errors.New("class descriptor without a subtype")
	}
	s := w.stream()
	switch d[2] {
	case vsFormatUncompressed, vsFormatFrameBased:
		if len(d) < 22 {
			return fmt.Errorf("format descriptor of %d bytes, want 27 or more", len(d))
		}
		s.Formats = append(s.Formats, videoFormat{Index: d[3], GUID: [16]byte(d[5:21]), Bits: d[21]})
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

// parseFrame reads a frame descriptor. The two kinds have the number of
// intervals at different places; the intervals start at byte 26 in both.
func parseFrame(d []byte) (videoFrame, error) {
	if len(d) < 26 {
		return videoFrame{}, fmt.Errorf("frame descriptor of %d bytes, want 26 or more", len(d))
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
	if count == 0 { // continuous: minimum, maximum, step; the ends are offered
		count = min(2, len(rest)/4)
	}
	if len(rest) < 4*count {
		return f, fmt.Errorf("frame descriptor with room for %d of %d intervals", len(rest)/4, count)
	}
	for i := range count {
		if v := binary.LittleEndian.Uint32(rest[4*i:]); v > 0 {
			f.Intervals = append(f.Intervals, v)
		}
	}
	return f, nil
}

// frameRate rounds an interval of 100 ns units to frames a second. Cameras write
// 6 fps as 1666665, so intervals are only ever compared after rounding.
func frameRate(interval uint32) int {
	if interval == 0 {
		return 0
	}
	return int((10_000_000 + uint64(interval)/2) / uint64(interval))
}
