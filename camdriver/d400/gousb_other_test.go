//go:build !usb || !cgo

package d400

import (
	"errors"
	"strings"
	"testing"
)

// TestNoUSB: a build without libusb says how to get one with it.
func TestNoUSB(t *testing.T) {
	_, openErr := Open(t.Context(), Selector{}, Options{})
	_, listErr := List(t.Context())
	for _, err := range []error{openErr, listErr} {
		if !errors.Is(err, ErrNoUSB) || !strings.Contains(err.Error(), "-tags usb") {
			t.Errorf("%v", err)
		}
	}
}
