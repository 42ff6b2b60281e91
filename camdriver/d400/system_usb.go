//go:build usb && cgo

package d400

import (
	"context"

	"rsros/camdriver"
)

// List returns the connected cameras. It opens each camera briefly, which detaches the
// kernel's drivers in the meantime. A camera that cannot be opened is listed with the
// reason.
func List(ctx context.Context) ([]Found, error) { return list(ctx, gousbBus{}) }

// Open opens the first connected camera that matches the selector. If none does, the
// error says why for each connected camera.
func Open(ctx context.Context, sel Selector, o Options) (camdriver.Device, error) {
	d, err := OpenOn(ctx, gousbBus{}, sel, o)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Report reads a camera's descriptors, controls, calibration and first frames, and returns them as text with a summary of one line.
// It changes no setting and writes nothing that the camera keeps: it probes all profiles, and streams one of each format and
// each rate of the inertial sensors. A request that fails is part of the report. An error
// means that there is no report, because the camera couldn't be opened or has gone, or ctx is done.
func Report(ctx context.Context, o ReportOptions) (text, summary string, err error) {
	return readReport(ctx, gousbBus{}, o)
}
