package d400

import (
	"context"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// beginStatus starts reading the depth function's status endpoint, on which the camera
// reports errors before they are polled. A camera without one works as well.
func (s *sensor) beginStatus(l *link, r *run) {
	at := l.depth.Status
	if at.Address == 0 {
		return
	}
	stream, err := l.handle.Stream(l.depth.Interface, at.Address, max(at.MaxPacket, statusSize), 1)
	if err != nil {
		s.dev.log.Debug().Err(err).Msg("cannot read the status endpoint")
		return
	}
	r.pumps = append(r.pumps, func(ctx context.Context) {
		defer stream.Close()
		b := make([]byte, max(at.MaxPacket, statusSize))
		for ctx.Err() == nil {
			n, err := stream.Read(ctx, b)
			if err != nil {
				return // the video streams notice if the camera is gone
			}
			s.dev.status(l, b[:n])
		}
	})
}

// statusSize is the largest status packet that the driver expects.
const statusSize = 64

// status handles a packet of UVC 1.5, table 2-2: type, unit, event, selector, attribute, value.
// Changes of other controls aren't of interest, because options are read when needed.
func (d *Device) status(l *link, b []byte) {
	const videoControl, change, value = 1, 0, 0
	if len(b) < 6 || b[0]&0x0f != videoControl || b[1] != l.xu || b[2] != change || b[3] != model.XUErrorReport || b[4] != value {
		return
	}
	if b[5] != 0 && d.host.errors.on.Load() {
		var clear [1]byte // reading it clears the report, which would be polled again
		at := l.depthXU(model.XUErrorReport)
		_, err := l.handle.Control(uvc.RequestIn, uvc.GetCur, at.Value(), at.Index(), clear[:])
		_ = d.note(l, err)
		d.reportError(b[5])
	}
}
