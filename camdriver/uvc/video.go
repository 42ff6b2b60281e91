package uvc

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

	formatUncompressed = 4
	frameUncompressed  = 5
	formatFrameBased   = 16
	frameFrameBased    = 17
	colorFormat        = 13

	terminalCamera = 0x0201
)

// control parses a class descriptor of a control interface.
func (w *walk) control(d []byte) error {
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
			f.Camera = d[3]
			f.Units = append(f.Units, Unit{ID: d[3], Selectors: selectors(d, 14, terminalSelectors)})
		}
	case vcProcessingUnit:
		f.Processing = d[3]
		f.Units = append(f.Units, Unit{ID: d[3], Selectors: selectors(d, 7, processingSelectors)})
	case vcExtensionUnit:
		if len(d) < 20 {
			return fmt.Errorf("extension unit has %d bytes, want at least 24", len(d))
		}
		u := Unit{ID: d[3], GUID: [16]byte(d[4:20])}
		if len(d) > 21 {
			u.Selectors = selectors(d, 22+int(d[21]), nil)
		}
		f.Units = append(f.Units, u)
	}
	return nil
}

// The selectors of the bits in the bit maps of camera terminals and processing units (UVC 1.5, sections 3.7.2.3 and
// 3.7.2.5). Those of extension units are numbered from 1.
var (
	terminalSelectors   = []uint8{1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 0, 0, 8, 17, 18, 19, 20}
	processingSelectors = []uint8{2, 3, 6, 7, 8, 9, 10, 12, 1, 4, 5, 16, 11, 13, 14, 15, 17, 18, 19}
)

// selectors returns the selectors of the bits in the map whose length is at offset at, truncated to the descriptor.
// names are the selectors of the bits.
func selectors(d []byte, at int, names []uint8) (list []uint8) {
	if at >= len(d) {
		return nil
	}
	for i, b := range d[at+1 : min(len(d), at+1+int(d[at]))] {
		for bit := 8 * i; b != 0; b, bit = b>>1, bit+1 {
			switch {
			case b&1 == 0:
			case names == nil && bit < 255:
				list = append(list, uint8(bit+1))
			case bit < len(names) && names[bit] > 0:
				list = append(list, names[bit])
			}
		}
	}
	return list
}

// streaming parses a class descriptor of a streaming interface.
func (w *walk) streaming(d []byte) error {
	if len(d) < 4 {
		return errors.New("class descriptor without a subtype")
	}
	s := w.stream()
	switch d[2] {
	case formatUncompressed, formatFrameBased:
		if len(d) < 22 {
			return fmt.Errorf("format descriptor has %d bytes, want at least 27", len(d))
		}
		s.Formats = append(s.Formats, Format{Index: d[3], GUID: [16]byte(d[5:21]), Bits: int(d[21])})
	case frameUncompressed, frameFrameBased:
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
func parseFrame(d []byte) (Frame, error) {
	if len(d) < 26 {
		return Frame{}, fmt.Errorf("frame descriptor has %d bytes, want at least 26", len(d))
	}
	f := Frame{
		Index:  d[3],
		Width:  int(binary.LittleEndian.Uint16(d[5:])),
		Height: int(binary.LittleEndian.Uint16(d[7:])),
	}
	count := int(d[25])
	if d[2] == frameFrameBased {
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

// Append appends the descriptors of a format, frame-based as D400 cameras have it, and of its frames.
func (f Format) Append(d []byte) []byte {
	d = append(d, 28, descClass, formatFrameBased, f.Index, byte(len(f.Frames)))
	d = append(d, f.GUID[:]...)
	d = append(d, byte(f.Bits), 1, 0, 0, 0, 0, 0)
	for _, fr := range f.Frames {
		d = fr.append(d, f.Bits)
	}
	return append(d, 6, descClass, colorFormat, 0, 0, 0)
}

func (f Frame) append(d []byte, bits int) []byte {
	n := len(f.Intervals)
	rate := func(interval uint32) uint32 { return uint32(f.Width * f.Height * bits * FrameRate(interval)) }
	d = append(d, byte(26+4*n), descClass, frameFrameBased, f.Index, 0)
	d = binary.LittleEndian.AppendUint16(d, uint16(f.Width))
	d = binary.LittleEndian.AppendUint16(d, uint16(f.Height))
	d = binary.LittleEndian.AppendUint32(d, rate(f.Intervals[n-1]))
	d = binary.LittleEndian.AppendUint32(d, rate(f.Intervals[0]))
	d = binary.LittleEndian.AppendUint32(d, f.Intervals[0])
	d = append(d, byte(n))
	d = binary.LittleEndian.AppendUint32(d, uint32(f.Width*bits/8))
	for _, v := range f.Intervals {
		d = binary.LittleEndian.AppendUint32(d, v)
	}
	return d
}

// FrameInterval returns the interval of a rate in units of 100 ns; 6 fps is 1666665 in real cameras.
func FrameInterval(fps int) uint32 {
	if fps == 6 {
		return 1666665
	}
	return uint32(10_000_000 / fps)
}

// FrameRate converts an interval in 100 ns to frames per second. Cameras report 6 fps as
// 1666665, so compare intervals after rounding.
func FrameRate(interval uint32) int {
	if interval == 0 {
		return 0
	}
	return int((10_000_000 + uint64(interval)/2) / uint64(interval))
}
