package main

import (
	"errors"
	"fmt"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/usb"
	"rsros/program"
)

// TestNoDevice checks which errors of devices end with the exit code for a missing camera.
func TestNoDevice(t *testing.T) {
	for err, want := range map[error]bool{usb.ErrNoUSB: true, camdriver.ErrNotFound: true, usb.ErrPermission: false} {
		if got := errors.Is(noDevice(fmt.Errorf("open: %w", err)), program.ErrNoDevice); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}
