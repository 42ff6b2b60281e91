package usbreport

import "encoding/binary"

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
