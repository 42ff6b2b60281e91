package d435i

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// monitor serves the hardware monitor: the host writes a request and then reads the reply.
func (c *Camera) monitor(s Setup, out []byte) ([]byte, error) {
	const size = model.MonitorSize
	switch s.Request {
	case uvc.SetCur:
		command, err := model.DecodeCommand(out)
		if err != nil {
			return nil, c.refuse("%v", err)
		}
		data, code := c.operate(command.Op, command.Params, command.Data)
		c.reply, c.replyAt = model.EncodeReply(command.Op, data, code), time.Now().Add(c.faults.Reply)
		return nil, nil
	case uvc.GetCur:
		if c.reply == nil || s.Length != size {
			return nil, c.refuse("hardware monitor read of %d bytes without a request", s.Length)
		}
		return c.reply, nil // repeatable: after a timeout, the SDK repeats only this
	case uvc.GetLen:
		return []byte{size & 0xff, size >> 8}, nil
	case uvc.GetInfo:
		return []byte{3}, nil
	case uvc.GetMin, uvc.GetMax, uvc.GetRes, uvc.GetDef:
		return make([]byte, size), nil
	}
	return nil, c.refuse("hardware monitor %v", s)
}

func (c *Camera) operate(op uint32, p [4]uint32, data []byte) ([]byte, int32) {
	word := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	switch op {
	case model.OpReadRegister: // read registers p0 to p1
		if p[0] != model.ClockRegister || p[1] != model.ClockRegister+4 {
			return nil, model.BadParameter
		}
		return word(c.clock()), 0
	case model.OpGVD:
		return c.gvd(), 0
	case model.OpGetCalibration:
		if p[0] == model.TableDepth {
			return c.opt.Tables.Depth.Encode(), 0
		} else if p[0] == model.TableColor {
			return c.opt.Tables.Color.Encode(), 0
		}
		return nil, model.BadParameter
	case model.OpReset:
		c.resets.Add(1)
		return nil, 0
	case model.OpFirmwareLog:
		return c.log.take(), 0
	case model.OpReadFlash: // erased flash, from address p0
		return bytes.Repeat([]byte{0xff}, int(min(p[1], 1016))), 0
	case model.OpWriteFlash, model.OpEraseFlash, model.OpSetCalibration, model.OpUpdateMode,
		model.OpRestoreTables, model.OpWriteTable:
		return nil, model.Locked
	case model.OpSetAdvanced:
		return nil, c.advanced.set(p[0], data)
	case model.OpGetAdvanced:
		return c.advanced.get(p[0], p[1])
	case model.OpEnableAdvanced:
		c.advanced.next = p[0] != 0
		return nil, 0
	case model.OpAdvancedOn:
		if c.advanced.on {
			return word(1), 0
		}
		return word(0), 0
	case model.OpSetROI, model.OpSetColorROI:
		return c.setRegion(op, p)
	case model.OpGetROI, model.OpGetColorROI:
		return c.region(op - 1), 0
	case model.OpReadMotionTab:
		return c.opt.Tables.Motion.Encode(), 0
	case model.OpSetSyncMode:
		c.sync = p[0]
		return nil, 0
	case model.OpGetSyncMode:
		return word(c.sync), 0
	case model.OpSetSubPreset:
		return nil, c.setSequence(data[:min(int(p[0]), len(data))])
	case model.OpGetSubPreset, model.OpSubPresetID:
		return c.sequence.ask(op == model.OpSubPresetID)
	case model.OpLaserAlwaysOn:
		if p[0] == 2 {
			return word(c.alwaysOn), 0
		}
		c.alwaysOn = p[0]
		return nil, 0
	case model.OpAutoCalibration:
		return c.autoCalibration(p)
	case model.OpGetLimits: // minima of exposure and gain, then maxima
		return slices.Concat(word(0), word(0), word(c.limits[0]), word(c.limits[1])), 0
	case model.OpSetLimits:
		c.limits = [2]uint32{p[1], p[3]}
		return nil, 0
	case model.OpIntrinsics:
		return c.opt.Tables.Depth.Modes(), 0
	}
	return nil, model.BadCommand
}

// setRegion limits auto exposure to rows p0 to p1 and columns p2 to p3.
func (c *Camera) setRegion(op uint32, p [4]uint32) ([]byte, int32) {
	if p[0] > p[1] || p[2] > p[3] || p[1] > math.MaxUint16 || p[3] > math.MaxUint16 {
		return nil, model.BadParameter
	}
	if !c.anyStreaming() {
		return nil, model.NotReady
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
	g := c.opt.GVD
	g.Firmware, g.Serial, g.ASICSerial = c.opt.Firmware, c.opt.Serial, c.opt.ASICSerial
	g.Locked, g.AccelChip, g.GlobalShutter, g.Projector = true, model.ChipBMI055, true, true
	g.HasRGB, g.HasIMU = c.opt.hasColor(), c.opt.hasMotion()
	return g.Encode()
}
