//go:build !usb || !cgo

package d400

import (
	"context"
	"fmt"

	"rsros/camdriver"
)

// Without libusb nothing refers to the driver, so that it isn't linked.

func List(context.Context) ([]Found, error) { return nil, ErrNoUSB }

func Open(_ context.Context, sel Selector, _ Options) (camdriver.Device, error) {
	return nil, fmt.Errorf("%s: %w", sel, ErrNoUSB)
}

func Report(context.Context, ReportOptions) (text, summary string, err error) {
	return "", "", ErrNoUSB
}
