package d400

import (
	"context"

	"rsros/camdriver/model"
	"rsros/camdriver/usb"
)

// beginStatus starts reading the depth function's status endpoint, on which the camera
// reports errors before they are polled. A camera without one works as well.
func (s *sensor) beginStatus(l *link, r *run) {
	if l.depth.Status.Address == 0 {
		return
	}
	stream, size, err := l.openStatus()
	if err != nil {
		s.dev.log.Debug().Err(err).Msg("cannot read the status endpoint")
		return
	}
	r.pumps = append(r.pumps, func(ctx context.Context) {
		defer stream.Close()
		b := make([]byte, size)
		for ctx.Err() == nil {
			n, err := stream.Read(ctx, b)
			if err != nil {
				return // the video streams notice if the camera is gone
			}
			s.dev.status(l, b[:n])
		}
	})
}

// openStatus returns the stream of the status endpoint, and the size of its transfers.
func (l *link) openStatus() (stream usb.Stream, size int, err error) {
	const largest = 64 // status packet that the driver expects
	size = max(l.depth.Status.MaxPacket, largest)
	err = l.try(1, func(h usb.Handle) (err error) {
		stream, err = h.Stream(l.depth.Interface, l.depth.Status.Address, size, 1)
		return err
	})
	return stream, size, err
}

// status handles a packet of UVC 1.5, table 2-2: type, unit, event, selector, attribute, value.
// Changes of other controls aren't of interest, because options are read when needed.
func (d *Device) status(l *link, b []byte) {
	const videoControl, change, value = 1, 0, 0
	if len(b) < 6 || b[0]&0x0f != videoControl || b[1] != l.xu || b[2] != change ||
		b[3] != model.XUErrorReport || b[4] != value {
		return
	}
	if b[5] != 0 && d.host.errors.on() {
		l.takeError() // or it would be polled again
		d.reportError(b[5])
	}
}
