package d400

import (
	"context"
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
	select {
	case l.hwmon <- struct{}{}:
	case <-l.ctx.Done():
		return nil, context.Cause(l.ctx)
	}
	defer func() { <-l.hwmon }()
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
	at := l.depthXU(model.XUHardwareMonitor)
	if err := l.set(controlTries, at, slices.Clone(request)); err != nil {
		return nil, err
	}
	if op == model.OpReset {
		return nil, nil // the camera may disconnect before it replies
	}
	reply := make([]byte, model.MonitorSize)
	if _, err := l.get(controlTries, at, uvc.GetCur, reply); err != nil {
		return nil, err
	}
	return model.DecodeReply(op, reply)
}

// ask runs a command whose reply has at least size bytes.
func (l *link) ask(size int, op uint32, params ...uint32) ([]byte, error) {
	b, err := l.command(op, nil, params...)
	if err == nil && len(b) < size {
		err = fmt.Errorf("reply to hardware monitor command %#x has %d bytes, want %d: %w", op, len(b), size, errShort)
	}
	return b, err
}

// deviceClock reads the clock of timestamps, in µs.
func (l *link) deviceClock() (uint32, error) {
	b, err := l.ask(4, model.OpReadRegister, model.ClockRegister, model.ClockRegister+4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}
