//go:build !usb || !cgo

package d400

import (
	"errors"
	"strings"
	"testing"

	"rsros/camdriver/usb"
)

// TestNoUSB checks that the error tells how to build with libusb.
func TestNoUSB(t *testing.T) {
	_, openErr := Open(t.Context(), Selector{}, Options{})
	_, listErr := List(t.Context())
	for _, err := range []error{openErr, listErr} {
		if !errors.Is(err, usb.ErrNoUSB) || !strings.Contains(err.Error(), "-tags usb") {
			t.Errorf("%v", err)
		}
	}
}
