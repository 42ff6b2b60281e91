package model

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"rsros/camdriver"
)

// Ids of the blocks of metadata in a payload header.
const (
	BlockDepthControl  = 0x80000000
	BlockTiming        = 0x80000001
	BlockConfiguration = 0x80000002
	BlockRGBControl    = 0x80000005
	BlockStats         = 0x00000003
)

// field is a metadata value in a block: the bit of its flag, its offset, and its size in bytes; -2 is signed.
type field struct {
	flag, at, size int
	key            camdriver.MetadataKey
}

// depthFields are those of the block of stereo frames.
var depthFields = []field{
	{0, 16, 4, camdriver.MetaGainLevel},
	{1, 20, 4, camdriver.MetaActualExposure},
	{2, 24, 4, camdriver.MetaFrameLaserPower},
	{3, 28, 4, camdriver.MetaAutoExposure},
	{4, 32, 4, camdriver.MetaExposurePriority},
	{5, 36, 4, camdriver.MetaExposureRoiLeft},
	{5, 40, 4, camdriver.MetaExposureRoiRight},
	{5, 44, 4, camdriver.MetaExposureRoiTop},
	{5, 48, 4, camdriver.MetaExposureRoiBottom},
	{7, 56, 1, camdriver.MetaFrameEmitterMode},
	{8, 58, 2, camdriver.MetaFrameLedPower},
}

