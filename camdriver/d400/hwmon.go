package d400

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// command runs a command and returns its reply. Commands are serialized.
func (l *link) command(op uint32, data []byte, params ...uint32) ([]byte, error) {
	c := model.Command{Op: op, Data: data}
	copy(c.Params[:], params)
	request, err := c.Encode()
	if err != nil {
		return nil, err
	}
	l.hwmon.Lock()
	defer l.hwmon.Unlock()
	for try := 0; ; try++ {
		reply, err := l.exchange(op, request)
		var refusal *model.Refusal
		if errors.As(err, &refusal) && refusal.Temporary() && try < controlTries {
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
	if err := l.setControl(l.depthXU(model.XUHardwareMonitor), slices.Clone(request)); err != nil {
		return nil, err
	}
	reply := make([]byte, model.MonitorSize)
	if _, err := l.getControl(l.depthXU(model.XUHardwareMonitor), uvc.GetCur, reply); err != nil {
		return nil, err
	}
	return model.DecodeReply(op, reply)
}

// deviceClock reads the clock of timestamps, in µs.
func (l *link) deviceClock() (uint32, error) {
	b, err := l.command(model.OpReadRegister, nil, clockRegister, clockRegister+4)
	if err != nil {
		return 0, err
	}
	if len(b) < 4 {
		return 0, fmt.Errorf("device clock has %d bytes, want 4", len(b))
	}
	return binary.LittleEndian.Uint32(b), nil
}
