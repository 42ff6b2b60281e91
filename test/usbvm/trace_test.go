//go:build usb && usbvm && usbsdk

package usbvm

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"rsros/test/need"
	"rsros/test/usbvm/trace"
	"rsros/usbcam/d435i"
	"rsros/usbcam/usbip"
)

// TestSDKRequests checks that the camera knows all that the SDK asks of it, and keeps the requests in
// a file, which TestLibrealsense of package d435i replays where there is no SDK. It comes last: the
// machine's drivers for cameras, which would ask as well, are unloaded.
func TestSDKRequests(t *testing.T) {
	for _, module := range []string{"uvcvideo", "usbhid"} {
		if err := unix.DeleteModule(module, unix.O_NONBLOCK); err != nil {
			t.Fatalf("unload %s: %v", module, err)
		}
	}
	var all []trace.Entry
	version := ""
	for _, run := range []struct {
		section string
		args    []string
	}{
		{"list", []string{"list"}},
		{"set each option", []string{"set"}},
		{"stream all", []string{"stream", "424x240@15:5:all"}},
		{"stream with HDR", []string{"stream", "424x240@15:5", "Hdr Enabled=1"}},
	} {
		r := &recorder{section: run.section, fresh: map[uint8]bool{}}
		port := plugWatched(t, d435i.Options{}, func(c *d435i.Camera) usbip.Device { r.Camera = c; return r })
		if said := runSDK(t, run.args...)["version"]; len(said) > 0 {
			version = said[0][0]
		}
		if len(r.entries) == 0 {
			t.Errorf("%s: no requests", run.section)
		}
		if err := port.Unplug(); err != nil {
			t.Error(err)
		}
		eventually(t, "the camera is gone", func() bool { return len(drivers(t)) == 0 })
		all = append(all, r.entries...)
	}
	minor := strings.LastIndex(version, ".") // of 2.56.5
	if minor < 0 {
		t.Fatalf("the SDK is of version %q", version)
	}
	f, err := os.Create(filepath.Join(os.Getenv("USBVM_OUT"), "librealsense-"+version[:minor]+".txt"))
	need.Must(t, err)
	if err := trace.Write(f, all); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// recorder is a camera that writes down what it is asked, except for what the SDK asks by the
// clock: the time, and whether there are errors.
type recorder struct {
	*d435i.Camera
	section string

	mu      sync.Mutex
	entries []trace.Entry
	fresh   map[uint8]bool // endpoints that were cleared
	skip    bool           // the reply to what wasn't written down
}

var (
	monitorSet = d435i.Setup{RequestType: 0x21, Request: 0x01, Value: 0x0100, Index: 0x0300, Length: 1024}
	monitorGet = d435i.Setup{RequestType: 0xa1, Request: 0x81, Value: 0x0100, Index: 0x0300, Length: 1024}
)

func (r *recorder) Control(s d435i.Setup, out []byte) ([]byte, error) {
	in, err := r.Camera.Control(s, out)
	r.mu.Lock()
	defer r.mu.Unlock()
	clear := s.RequestType == 0x02 && s.Request == 1
	if clear {
		r.fresh[uint8(s.Index)] = true
	}
	const readRegister, errorReport = 1, 7
	if s == monitorSet {
		r.skip = binary.LittleEndian.Uint32(out[4:]) == readRegister
	}
	polls := s.Request == 0x81 && s.Value>>8 == errorReport && s.Index == 0x0300
	class := s.RequestType&0x60 == 0x20
	if !class && !clear || polls || r.skip && (s == monitorSet || s == monitorGet) {
		return in, err
	}
	e := trace.Entry{Section: r.section, Setup: s, Out: bytes.Clone(out), In: bytes.Clone(in), Stalled: err != nil}
	if n := len(r.entries); n == 0 || s != monitorGet || r.entries[n-1].Request() != e.Request() { // not again after a timeout
		r.entries = append(r.entries, e)
	}
	return in, err
}

func (r *recorder) Read(ctx context.Context, endpoint uint8) ([]byte, error) {
	b, err := r.Camera.Read(ctx, endpoint)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && r.fresh[endpoint] && slices.Contains([]uint8{0x82, 0x83, 0x84}, endpoint) {
		r.fresh[endpoint] = false
		r.entries = append(r.entries, trace.Entry{Section: r.section, Endpoint: endpoint})
	}
	return b, err
}
