package d400

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
	"rsros/test/drivertest"
	"rsros/test/need"
	"rsros/test/usbvm/trace"
	"rsros/usbcam/d435i"
)

// TestLikeLibrealsense compares the requests with which the driver opens and streams a camera
// with those that librealsense sent to the same camera. Streams are started as by version 2.56: later
// ones also clear an endpoint before the probe.
func TestLikeLibrealsense(t *testing.T) {
	theirs, err := trace.Read("../../usbcam/d435i/testdata/librealsense-2.56.txt")
	need.Must(t, err)
	known := map[string]bool{}
	for _, e := range theirs {
		known[e.Request()] = true
	}
	theirs = slices.DeleteFunc(theirs, func(e trace.Entry) bool { return e.Section != "stream all" })
	var ours []trace.Entry
	synctest.Test(t, func(t *testing.T) { ours = driverRequests(t) })
	for _, e := range ours {
		if r := e.Request(); !known[r] && !standard(e) {
			t.Errorf("librealsense doesn't send %s", r)
			known[r] = true
		}
	}
	for _, iface := range []uint16{1, 2, 4, 5} {
		if got, want := ofInterface(ours, iface), ofInterface(theirs, iface); !slices.Equal(got, want) {
			t.Errorf("interface %d is started by\n%s\nand by librealsense by\n%s", iface, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// standard reports whether a request is for a descriptor. librealsense reads those that the kernel
// has read.
func standard(e trace.Entry) bool { return e.Setup.RequestType == 0x80 }

// ofInterface returns the requests of a streaming interface and its endpoint.
func ofInterface(list []trace.Entry, iface uint16) []string {
	var out []string
	for _, e := range list {
		endpoint := map[uint16]uint16{1: 0x82, 2: 0x83, 4: 0x84, 5: 0x86}[iface]
		if s := e.Setup; s.RequestType == 0x02 && s.Index == endpoint || s.RequestType&0x60 == 0x20 && s.Index == iface {
			out = append(out, e.Request())
		}
	}
	return out
}

// driverRequests opens a camera, streams everything at 424x240, and returns the requests, without
// those that the clock causes.
func driverRequests(t *testing.T) []trace.Entry {
	b := newFakeBus(t)
	var mu sync.Mutex
	var list []trace.Entry
	add := func(s d435i.Setup, out []byte) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, trace.Entry{Setup: s, Out: bytes.Clone(out)})
	}
	b.hook(func(op string) error {
		var endpoint uint16
		if n, _ := fmt.Sscanf(op, "clear %x", &endpoint); n == 1 {
			add(d435i.Setup{RequestType: 2, Request: 1, Index: endpoint}, nil)
		}
		return nil
	})
	b.sent = func(s d435i.Setup, out []byte) {
		clock := len(out) > 4 && s.Value == 0x0100 && s.Index == 0x0300 && out[4] == model.OpReadRegister
		polls := s.Value>>8 == model.XUErrorReport && s.Index == 0x0300 && s.Request == uvc.GetCur
		if !clock && !polls {
			add(s, out)
		}
	}
	d := openFake(t, b)
	c := &recorder{}
	video := func(id camdriver.StreamID, f camdriver.Format) camdriver.Profile {
		return camdriver.Profile{Stream: id, Format: f, Width: 424, Height: 240, FPS: 15}
	}
	for i, profiles := range [][]camdriver.Profile{
		{video(camdriver.DepthStream, camdriver.Z16), video(camdriver.LeftStream, camdriver.Y8), video(camdriver.RightStream, camdriver.Y8)},
		{video(camdriver.ColorStream, camdriver.YUYV)},
		{
			{Stream: camdriver.GyroStream, Format: camdriver.MotionXYZ32F, FPS: 200},
			{Stream: camdriver.AccelStream, Format: camdriver.MotionXYZ32F, FPS: 63},
		},
	} {
		drivertest.Start(t, d.Sensors()[i], c, profiles...)
	}
	pass(t, time.Second)
	if c.Count(camdriver.DepthStream) == 0 || c.Count(camdriver.RightStream) == 0 || c.Count(camdriver.ColorStream) == 0 || c.Count(camdriver.GyroStream) == 0 {
		t.Errorf("not all streams have frames: %v", slices.Collect(maps.Keys(c.Frames)))
	}
	for _, s := range d.Sensors() {
		drivertest.Stop(t, s)
	}
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(list)
}
