package d435i

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// monitor serves the hardware monitor: the host writes a request and then reads the reply.
func (c *Camera) monitor(s Setup, out []byte) ([]byte, error) {
	const size = 1024
	switch s.Request {
	case setCur:
		if len(out) != size || binary.LittleEndian.Uint16(out[2:]) != 0xcdab {
			return nil, c.refuse("hardware monitor request of %d bytes starting % x", len(out), out[:min(4, len(out))])
		}
		if n := binary.LittleEndian.Uint16(out); n < 20 || n > 1020 {
			return nil, c.refuse("hardware monitor request names its length %d", n)
		}
		c.reply = c.execute(out)
		return nil, nil
	case getCur:
		if c.reply == nil || s.Length != size {
			return nil, c.refuse("hardware monitor read of %d bytes without a request", s.Length)
		}
		return c.reply, nil // repeatable: after a timeout, the SDK repeats only this
	case getLen:
		return []byte{size & 0xff, size >> 8}, nil
	case getInfo:
		return []byte{3}, nil
	case getMin, getMax, getRes, getDef:
		return make([]byte, size), nil
	}
	return nil, c.refuse("hardware monitor %v", s)
}

// execute returns a complete reply: opcode or error, data, length.
func (c *Camera) execute(request []byte) []byte {
	op := binary.LittleEndian.Uint32(request[4:])
	var p [4]uint32
	for i := range p {
		p[i] = binary.LittleEndian.Uint32(request[8+4*i:])
	}
	reply := make([]byte, 1024)
	data, code := c.operate(op, p, request[24:4+binary.LittleEndian.Uint16(request)])
	if code != 0 {
		binary.LittleEndian.PutUint32(reply, uint32(code))
		return reply
	}
	binary.LittleEndian.PutUint32(reply, op)
	binary.LittleEndian.PutUint32(reply[1020:], uint32(copy(reply[4:1020], data)))
	return reply
}

// Refusals of the hardware monitor.
const (
	badCommand   = -1
	badParameter = -6
	notReady     = -7
	noData       = -21
	locked       = -27
	wrongState   = -38
)

func (c *Camera) operate(op uint32, p [4]uint32, data []byte) ([]byte, int32) {
	word := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	switch op {
	case 0x01: // read registers p0 to p1
		if p[0] != 0x0001613c || p[1] != 0x00016140 {
			return nil, badParameter
		}
		return word(c.clock()), 0
	case 0x10:
		return c.gvd(), 0
	case 0x15:
		if p[0] == 25 {
			return c.opt.Tables.depth(), 0
		} else if p[0] == 32 {
			return c.opt.Tables.color(), 0
		}
		return nil, badParameter
	case 0x20:
		c.resets++
		return nil, 0
	case 0x0f:
		return c.log.take(), 0
	case 0x09: // erased flash, from address p0
		return bytes.Repeat([]byte{0xff}, int(min(p[1], 1016))), 0
	case 0x0a, 0x0c, 0x16, 0x1e, 0x61, 0x62: // writing of flash and tables, update mode
		return nil, locked
	case 0x2b:
		return nil, c.advanced.set(p[0], data)
	case 0x2c:
		return c.advanced.get(p[0], p[1])
	case 0x2d:
		c.advanced.next = p[0] != 0
		return nil, 0
	case 0x30:
		return word(uint32(bit(c.advanced.on))), 0
	case 0x44, 0x75: // regions of auto exposure: stereo, colour
		return c.setRegion(op, p)
	case 0x45, 0x76:
		return c.region(op - 1), 0
	case 0x4f:
		return c.opt.Tables.motion(), 0
	case 0x69:
		c.sync = p[0]
		return nil, 0
	case 0x6a:
		return word(c.sync), 0
	case 0x7b:
		return nil, c.setSequence(data[:min(int(p[0]), len(data))])
	case 0x7c, 0x7d:
		return c.sequence.ask(op == 0x7d)
	case 0x7f:
		if p[0] == 2 {
			return word(c.alwaysOn), 0
		}
		c.alwaysOn = p[0]
		return nil, 0
	case 0x80:
		return c.autoCalibration(p)
	case 0x89: // minima of exposure and gain, then maxima
		return slices.Concat(word(0), word(0), word(c.limits[0]), word(c.limits[1])), 0
	case 0x8a:
		c.limits = [2]uint32{p[1], p[3]}
		return nil, 0
	case 0x7e:
		return c.opt.Tables.modes(), 0
	}
	return nil, badCommand
}

// setRegion limits auto exposure to rows p0 to p1 and columns p2 to p3.
func (c *Camera) setRegion(op uint32, p [4]uint32) ([]byte, int32) {
	if p[0] > p[1] || p[2] > p[3] || p[1] > math.MaxUint16 || p[3] > math.MaxUint16 {
		return nil, badParameter
	}
	if !c.anyStreaming() {
		return nil, notReady
	}
	c.regions[op] = p
	return nil, 0
}

// region returns the region that setRegion has set.
func (c *Camera) region(op uint32) []byte {
	var b []byte
	for _, v := range c.regions[op] {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}

// gvd returns the device description (GVD).
func (c *Camera) gvd() []byte {
	b := make([]byte, 600)
	fw := c.opt.Firmware
	b[12], b[13], b[14], b[15] = fw[3], fw[2], fw[1], fw[0]
	b[25] = 1
	copy(b[48:], c.opt.Serial[:])
	copy(b[64:], c.opt.ASICSerial[:])
	b[112], b[113] = 0xff, 0xff // no fisheye
	b[124] = 0xfa               // BMI055
	b[166] = 2                  // global shutter
	b[170], b[174], b[178] = 1, bit(c.opt.hasColor()), bit(c.opt.hasMotion())
	return b
}

func putFloats(b []byte, at int, list ...float64) {
	for i, v := range list {
		binary.LittleEndian.PutUint32(b[at+4*i:], math.Float32bits(float32(v)))
	}
}
