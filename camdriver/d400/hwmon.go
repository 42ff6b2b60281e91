package d400

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Operation codes of the hardware monitor, the command channel in the depth function's
// extension unit.
const (
	opReadRegister    = 0x01
	opGVD             = 0x10
	opGetCalibration  = 0x15
	opReset           = 0x20
	opSetAdvanced     = 0x2b
	opGetAdvanced     = 0x2c
	opAdvancedOn      = 0x30
	opSetROI          = 0x44 // stereo imagers
	opReadMotionTab   = 0x4f
	opSetSyncMode     = 0x69
	opGetSyncMode     = 0x6a
	opSetColorROI     = 0x75
	opSetSubPreset    = 0x7b
	opGetSubPreset    = 0x7c
	opSubPresetID     = 0x7d
	opIntrinsics      = 0x7e
	opLaserAlwaysOn   = 0x7f
	opAutoCalibration = 0x80
	opGetLimits       = 0x89
	opSetLimits       = 0x8a
)

const (
	hwmonSize    = 1024
	hwmonMagic   = 0xcdab
	hwmonHead    = 24 // size of a request before its data
	hwmonLength  = 1020
	hwmonMaxData = 1000
)

// hwmonCommand is a request.
type hwmonCommand struct {
	Op     uint32
	Params [4]uint32
	Data   []byte
}

func (c hwmonCommand) encode() ([]byte, error) {
	if len(c.Data) > hwmonMaxData {
		return nil, fmt.Errorf("hardware monitor command %#x has %d bytes of data, want at most %d", c.Op, len(c.Data), hwmonMaxData)
	}
	b := make([]byte, hwmonSize)
	binary.LittleEndian.PutUint16(b[0:], uint16(hwmonHead-4+len(c.Data)))
	binary.LittleEndian.PutUint16(b[2:], hwmonMagic)
	binary.LittleEndian.PutUint32(b[4:], c.Op)
	for i, p := range c.Params {
		binary.LittleEndian.PutUint32(b[8+4*i:], p)
	}
	copy(b[hwmonHead:], c.Data)
	return b, nil
}

// hwmonError is an error that the device returns.
type hwmonError struct {
	Op   uint32
	Code int32
}

var hwmonErrors = map[int32]string{
	-1: "unknown command", -6: "bad parameter", -7: "hardware not ready", -21: "no data", -25: "empty table", -41: "busy",
}

func (e *hwmonError) Error() string {
	text := hwmonErrors[e.Code]
	if text == "" {
		text = "error"
	}
	return fmt.Sprintf("hardware monitor command %#x: %s (%d)", e.Op, text, e.Code)
}

// temporary reports whether to retry.
func (e *hwmonError) temporary() bool { return e.Code == -7 || e.Code == -41 }

// decodeHwmon checks a reply to op and returns its data, which aliases b.
func decodeHwmon(op uint32, b []byte) ([]byte, error) {
	if len(b) < hwmonSize {
		return nil, fmt.Errorf("hardware monitor reply has %d bytes, want %d", len(b), hwmonSize)
	}
	code := int32(binary.LittleEndian.Uint32(b))
	if code != int32(op) {
		return nil, &hwmonError{Op: op, Code: code}
	}
	n := binary.LittleEndian.Uint32(b[hwmonLength:])
	if n > hwmonLength-4 {
		return nil, fmt.Errorf("hardware monitor reply to %#x claims %d bytes of data, want at most %d", op, n, hwmonLength-4)
	}
	return b[4 : 4+n], nil
}

// command runs a command and returns its reply. Commands are serialized.
func (l *link) command(op uint32, data []byte, params ...uint32) ([]byte, error) {
	c := hwmonCommand{Op: op, Data: data}
	copy(c.Params[:], params)
	request, err := c.encode()
	if err != nil {
		return nil, err
	}
	l.hwmon.Lock()
	defer l.hwmon.Unlock()
	for try := 0; ; try++ {
		reply, err := l.exchange(op, request)
		var refusal *hwmonError
		if errors.As(err, &refusal) && refusal.temporary() && try < controlTries {
			if err := l.pause(); err != nil {
				return nil, err
			}
			continue
		}
		return reply, err
	}
}

// exchange writes a request and reads the reply.
func (l *link) exchange(op uint32, request []byte) ([]byte, error) {
	if err := l.setControl(l.depthXU(xuHardwareMonitor), slices.Clone(request)); err != nil {
		return nil, err
	}
	reply := make([]byte, hwmonSize)
	if _, err := l.getControl(l.depthXU(xuHardwareMonitor), reqGetCur, reply); err != nil {
		return nil, err
	}
	return decodeHwmon(op, reply)
}

// deviceClock reads the clock of timestamps, in µs.
func (l *link) deviceClock() (uint32, error) {
	b, err := l.command(opReadRegister, nil, clockRegister, clockRegister+4)
	if err != nil {
		return 0, err
	}
	if len(b) < 4 {
		return 0, fmt.Errorf("device clock has %d bytes, want 4", len(b))
	}
	return binary.LittleEndian.Uint32(b), nil
}
