package d400

import (
	"encoding/binary"
	"errors"
	"fmt"

	"rsros/camdriver"
)

// Bits of a payload header's second byte (UVC 1.5, 2.4.3.3).
const (
	headerFID = 0x01 // toggles with each frame
	headerEOF = 0x02
	headerPTS = 0x04
	headerSCR = 0x08
	headerERR = 0x40
)

var errPayloadMarked = errors.New("payload is marked as faulty")

// payload is the header before the pixels of each transfer. blocks
// aliases the transfer's memory.
type payload struct {
	length int // of the header; the pixels begin here
	info   uint8
	pts    uint32 // frame timestamp, µs of the device's clock
	blocks []byte // RealSense metadata
}

// parsePayload reads the header of one transfer.
func parsePayload(b []byte) (payload, error) {
	if len(b) < 2 {
		return payload{}, fmt.Errorf("payload of %d bytes has no header", len(b))
	}
	p := payload{length: int(b[0]), info: b[1]}
	want := 2
	if p.info&headerPTS != 0 {
		want += 4
	}
	if p.info&headerSCR != 0 {
		want += 6
	}
	if p.length < want || p.length > len(b) {
		return p, fmt.Errorf("payload header of %d bytes in a transfer of %d; its bits ask for %d", p.length, len(b), want)
	}
	if p.info&headerERR != 0 {
		return p, errPayloadMarked
	}
	if p.info&headerPTS != 0 {
		p.pts = binary.LittleEndian.Uint32(b[2:])
	}
	p.blocks = b[want:p.length]
	return p, nil
}

// Metadata block ids.
const (
	blockDepthControl  = 0x80000000
	blockTiming        = 0x80000001
	blockConfiguration = 0x80000002
	blockRGBControl    = 0x80000005
	blockStats         = 0x00000003
)

// metadata is a set of values, kept in key order without an allocation.
type metadata struct {
	values  [camdriver.MetaCrc + 1]int64
	present uint64
}

func (m *metadata) set(k camdriver.MetadataKey, v int64) {
	m.values[k] = v
	m.present |= 1 << k
}

func (m *metadata) get(k camdriver.MetadataKey) (int64, bool) {
	return m.values[k], m.present&(1<<k) != 0
}

// list gives the values in key order, at most camdriver.MaxMetadata.
func (m *metadata) list() []camdriver.MetadataValue {
	out := make([]camdriver.MetadataValue, 0, camdriver.MaxMetadata)
	for k := range m.values {
		if m.present&(1<<k) != 0 && len(out) < camdriver.MaxMetadata {
			out = append(out, camdriver.MetadataValue{Key: camdriver.MetadataKey(k), Value: m.values[k]})
		}
	}
	return out
}

// parse reads the blocks of a payload header. At a block with a wrong size it returns
// an error and keeps what was read before.
func (m *metadata) parse(blocks []byte, pts uint32) error {
	m.set(camdriver.MetaFrameTimestamp, int64(pts))
	for at := 0; len(blocks)-at >= 8; {
		id := binary.LittleEndian.Uint32(blocks[at:])
		size := binary.LittleEndian.Uint32(blocks[at+4:])
		if size < 8 || uint64(size) > uint64(len(blocks)-at) {
			return fmt.Errorf("metadata block %#x of %d bytes, %d are left", id, size, len(blocks)-at)
		}
		m.block(id, blockReader{b: blocks[at : at+int(size)]}, pts)
		at += int(size)
	}
	return nil
}

func (m *metadata) block(id uint32, r blockReader, pts uint32) {
	switch id {
	case blockTiming:
		r.flags = r.u32(12)
		m.timing(r, pts)
	case blockStats:
		r.flags = r.u32(8)
		m.put32(r, 5, 48, camdriver.MetaWhiteBalance)
	case blockDepthControl:
		r.flags = r.u32(12)
		m.depthControl(r)
	case blockRGBControl:
		r.flags = r.u32(12)
		m.rgbControl(r)
	case blockConfiguration:
		r.flags = r.u32(12)
		m.configuration(r)
	}
}

func (m *metadata) timing(r blockReader, pts uint32) {
	m.put32(r, 0, 16, camdriver.MetaFrameCounter)
	if r.has(1, 20, 4) {
		// The field holds half the exposure: the time from its middle to the PTS.
		m.set(camdriver.MetaSensorTimestamp, int64(pts)-int64(r.u32(20)))
	}
}

