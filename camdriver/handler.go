package camdriver

// Handler receives what started sensors raise. sensor is the number of the
// raising sensor in Device.Sensors.
//
// Frame may block only where the caller asked for it (a playback device that is
// read as fast as its frames are taken); a live driver that has to wait drops
// later frames and counts them as gaps in Frame.Number.
type Handler interface {
	// Frame lends f for the length of the call; Retain it to keep it longer.
	Frame(sensor int, f *Frame)
	OptionChanged(sensor int, id OptionID, value float32)
	Notification(sensor int, n Notification)
	StatusChanged(s Status)
}

// NopHandler ignores everything. Embed it in a handler that needs only some of
// the methods.
type NopHandler struct{}

// Frame implements Handler.
func (NopHandler) Frame(int, *Frame) {}

// OptionChanged implements Handler.
func (NopHandler) OptionChanged(int, OptionID, float32) {}

// Notification implements Handler.
func (NopHandler) Notification(int, Notification) {}

// StatusChanged implements Handler.
func (NopHandler) StatusChanged(Status) {}
