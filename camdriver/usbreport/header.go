package usbreport

import (
	"encoding/binary"

	"rsros/camdriver"
)

// Parts of a payload header: UVC's twelve bytes, then blocks of metadata (package d400).
const (
	headerPTS  = 2
	headerSCR  = 6
	headerRest = 12

	blockTiming        = 0x80000001
	blockStats         = 0x00000003
	blockConfiguration = 0x80000002

	infoPTS = 0x04
	infoSCR = 0x08
)

// Field is a metadata value in a block: the bit of its flag, its offset, and its size in
// bytes; -2 is signed.
type Field struct {
	Flag, At, Size int
	Key            camdriver.MetadataKey
}

// DepthFields are those of the block of stereo frames. The region of automatic exposure,
// four fields with one flag, isn't among them.
var DepthFields = []Field{
	{0, 16, 4, camdriver.MetaGainLevel},
	{1, 20, 4, camdriver.MetaActualExposure},
	{2, 24, 4, camdriver.MetaFrameLaserPower},
	{3, 28, 4, camdriver.MetaAutoExposure},
	{4, 32, 4, camdriver.MetaExposurePriority},
	{7, 56, 1, camdriver.MetaFrameEmitterMode},
	{8, 58, 2, camdriver.MetaFrameLedPower},
}

// ColorFields are those of the block of colour frames. Automatic exposure, whose numbers are
// UVC's, isn't among them.
var ColorFields = []Field{
	{0, 16, -2, camdriver.MetaBrightness},
	{1, 20, 4, camdriver.MetaContrast},
	{2, 24, 4, camdriver.MetaSaturation},
	{3, 28, 4, camdriver.MetaSharpness},
	{5, 36, 4, camdriver.MetaAutoWhiteBalanceTemperature},
	{6, 40, 4, camdriver.MetaGainLevel},
	{7, 44, 4, camdriver.MetaBacklightCompensation},
	{8, 48, 4, camdriver.MetaGamma},
	{9, 52, -2, camdriver.MetaHue},
	{10, 56, 4, camdriver.MetaActualExposure},
	{11, 60, 4, camdriver.MetaManualWhiteBalance},
	{12, 64, 4, camdriver.MetaPowerLineFrequency},
	{13, 68, 4, camdriver.MetaLowLightCompensation},
}

// Moved returns a copy of a payload header at another time: us is added to the times on the device's clock, frames to the frame
// counter.
func Moved(header []byte, us, frames uint32) []byte {
	h := append([]byte(nil), header...)
	add := func(at int, v uint32) {
		if at+4 <= len(h) {
			binary.LittleEndian.PutUint32(h[at:], binary.LittleEndian.Uint32(h[at:])+v)
		}
	}
	if len(h) < headerRest {
		return h
	}
	if h[1]&infoPTS != 0 {
		add(headerPTS, us)
	}
	if h[1]&infoSCR != 0 {
		add(headerSCR, us)
	}
	h[1] ^= byte(frames & 1) // the toggle of frames
	blocks(h, func(id uint32, at int) {
		switch id {
		case blockTiming:
			add(at+16, frames)
		case blockStats:
			add(at+12, us)
		}
	})
	return h
}

// Resized changes a header's metadata to another size and rate.
func Resized(h []byte, width, height, fps uint16) {
	blocks(h, func(id uint32, at int) {
		if id == blockConfiguration && at+30 <= len(h) {
			binary.LittleEndian.PutUint16(h[at+24:], width)
			binary.LittleEndian.PutUint16(h[at+26:], height)
			binary.LittleEndian.PutUint16(h[at+28:], fps)
		}
	})
}

// HeaderTime returns a header's time on the device's clock in µs, and its frame counter if it has one.
func HeaderTime(h []byte) (us, counter uint32) {
	if len(h) >= headerRest && h[1]&infoPTS != 0 {
		us = binary.LittleEndian.Uint32(h[headerPTS:])
	}
	blocks(h, func(id uint32, at int) {
		if id == blockTiming && at+20 <= len(h) {
			counter = binary.LittleEndian.Uint32(h[at+16:])
		}
	})
	return us, counter
}

// blocks calls f with the id and offset of each block.
func blocks(h []byte, f func(id uint32, at int)) {
	for at := headerRest; at+8 <= len(h); {
		size := binary.LittleEndian.Uint32(h[at+4:])
		if size < 8 || uint64(size) > uint64(len(h)-at) {
			return
		}
		f(binary.LittleEndian.Uint32(h[at:]), at)
		at += int(size)
	}
}
