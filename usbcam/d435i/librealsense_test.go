package d435i_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"rsros/test/need"
	"rsros/test/usbvm/trace"
	"rsros/usbcam/d435i"
)

// TestLibrealsense sends the camera what versions of librealsense sent it in the
// virtual machine of test/usbvm, and compares its answers with those of then.
func TestLibrealsense(t *testing.T) {
	files, err := filepath.Glob("testdata/librealsense-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { replayRequests(t, path) })
	}
}

func replayRequests(t *testing.T, path string) {
	list, err := trace.Read(path)
	need.Must(t, err)
	var cam *d435i.Camera
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	section := ""
	for _, e := range list {
		if e.Section != section {
			section = e.Section
			cam = d435i.New(d435i.Options{
				Serial: [6]byte{0x84, 0x39, 0x22, 0x07, 0x11, 0x05}, ASICSerial: [6]byte{0x84, 0x79, 0x13, 0x07, 0x08, 0x22},
			})
			defer cam.Unplug()
		}
		if e.Endpoint != 0 {
			if _, err := cam.Read(ctx, e.Endpoint); err != nil {
				t.Errorf("%s: %s: %v", section, e.Request(), err)
			}
			continue
		}
		in, err := cam.Control(e.Setup, e.Out)
		if !bytes.Equal(in, e.In) || (err != nil) != e.Stalled {
			e.In, e.Stalled = in, err != nil
			t.Errorf("%s: the camera answers %s", section, e)
		}
		if v := cam.Violations(); len(v) > 0 {
			t.Fatalf("%s: %s: %s", section, e.Request(), v[0])
		}
	}
	if len(list) < 500 {
		t.Errorf("%d requests", len(list))
	}
}
