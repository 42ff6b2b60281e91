package camdriver

// Handler receives the frames and events of started sensors. sensor is an index into Device.Sensors.
//
// Frame must not block, except to pace a playback device that does not run in real time. While it blocks, a live driver
// drops frames, which leave gaps in Frame.Number.
type Handler interface {
	// Frame may use f until it returns. To keep f longer, call f.Retain.
	Frame(sensor int, f *Frame)
	OptionChanged(sensor int, id OptionID, value float32)
	Notification(sensor int, n Notification)
	// StatusChanged is called once for all sensors of a device, which have the same handler.
	StatusChanged(s Status)
}

// NopHandler is a Handler that does nothing, to embed in handlers that need only some of the methods.
type NopHandler struct{}

func (NopHandler) Frame(int, *Frame)                    {}
func (NopHandler) OptionChanged(int, OptionID, float32) {}
func (NopHandler) Notification(int, Notification)       {}
func (NopHandler) StatusChanged(Status)                 {}
