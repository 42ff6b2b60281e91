//go:build usb && usbvm && usbsdk

package usbvm

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"rsros/camdriver/d435i"
	"rsros/camdriver/usbreport"
)

// notRecorded are options that act by commands, which a report can't have.
var notRecorded = []string{
	"Hdr Enabled", "Sequence Name", "Sequence Size", "Sequence Id", "Emitter On Off", "Emitter Always On", "Inter Cam Sync Mode",
	"Auto Exposure Limit", "Auto Gain Limit", // and their toggles
}

// TestSDKReport compares what the SDK sees of a camera with what it sees of the camera that replays its report.
func TestSDKReport(t *testing.T) {
	run := program(t)
	port := plug(t, d435i.Options{})
	first := sdkView(t, runSDK(t, "list"))
	eventually(t, "the kernel's drivers come back", func() bool { return bound(t) })
	path, r := cameraReport(t, run)
	eventually(t, "the kernel's drivers come back", func() bool { return bound(t) })
	if err := port.Unplug(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the camera is gone", func() bool { return len(drivers(t)) == 0 })

	attach(t, path)
	second := sdkView(t, runSDK(t, "list"))
	for _, what := range slices.Sorted(keysOf(first, second)) {
		if a, b := first[what], second[what]; a != b && what != "info Physical Port" {
			t.Errorf("%s: %q of the camera, %q of its report", what, a, b)
		}
	}
	frames := runSDK(t, "stream", "640x480@30:30")
	checkHeaders(t, framesOf(t, frames, "Depth"), r, 1, stereoFields)
	checkHeaders(t, framesOf(t, frames, "Color"), r, 4, colorFields)
	probe, set := startSDK(t, "set"), 0
	probe.known = "Invalid Command" // of the options below
	for _, f := range probe.all()["set"] {
		byCommand := slices.ContainsFunc(notRecorded, func(o string) bool { return strings.HasPrefix(f[1], o) })
		if f[2] == f[3] {
			set++
		} else if !byCommand {
			t.Errorf("%s of %s: set to %s, reads %s %s", f[1], f[0], f[2], f[3], f[4:])
		}
	}
	if set < 20 {
		t.Errorf("%d options can be set", set)
	}
}

// checkHeaders checks that frames have the metadata of the headers that were recorded of an interface, and times of their own.
func checkHeaders(t *testing.T, list []shown, r *usbreport.Report, iface uint8, fields map[string]field) {
	t.Helper()
	if len(list) < 30 {
		t.Errorf("interface %d: %d frames", iface, len(list))
	}
	recorded := map[string]map[int64]bool{}
	for _, s := range r.Streams {
		for _, p := range s.Payloads {
			for key, f := range fields {
				if s.Interface == iface && len(p.Header) >= f.at+f.size {
					values := recorded[key]
					if values == nil {
						values = map[int64]bool{}
						recorded[key] = values
					}
					values[f.value(p.Header)] = true
				}
			}
		}
	}
	own := []string{"Frame Timestamp", "Frame Counter"}
	for i, frame := range list {
		for key := range fields {
			if got, ok := frame.meta[key]; !ok || !slices.Contains(own, key) && !recorded[key][got] {
				t.Errorf("interface %d: %s is %d (%v), recorded are %v", iface, key, got, ok, slices.Sorted(maps.Keys(recorded[key])))
			}
		}
		if i > 0 && (frame.time() <= list[i-1].time() || frame.number <= list[i-1].number) {
			t.Errorf("interface %d: frame %d at %d after %d at %d", iface, frame.number, frame.time(), list[i-1].number, list[i-1].time())
		}
	}
}
