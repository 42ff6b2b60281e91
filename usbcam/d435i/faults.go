package d435i

import (
	"bytes"
	"time"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// Faults make a camera misbehave as hardware does. The zero value has none.
type Faults struct {
	// FirstFrame is by how much the first frame of each start is late.
	FirstFrame time.Duration
	// Reply is how long the camera stalls reads of the reply after a command.
	Reply time.Duration
	// Busy is how many control requests are stalled.
	Busy int
	// Silent are the report ids of inertial sensors that send nothing until they are powered up again.
	Silent []uint8
	// Payload, if not nil, changes the payloads and reports of an endpoint, or loses them, by returning nil. The bytes
	// that it gets are its own.
	Payload func(endpoint uint8, b []byte) []byte
}

// Misbehave replaces the camera's faults.
func (c *Camera) Misbehave(f Faults) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = f
	c.interrupt(hidEndpoint)
}

// busy reports whether to stall a request. The caller must hold mu.
func (c *Camera) busy(s Setup) bool {
	late := s.Request == uvc.GetCur &&
		uvc.ControlAt(s.Value, s.Index) == stereo(model.XUHardwareMonitor) && time.Now().Before(c.replyAt)
	if late || c.faults.Busy == 0 {
		return late
	}
	c.faults.Busy--
	return true
}

// spoil returns the bytes that a faulty camera sends in place of b, or nil for none.
func (c *Camera) spoil(endpoint uint8, b []byte) []byte {
	if b == nil || c.faults.Payload == nil {
		return b
	}
	return c.faults.Payload(endpoint, bytes.Clone(b))
}
