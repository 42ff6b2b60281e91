package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
)

// Operation codes of the hardware monitor, the command channel in the depth function's extension unit.
const (
	OpReadRegister    = 0x01
	OpGVD             = 0x10
	OpGetCalibration  = 0x15
	OpReadFlash       = 0x09
	OpWriteFlash      = 0x0a
	OpEraseFlash      = 0x0c
	OpFirmwareLog     = 0x0f
	OpSetCalibration  = 0x16
	OpUpdateMode      = 0x1e
	OpReset           = 0x20
	OpEnableAdvanced  = 0x2d
	OpRestoreTables   = 0x61
	OpWriteTable      = 0x62
	OpSetAdvanced     = 0x2b
	OpGetAdvanced     = 0x2c
	OpAdvancedOn      = 0x30
	OpSetROI          = 0x44 // stereo imagers
	OpGetROI          = 0x45
	OpReadMotionTab   = 0x4f
	OpSetSyncMode     = 0x69
	OpGetSyncMode     = 0x6a
	OpSetColorROI     = 0x75
	OpGetColorROI     = 0x76
	OpSetSubPreset    = 0x7b
	OpGetSubPreset    = 0x7c
	OpSubPresetID     = 0x7d
	OpIntrinsics      = 0x7e
	OpLaserAlwaysOn   = 0x7f
	OpAutoCalibration = 0x80
	OpGetLimits       = 0x89
	OpSetLimits       = 0x8a
)

// ClockRegister is the address of the device's clock for OpReadRegister, which librealsense reads, too.
const ClockRegister = 0x0001613c

// The group of registers of advanced mode that starts with the depth units, in µm, and its size in bytes.
const (
	DepthGroup     = 9
	DepthGroupSize = 20
)

// Parameters of OpAutoCalibration, by which firmware before LimitsFirmware reads and writes the limits of exposure and
// gain.
const (
	OldSetLimits = 4
	OldGetLimits = 5
)

// LimitsFirmware has commands of its own for the limits.
var LimitsFirmware = Version{5, 13, 0, 200}

// MonitorSize is the size of requests and replies.
const MonitorSize = 1024

const (
	monitorMagic = 0xcdab
	commandHead  = 24 // size of a request before its data
	replyLength  = 1020
	maxReply     = replyLength - 4
	maxCommand   = MonitorSize - commandHead
)

// Codes of refusals.
const (
	BadCommand   = -1
	BadParameter = -6
	NotReady     = -7
	NoData       = -21
	emptyTable   = -25
	Locked       = -27
	WrongState   = -38
	busy         = -41
)

// Command is a request to the hardware monitor.
type Command struct {
	Op     uint32
	Params [4]uint32
	Data   []byte
}

// commandHeader is what precedes the data of a request.
type commandHeader struct {
	Length, Magic uint16 // Length is without these two
	Op            uint32
	Params        [4]uint32
}

// Encode returns the request's bytes.
func (c Command) Encode() ([]byte, error) {
	if len(c.Data) > maxCommand {
		return nil, fmt.Errorf("hardware monitor command %#x has %d bytes of data, want at most %d",
			c.Op, len(c.Data), maxCommand)
	}
	head := commandHeader{uint16(commandHead - 4 + len(c.Data)), monitorMagic, c.Op, c.Params}
	b, err := binary.Append(make([]byte, 0, MonitorSize), binary.LittleEndian, head)
	return append(b, c.Data...)[:MonitorSize], err
}

// Refusal is an error that the device returns.
type Refusal struct {
	Op   uint32
	Code int32
}

var refusals = map[int32]string{
	BadCommand: "unknown command", BadParameter: "bad parameter", NotReady: "hardware not ready", NoData: "no data",
	emptyTable: "empty table", busy: "busy",
}

func (e *Refusal) Error() string {
	text := cmp.Or(refusals[e.Code], "error")
	return fmt.Sprintf("hardware monitor command %#x: %s (%d)", e.Op, text, e.Code)
}

// Temporary reports whether to retry.
func (e *Refusal) Temporary() bool { return e.Code == NotReady || e.Code == busy }

// DecodeReply checks a reply to op and returns its data, which aliases b.
func DecodeReply(op uint32, b []byte) ([]byte, error) {
	if len(b) < MonitorSize {
		return nil, fmt.Errorf("hardware monitor reply has %d bytes, want %d", len(b), MonitorSize)
	}
	code := int32(binary.LittleEndian.Uint32(b))
	if code != int32(op) {
		return nil, &Refusal{Op: op, Code: code}
	}
	n := binary.LittleEndian.Uint32(b[replyLength:])
	if n > maxReply {
		return nil, fmt.Errorf("hardware monitor reply to %#x claims %d bytes of data, want at most %d", op, n, maxReply)
	}
	return b[4 : 4+n], nil
}

// DecodeCommand parses a request. Its data aliases b.
func DecodeCommand(b []byte) (c Command, err error) {
	var head commandHeader
	if _, err := binary.Decode(b, binary.LittleEndian, &head); err != nil ||
		len(b) != MonitorSize || head.Magic != monitorMagic {
		return c, fmt.Errorf("hardware monitor request of %d bytes starting % x", len(b), b[:min(4, len(b))])
	}
	if head.Length < commandHead-4 || head.Length > MonitorSize-4 {
		return c, fmt.Errorf("hardware monitor request names its length %d", head.Length)
	}
	return Command{head.Op, head.Params, b[commandHead : 4+head.Length]}, nil
}

// EncodeReply returns the reply to op: data, cut to what fits, or a refusal's code unless it is 0.
func EncodeReply(op uint32, data []byte, code int32) []byte {
	b := make([]byte, MonitorSize)
	if code != 0 {
		binary.LittleEndian.PutUint32(b, uint32(code))
		return b
	}
	binary.LittleEndian.PutUint32(b, op)
	binary.LittleEndian.PutUint32(b[replyLength:], uint32(copy(b[4:replyLength], data)))
	return b
}
