package usbserve

import (
	"io"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/test/drivertest"
	"rsros/test/need"
	"rsros/usbcam/d435i"
	"rsros/usbcam/usbip"
)

var virtual = d435i.Options{
	Serial: [6]byte{0x84, 0x39, 0x22, 0x07, 0x11, 0x05}, ASICSerial: [6]byte{0x84, 0x79, 0x13, 0x07, 0x08, 0x22}, Firmware: [4]uint8{5, 17, 0, 10},
}

// watcher counts frames and records the device's status.
type watcher struct {
	camdriver.NopHandler
	frames chan struct{}
	status chan camdriver.StatusKind
}

func newWatcher() *watcher {
	return &watcher{frames: make(chan struct{}, 1), status: make(chan camdriver.StatusKind, 100)}
}

func (w *watcher) Frame(int, *camdriver.Frame) {
	select {
	case w.frames <- struct{}{}:
	default:
	}
}

func (w *watcher) StatusChanged(s camdriver.Status) { w.status <- s.Kind }

// await waits for a status.
func (w *watcher) await(want camdriver.StatusKind) {
	for got := range w.status {
		if got == want {
			return
		}
	}
}

// TestPlug checks that the driver finds two served cameras again, one unplugged while it streams and
// plugged in again, the other reset, and that a second host is refused.
func TestPlug(t *testing.T) {
	second := virtual
	second.Serial[5]++
	server, address := servePorts(t, usbip.Virtual("1-1", virtual, func() {}), usbip.Virtual("1-2", second, func() {}))
	bus, err := dial(address)
	need.Must(t, err)
	if len(bus.devices) != 2 || bus.devices[0].Port != "1-1" || bus.devices[1].Port != "1-2" {
		t.Fatalf("devices %+v", bus.devices)
	}
	var devices [2]*d400.Device
	var watchers [2]*watcher
	depth := []camdriver.Profile{{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 424, Height: 240, FPS: 30}}
	for i, serial := range []string{"843922071105", "843922071106"} {
		devices[i] = openBus(t, bus, d400.Selector{Serial: serial})
		watchers[i] = newWatcher()
		need.Must(t, devices[i].Sensors()[0].Start(depth, watchers[i]))
		<-watchers[i].frames
		if _, status, err := bus.attach(bus.devices[i].Port); status != 2 {
			t.Errorf("a second host is answered with status %d, %v", status, err)
		}
	}

	server.SetPlugged(false, "1-1")
	watchers[0].await(camdriver.StatusDisconnected)
	if now, err := dial(address); err != nil || len(now.devices) != 1 || now.devices[0].Port != "1-2" {
		t.Errorf("devices %+v after one was pulled out, %v", now, err)
	}
	if _, status, err := bus.attach("1-1"); status != 4 {
		t.Errorf("the camera that was pulled out: status %d, %v", status, err)
	}
	server.SetPlugged(true, "1-1")
	watchers[0].await(camdriver.StatusStreaming)

	need.Must(t, devices[1].Reset())
	watchers[1].await(camdriver.StatusStreaming)
	for i, w := range watchers {
		select { // one from before
		case <-w.frames:
		default:
		}
		<-w.frames
		drivertest.Stop(t, devices[i].Sensors()[0])
	}
}

// TestPlugIdle checks that the connection ends when a camera is unplugged that a host has attached but
// doesn't use.
func TestPlugIdle(t *testing.T) {
	server, address := servePorts(t, usbip.Virtual("1-1", d435i.Options{}, func() {}))
	bus, err := dial(address)
	need.Must(t, err)
	conn, status, err := bus.attach("1-1")
	if status != 0 || err != nil {
		t.Fatal(status, err)
	}
	defer conn.Close()
	server.SetPlugged(false)
	if n, err := io.Copy(io.Discard, conn); n != 0 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
