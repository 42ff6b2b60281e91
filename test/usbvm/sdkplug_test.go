//go:build usb && usbvm && usbsdk

package usbvm

import (
	"testing"

	"rsros/test/need"
	"rsros/usbcam/d435i"
)

// TestSDKReplug unplugs the camera and plugs it in again. One process opens it each time, and closes
// it before the next: librealsense may crash if a camera goes while it is being opened (docs/usb-serve.md).
func TestSDKReplug(t *testing.T) {
	port := plug(t, d435i.Options{})
	s := startSDK(t, "again")
	for range 100 {
		s.say("open")
		s.expect("there", serial, "3")
		need.Must(t, port.Unplug())
		eventually(t, "the camera is gone", func() bool { return len(drivers(t)) == 0 })
		need.Must(t, port.Plug())
		eventually(t, "the camera is there", func() bool { return bound(t) })
	}
	s.end()
}

// TestSDKReset has the SDK reset the camera, and turn advanced mode on, which resets it as well.
func TestSDKReset(t *testing.T) {
	port := plug(t, d435i.Options{})
	s := startSDK(t, "watch")
	s.expect("ready")
	for _, command := range []string{"reset", "advanced"} {
		s.say(command)
		for f := s.next(); ; f = s.next() {
			if f == nil {
				t.Fatalf("the SDK doesn't see the camera again after %q", command)
			}
			if f[0] == "came" && f[1] == serial {
				break
			}
		}
	}
	if !port.Camera().Options().Advanced {
		t.Error("advanced mode is off")
	}
	s.calm = false
	s.end()
}

// TestSDKTwoCameras streams two at once.
func TestSDKTwoCameras(t *testing.T) {
	plug(t, d435i.Options{})
	plugSecond(t)
	count := map[string]int{}
	for _, f := range runSDK(t, "stream", "424x240@15:20")["frame"] {
		count[f[0]+" "+f[1]]++
	}
	for _, stream := range []string{serial + " Depth", serial + " Color", "123456789012 Depth", "123456789012 Color"} {
		if count[stream] < 15 {
			t.Errorf("%d frames of %s", count[stream], stream)
		}
	}
}