// colorFields are those of the block of colour frames. Automatic exposure, whose numbers are UVC's, isn't among them.
var colorFields = []field{
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

// Fields of the other blocks.
var (
	statsFields         = []field{{5, 48, 4, camdriver.MetaWhiteBalance}}
	timingFields        = []field{{0, 16, 4, camdriver.MetaFrameCounter}}
	configurationFields = []field{{9, 34, 1, camdriver.MetaGpioInputData}}
)

// Metadata is a set of values of a frame.
type Metadata struct {
	values  [camdriver.MetaCrc + 1]int64
	present uint64
	stereo  bool // the frame is of the stereo module
	// Switch means that automatic exposure in the block of colour frames is 1 or 0, not one of UVC's modes: of a D405
	// before SwitchUntil.
	Switch bool
}

// SwitchUntil is the first firmware with which automatic exposure in a D405's colour frames is one of UVC's modes.
var SwitchUntil = Version{5, 17, 3, 0}

// Set sets a value.
func (m *Metadata) Set(k camdriver.MetadataKey, v int64) {
	m.values[k] = v
	m.present |= 1 << k
}

// Unset removes a value.
func (m *Metadata) Unset(k camdriver.MetadataKey) { m.present &^= 1 << k }

// Get returns a value, if it is set.
func (m *Metadata) Get(k camdriver.MetadataKey) (int64, bool) {
	return m.values[k], m.present&(1<<k) != 0
}

// List returns the values in key order, at most camdriver.MaxMetadata.
func (m *Metadata) List() []camdriver.MetadataValue {
	out := make([]camdriver.MetadataValue, 0, bits.OnesCount64(m.present))
	for k := range m.values {
		if v, ok := m.Get(camdriver.MetadataKey(k)); ok && len(out) < camdriver.MaxMetadata {
			out = append(out, camdriver.MetadataValue{Key: camdriver.MetadataKey(k), Value: v})
		}
	}
	return out
}

// Parse parses the blocks of a payload header. If a block has a wrong size, it returns
// an error and keeps the values before it.
func (m *Metadata) Parse(blocks []byte, pts uint32) error {
	m.Set(camdriver.MetaFrameTimestamp, int64(pts))
	for at := 0; len(blocks)-at >= 8; {
		id := binary.LittleEndian.Uint32(blocks[at:])
		size := binary.LittleEndian.Uint32(blocks[at+4:])
		if size < 8 || uint64(size) > uint64(len(blocks)-at) {
			return fmt.Errorf("metadata block %#x claims %d bytes, %d are left", id, size, len(blocks)-at)
		}
		m.block(id, blockReader{b: blocks[at : at+int(size)]}, pts)
		at += int(size)
	}
	return nil
}

func (m *Metadata) block(id uint32, r blockReader, pts uint32) {
	r.flags = r.u32(12)
	switch id {
	case BlockTiming:
		m.put(r, timingFields)
		if r.has(1, 20, 4) {
			// The field holds half the exposure: the time from its middle to the PTS.
			m.Set(camdriver.MetaSensorTimestamp, int64(pts)-int64(r.u32(20)))
		}
	case BlockStats:
		r.flags = r.u32(8)
		m.put(r, statsFields)
	case BlockDepthControl:
		m.put(r, depthFields)
		m.stereo = true
		if emitter, ok := m.Get(camdriver.MetaFrameEmitterMode); ok {
			m.Set(camdriver.MetaFrameLaserPowerMode, boolValue(emitter == LaserOn))
		}
	case BlockRGBControl:
		m.put(r, colorFields)
		if r.has(4, 32, 4) {
			mode := r.u32(32)
			m.Set(camdriver.MetaAutoExposure, boolValue(m.Switch && mode == 1 || !m.Switch && mode != ManualExposure))
		}
	case BlockConfiguration:
		if !m.stereo {
			return // the SDK reads none of it in colour frames
		}
		m.put(r, configurationFields)
		if r.has(10, 35, 4) {
			sub := r.u32(35)
			m.Set(camdriver.MetaSequenceName, int64(sub&0xf))
			m.Set(camdriver.MetaSequenceSize, int64(sub>>4&0xff))
			m.Set(camdriver.MetaSequenceId, int64(sub>>12&0xff))
		}
	}
}

func (m *Metadata) put(r blockReader, fields []field) {
	for _, f := range fields {
		size := max(f.size, -f.size)
		if !r.has(f.flag, f.at, size) {
			continue
		}
		var word [4]byte
		copy(word[:size], r.b[f.at:])
		v := int64(binary.LittleEndian.Uint32(word[:]))
		if f.size == -2 {
			v = int64(int16(v))
		}
		m.Set(f.key, v)
	}
}

// blockReader reads fields of a block. Old firmware sends shorter blocks, so a field is
// present only if its flag is set and it is inside the block.
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

func boolValue(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Block returns id, size, version, flags and 32-bit fields, padded to size.
func Block(id, size, version, flags uint32, fields ...uint32) []byte {
	b := make([]byte, 0, size)
	for _, v := range append([]uint32{id, size, version, flags}, fields...) {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return append(b, make([]byte, int(size)-len(b))...)
}

// StatsBlock returns the only block without a version.
func StatsBlock(pts uint32, white int64, known bool) []byte {
	b := make([]byte, 80)
	flags := 1 | uint32(boolValue(known))<<5 // hardware time and white balance
	for at, v := range map[int]uint32{0: BlockStats, 4: uint32(len(b)), 8: flags, 12: pts, 48: uint32(white)} {
		binary.LittleEndian.PutUint32(b[at:], v)
	}
	return b
}

// ControlBlock returns the block of a colour or stereo frame with the values that get returns.
func ControlBlock(color bool, get func(camdriver.MetadataKey) (int64, bool)) []byte {
	if !color {
		return putFields(Block(BlockDepthControl, 60, 1, 0), depthFields, get)
	}
	b := putFields(Block(BlockRGBControl, 72, 1, 0), colorFields, get)
	if v, ok := get(camdriver.MetaAutoExposure); ok {
		b[12] |= 1 << 4
		b[32] = ManualExposure
		if v&1 != 0 {
			b[32] = AutoExposure
		}
	}
	return b
}

// putFields writes the values that there are, and their flags.
func putFields(b []byte, fields []field, get func(camdriver.MetadataKey) (int64, bool)) []byte {
	flags := uint32(0)
	for _, f := range fields {
		if v, ok := get(f.key); ok {
			var word [4]byte
			binary.LittleEndian.PutUint32(word[:], uint32(v))
			copy(b[f.at:], word[:max(f.size, -f.size)])
			flags |= 1 << f.flag
		}
	}
	binary.LittleEndian.PutUint32(b[12:], flags)
	return b
}
