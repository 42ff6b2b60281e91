//go:build usb && usbvm && usbsdk

package usbvm

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/replay/recorded"
	"rsros/test/drivertest"
	"rsros/test/need"
)

// TestSDKServe attaches what the program serves with Linux's usbip, and compares the frames that
// the SDK receives with those of the recording.
func TestSDKServe(t *testing.T) {
	bag := filepath.Join(os.Getenv("USBVM_OUT"), "served.bag")
	source, err := recorded.Open(bag, recorded.Options{})
	need.Must(t, err)
	defer source.Close()
	attach(t, bag)
	theirs, want := sdkView(t, runSDK(t, "list")), view{}
	for _, s := range source.Sensors() {
		for _, p := range s.Profiles() {
			if in, err := s.Intrinsics(p); err == nil {
				want[fmt.Sprintf("intrinsics of %s %dx%d", label(p.Stream), p.Width, p.Height)] = fmt.Sprint(in.Fx, in.Fy, in.Ppx, in.Ppy)
			}
		}
	}
	for what, v := range want {
		if got := strings.Fields(theirs[what]); len(got) < 4 || !same(strings.Join(got[:4], " "), v) {
			t.Errorf("%s: %q in the SDK, %q in the recording", what, got, v)
		}
	}
	recorded := hashes(t, source)
	counts := map[string]int{}
	for _, f := range runSDK(t, "stream", "424x240@6:15:all")["frame"] {
		stream, hash := f[1], f[5]
		counts[stream]++
		if !recorded[stream+" "+hash] {
			t.Errorf("%s: frame %s isn't in the recording", stream, f[3])
		}
	}
	for _, stream := range []string{"Depth", "Infrared 1", "Infrared 2", "Color"} {
		if counts[stream] < 10 {
			t.Errorf("%d frames of %s", counts[stream], stream)
		}
	}
}

// attach has the program serve a device, and attaches it with Linux's usbip until the test ends.
func attach(t *testing.T, device string) {
	t.Helper()
	server := exec.Command(program(t), "usb-serve", "--device", device)
	server.Stderr = os.Stdout
	need.Must(t, server.Start())
	usbip := func(args ...string) string {
		out, err := exec.Command("/usr/sbin/usbip", args...).CombinedOutput()
		if err != nil {
			t.Errorf("usbip %s: %v: %s", args, err, out)
		}
		return string(out)
	}
	t.Cleanup(func() {
		usbip("detach", "-p", "16") // first port of the fast hub
		if err := errors.Join(server.Process.Signal(os.Interrupt), server.Wait()); err != nil {
			t.Error(err)
		}
		eventually(t, "the camera is gone", func() bool { return len(drivers(t)) == 0 })
	})
	eventually(t, "the server answers", func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:3240")
		return err == nil && conn.Close() == nil
	})
	if list := usbip("list", "-r", "127.0.0.1"); !strings.Contains(list, "1-1") || !strings.Contains(list, "8086:0b3a") {
		t.Errorf("usbip list: %s", list)
	}
	usbip("attach", "-r", "127.0.0.1", "-b", "1-1")
	eventually(t, "the camera is there", func() bool { return bound(t) })
	if ports := usbip("port"); !strings.Contains(ports, "8086:0b3a") {
		t.Errorf("usbip port: %s", ports)
	}
}

// hashes returns stream and hash of each frame of a recording, as the USB camera sends it.
func hashes(t *testing.T, dev camdriver.Device) map[string]bool {
	t.Helper()
	h := &hasher{seen: map[string]bool{}, ended: make(chan struct{})}
	for _, s := range dev.Sensors() {
		var list []camdriver.Profile
		for _, p := range s.Profiles() {
			if p.Stream.Kind.Video() {
				list = append(list, p)
			}
		}
		if len(list) > 0 {
			drivertest.Start(t, s, h, list...)
		}
	}
	<-h.ended
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen
}

type hasher struct {
	camdriver.NopHandler
	mu    sync.Mutex
	seen  map[string]bool
	ended chan struct{}
	once  sync.Once
}

func (h *hasher) Frame(_ int, f *camdriver.Frame) {
	pixels := f.Data
	if f.Profile.Format == camdriver.RGB8 {
		pixels = make([]byte, len(f.Data)/3*2)
		model.ToYUY2(pixels, f.Data)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[fmt.Sprintf("%s %016x", label(f.Stream()), sum(pixels))] = true
}

func (h *hasher) StatusChanged(s camdriver.Status) {
	if s.Kind == camdriver.StatusEnded {
		h.once.Do(func() { close(h.ended) })
	}
}