func (m *metadata) depthControl(r blockReader) {
	m.put32(r, 0, 16, camdriver.MetaGainLevel)
	m.put32(r, 1, 20, camdriver.MetaActualExposure)
	m.put32(r, 2, 24, camdriver.MetaFrameLaserPower)
	m.put32(r, 3, 28, camdriver.MetaAutoExposure)
	m.put32(r, 4, 32, camdriver.MetaExposurePriority)
	if r.has(5, 48, 4) {
		m.set(camdriver.MetaExposureRoiLeft, int64(r.u32(36)))
		m.set(camdriver.MetaExposureRoiRight, int64(r.u32(40)))
		m.set(camdriver.MetaExposureRoiTop, int64(r.u32(44)))
		m.set(camdriver.MetaExposureRoiBottom, int64(r.u32(48)))
	}
	m.put32(r, 6, 52, camdriver.MetaPreset)
	if r.has(7, 56, 1) {
		m.set(camdriver.MetaFrameEmitterMode, int64(r.b[56]))
		m.set(camdriver.MetaFrameLaserPowerMode, int64(r.b[56]))
	}
	if r.has(8, 58, 2) {
		m.set(camdriver.MetaFrameLedPower, int64(binary.LittleEndian.Uint16(r.b[58:])))
	}
}

func (m *metadata) rgbControl(r blockReader) {
	m.put16(r, 0, 16, camdriver.MetaBrightness)
	m.put32(r, 1, 20, camdriver.MetaContrast)
	m.put32(r, 2, 24, camdriver.MetaSaturation)
	m.put32(r, 3, 28, camdriver.MetaSharpness)
	if r.has(4, 32, 4) {
		m.set(camdriver.MetaAutoExposure, int64(boolToFloat(r.u32(32) != colorManualExposure)))
	}
	m.put32(r, 5, 36, camdriver.MetaAutoWhiteBalanceTemperature)
	m.put32(r, 6, 40, camdriver.MetaGainLevel)
	m.put32(r, 7, 44, camdriver.MetaBacklightCompensation)
	m.put32(r, 8, 48, camdriver.MetaGamma)
	m.put16(r, 9, 52, camdriver.MetaHue)
	if r.has(10, 56, 4) {
		m.set(camdriver.MetaActualExposure, int64(r.u32(56))*colorExposureUnit)
	}
	m.put32(r, 11, 60, camdriver.MetaManualWhiteBalance)
	m.put32(r, 12, 64, camdriver.MetaPowerLineFrequency)
	m.put32(r, 13, 68, camdriver.MetaLowLightCompensation)
}

// configuration reads the block whose flags count: 0 hardware type, 1 sku,
// 2 cookie, 3 format, 4 width, 5 height, 6 fps, 7 trigger, 8 calibration count,
// 9 gpio, 10 sub-preset.
func (m *metadata) configuration(r blockReader) {
	m.putU16(r, 4, 24, camdriver.MetaInputWidth)
	m.putU16(r, 5, 26, camdriver.MetaInputHeight)
	if r.has(6, 28, 2) {
		m.set(camdriver.MetaActualFps, 1000*int64(binary.LittleEndian.Uint16(r.b[28:]))) // the SDK counts thousandths
	}
	m.putU16(r, 7, 30, camdriver.MetaTrigger)
	m.putU16(r, 8, 32, camdriver.MetaCalibInfo)
	if r.has(9, 34, 1) {
		m.set(camdriver.MetaGpioInputData, int64(r.b[34]))
	}
	if r.has(10, 35, 4) {
		sub := r.u32(35)
		m.set(camdriver.MetaSubPresetInfo, int64(sub))
		m.set(camdriver.MetaSequenceName, int64(sub&0xf))
		m.set(camdriver.MetaSequenceSize, int64(sub>>4&0xff))
		m.set(camdriver.MetaSequenceId, int64(sub>>12&0xff))
	}
}

func (m *metadata) put32(r blockReader, flag, at int, k camdriver.MetadataKey) {
	if r.has(flag, at, 4) {
		m.set(k, int64(r.u32(at)))
	}
}

func (m *metadata) putU16(r blockReader, flag, at int, k camdriver.MetadataKey) {
	if r.has(flag, at, 2) {
		m.set(k, int64(binary.LittleEndian.Uint16(r.b[at:])))
	}
}

// put16 takes the signed low half of a field.
func (m *metadata) put16(r blockReader, flag, at int, k camdriver.MetadataKey) {
	if r.has(flag, at, 2) {
		m.set(k, int64(int16(binary.LittleEndian.Uint16(r.b[at:]))))
	}
}

// blockReader reads fields of one block at offsets from the block's start. Old
// firmware sends shorter blocks: a field counts only if its flag is set and it
// lies within.
type blockReader struct {
	b     []byte
	flags uint32
}

func (r blockReader) has(flag, at, size int) bool {
	return r.flags&(1<<flag) != 0 && at+size <= len(r.b)
}

func (r blockReader) u32(at int) uint32 {
	if at+4 > len(r.b) {
		return 0
	}
	return binary.LittleEndian.Uint32(r.b[at:])
}
