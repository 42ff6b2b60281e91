package d400

import (
	"encoding/binary"
	"fmt"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// metadata is a set of values.
type metadata struct {
	values  [camdriver.MetaCrc + 1]int64
	present uint64
	stereo  bool // the frame is of the stereo module
}

func (m *metadata) set(k camdriver.MetadataKey, v int64) {
	m.values[k] = v
	m.present |= 1 << k
}

func (m *metadata) get(k camdriver.MetadataKey) (int64, bool) {
	return m.values[k], m.present&(1<<k) != 0
}

// list returns the values in key order, at most camdriver.MaxMetadata.
func (m *metadata) list() []camdriver.MetadataValue {
	out := make([]camdriver.MetadataValue, 0, camdriver.MaxMetadata)
	for k := range m.values {
		if m.present&(1<<k) != 0 && len(out) < camdriver.MaxMetadata {
			out = append(out, camdriver.MetadataValue{Key: camdriver.MetadataKey(k), Value: m.values[k]})
		}
	}
	return out
}

// parse parses the blocks of a payload header. If a block has a wrong size, it returns
// an error and keeps the values before it.
func (m *metadata) parse(blocks []byte, pts uint32) error {
	m.set(camdriver.MetaFrameTimestamp, int64(pts))
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

var statsFields = []model.Field{{Flag: 5, At: 48, Size: 4, Key: camdriver.MetaWhiteBalance}}

var timingFields = []model.Field{{Flag: 0, At: 16, Size: 4, Key: camdriver.MetaFrameCounter}}

var configurationFields = []model.Field{{Flag: 9, At: 34, Size: 1, Key: camdriver.MetaGpioInputData}}

func (m *metadata) block(id uint32, r blockReader, pts uint32) {
	r.flags = r.u32(12)
	switch id {
	case model.BlockTiming:
		m.put(r, timingFields)
		if r.has(1, 20, 4) {
			// The field holds half the exposure: the time from its middle to the PTS.
			m.set(camdriver.MetaSensorTimestamp, int64(pts)-int64(r.u32(20)))
		}
	case model.BlockStats:
		r.flags = r.u32(8)
		m.put(r, statsFields)
	case model.BlockDepthControl:
		m.put(r, model.DepthFields)
		m.stereo = true
		if emitter, ok := m.get(camdriver.MetaFrameEmitterMode); ok {
			m.set(camdriver.MetaFrameLaserPowerMode, int64(boolToFloat(emitter == laserOn)))
		}
	case model.BlockRGBControl:
		m.put(r, model.ColorFields)
		if r.has(4, 32, 4) {
			m.set(camdriver.MetaAutoExposure, int64(boolToFloat(r.u32(32) != colorManualExposure)))
		}
	case model.BlockConfiguration:
		if !m.stereo {
			return // the SDK reads none of it in colour frames
		}
		m.put(r, configurationFields)
		if r.has(10, 35, 4) {
			sub := r.u32(35)
			m.set(camdriver.MetaSequenceName, int64(sub&0xf))
			m.set(camdriver.MetaSequenceSize, int64(sub>>4&0xff))
			m.set(camdriver.MetaSequenceId, int64(sub>>12&0xff))
		}
	}
}

func (m *metadata) put(r blockReader, fields []model.Field) {
	for _, f := range fields {
		if !r.has(f.Flag, f.At, abs(f.Size)) {
			continue
		}
		b := r.b[f.At:]
		switch f.Size {
		case 1:
			m.set(f.Key, int64(b[0]))
		case 2:
			m.set(f.Key, int64(binary.LittleEndian.Uint16(b)))
		case -2:
			m.set(f.Key, int64(int16(binary.LittleEndian.Uint16(b))))
		default:
			m.set(f.Key, int64(binary.LittleEndian.Uint32(b)))
		}
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
