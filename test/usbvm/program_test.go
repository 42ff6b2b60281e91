//go:build usb && usbvm

package usbvm

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/ros/xmlrpc"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

// program is the finished binary, built with the tag usb.
func program(t *testing.T) string {
	t.Helper()
	path := os.Getenv("USBVM_NODE")
	if _, err := os.Stat(path); err != nil {
		need.Missing(t, "no program: %v", err)
	}
	return path
}

func reel(t *testing.T) *Reel {
	t.Helper()
	r, err := LoadReel(filepath.Join(os.Getenv("USBVM_OUT"), "reel"))
	need.Must(t, err)
	return r
}

// TestProgramDevices has the program list a camera whose firmware names its
// depth format so that uvcvideo does not take it.
func TestProgramDevices(t *testing.T) {
	run := program(t)
	port := plugUnbound(t, d435i.Options{D3D: true, Serial: serialBytes})
	out, err := exec.Command(run, "devices", "--json").Output()
	var found []d400.Found
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil || len(found) != 1 || found[0].Serial != serial || found[0].State != "ready" {
		t.Errorf("%v: %s", err, out)
	}
	stranger := exec.Command(run, "devices")
	stranger.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err = stranger.CombinedOutput()
	if err != nil || !strings.Contains(string(out), d400.UdevRules) {
		t.Errorf("devices without permission: %v: %s", err, out)
	}
	need.Must(t, port.Unplug())
	out, err = exec.Command(run, "live", "--device", "usb", "--master", "embedded").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "not found") {
		t.Errorf("live without a camera: %v: %s", err, out)
	}
}

// TestProgramReport has the program write the report that an owner of a camera sends, through
// libusb and past the kernel's drivers, which come back.
func TestProgramReport(t *testing.T) {
	run := program(t)
	plug(t, d435i.Options{})
	path := filepath.Join(t.TempDir(), "d435i.txt")
	if out, err := exec.Command(run, "devices", "--report", "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b, err := os.ReadFile(path)
	need.Must(t, err)
	for _, part := range []struct {
		heading, line string // the beginning of an answer's line
		least         int
	}{
		{"Descriptors", `[0-9a-f]{2} [0-9a-f]{2} [0-9a-f]{4}:`, 3},
		{"Hardware monitor", `[0-9a-f]{2}( [0-9a-f]+){4}  [^\n]*:( [0-9a-f]+)?\n`, 5},
		{"Control requests", `a1 `, 200},
		{"Probes", `interface \d+ endpoint `, 100},
		{"Video streams", `  (\d{3}|[5-9]\d) packets of `, 3},
		{"Inertial sensors", `report \d at `, 2},
	} {
		_, text, _ := strings.Cut(string(b), "\n== "+part.heading)
		text, _, _ = strings.Cut(text, "\n==")
		n := len(regexp.MustCompile("(?m)^"+part.line).FindAllString(text, -1))
		if n < part.least || part.heading == "Video streams" && n != strings.Count(text, "\ninterface ") {
			t.Errorf("%s: %d answers, want at least %d, and 50 payloads of each stream: %s", part.heading, n, part.least, text)
		}
	}
	eventually(t, "the kernel's drivers come back", func() bool { return bound(t) })
}

// TestProgramLive publishes and records the camera with the finished program,
// pulls it out and plugs it in meanwhile, and reads the recording back.
func TestProgramLive(t *testing.T) {
	run, shown := program(t), reel(t)
	port := plug(t, d435i.Options{Scene: shown, Tables: shown.Tables})
	bag := filepath.Join(t.TempDir(), "camera.bag")
	live := exec.Command(run, "live", "--device", "usb", "--serial", serial, "--master", "embedded",
		"--record", bag, "--min-space", "64M", "--depth", "480x270@6", "--infra1", "480x270@6", "--infra2", "480x270@6",
		"--color", "640x360@6", "--gyro", "200", "--accel", "63")
	live.Env = append(os.Environ(), "ROS_MASTER_URI=http://127.0.0.1:11311", "ROS_IP=127.0.0.1")
	live.Stdout, live.Stderr = os.Stdout, os.Stdout
	need.Must(t, live.Start())
	defer func() {
		if t.Failed() { // show where it hangs
			_ = live.Process.Signal(syscall.SIGQUIT)
			_ = live.Wait()
		}
		_ = live.Process.Kill()
	}()
	for _, topic := range []string{"/camera/depth/image_rect_raw", "/camera/color/camera_info", "/device_0/sensor_0/Depth_0/image/data"} {
		eventually(t, topic, func() bool { return published(t)[topic] })
	}
	eventually(t, "the recording grows", func() bool { return size(bag) > 8<<20 })
	need.Must(t, port.Unplug())
	pulled := time.Now()
	<-time.After(2 * time.Second)
	need.Must(t, port.Plug())
	eventually(t, "the program has the camera again", func() bool {
		held := drivers(t)
		return len(held) == 6 && !slices.ContainsFunc(slices.Collect(maps.Values(held)), func(d string) bool { return d != "usbfs" })
	})
	before := size(bag)
	eventually(t, "the recording grows after the replug", func() bool { return size(bag) > before+8<<20 })
	t.Logf("recording again %v after the camera was pulled out", time.Since(pulled).Round(time.Millisecond))
	need.Must(t, live.Process.Signal(os.Interrupt))
	if err := live.Wait(); err != nil {
		t.Errorf("live: %v", err)
	}
	eventually(t, "the kernel's drivers come back", func() bool { return bound(t) })
	checkRecording(t, bag, shown)
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// published asks the embedded master for its topics.
func published(t *testing.T) map[string]bool {
	t.Helper()
	answer, err := xmlrpc.Call(t.Context(), http.DefaultClient, "http://127.0.0.1:11311", "getPublishedTopics", "/usbvm", "")
	topics := map[string]bool{}
	triple, _ := answer.([]any)
	if err != nil || len(triple) != 3 {
		return topics
	}
	list, _ := triple[2].([]any)
	for _, entry := range list {
		if pair, _ := entry.([]any); len(pair) == 2 {
			name, _ := pair[0].(string)
			topics[name] = true
		}
	}
	return topics
}

// checkRecording compares calibration and every frame with what was shown.
func checkRecording(t *testing.T, path string, shown *Reel) {
	t.Helper()
	f, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	defer f.Close()
	for _, note := range f.Notes() {
		t.Errorf("recording: %s", note)
	}
	snap := f.Snapshot()
	if got := camdriver.Find(snap.Info, camdriver.InfoSerialNumber); got != serial {
		t.Errorf("serial number %q", got)
	}
	for _, s := range snap.Streams {
		checkCalibration(t, s, shown)
	}
	cursor := f.Cursor(rsbag.CursorOptions{FramesOnly: true})
	defer cursor.Close()
	frames := map[camdriver.StreamID]int{}
	last := map[camdriver.StreamID]uint64{}
	for e, ok := cursor.Next(); ok; e, ok = cursor.Next() {
		id := e.Frame.Stream()
		frames[id]++
		if e.Frame.Number <= last[id] {
			t.Errorf("%s: frame %d after %d", id, e.Frame.Number, last[id])
		}
		last[id] = e.Frame.Number
		if id.Kind.Video() {
			checkImage(t, e.Frame, shown)
		}
	}
	t.Logf("recorded %v over %v", frames, f.Duration())
	for _, id := range []camdriver.StreamID{depth, left, right, color, gyro, accel} {
		if frames[id] < 10 {
			t.Errorf("%s: %d frames", id, frames[id])
		}
	}
}

func checkCalibration(t *testing.T, s camdriver.StreamSnapshot, shown *Reel) {
	t.Helper()
	name := s.Profile.Stream.String()
	within := func(tolerance float64) func(a, b float64) bool {
		return func(a, b float64) bool { return math.Abs(a-b) <= tolerance }
	}
	if want, ok := shown.Intrinsics[name]; ok {
		if s.Video == nil {
			t.Errorf("%s: no intrinsics", name)
			return
		}
		got := [4]float64{s.Video.Fx, s.Video.Fy, s.Video.Ppx, s.Video.Ppy}
		if !slices.EqualFunc(got[:], []float64{want.Fx, want.Fy, want.Ppx, want.Ppy}, within(1e-3)) {
			t.Errorf("%s: intrinsics %v, want %+v", name, got, want)
		}
	}
	want := shown.FromDepth[name]
	if s.Extrinsic == nil {
		t.Errorf("%s: no extrinsics", name)
		return
	}
	if !slices.EqualFunc(s.Extrinsic.Rotation[:], want.Rotation[:], within(1e-5)) ||
		!slices.EqualFunc(s.Extrinsic.Translation[:], want.Translation[:], within(1e-6)) {
		t.Errorf("%s: extrinsics %v, want %v", name, *s.Extrinsic, want)
	}
}

// checkImage compares one frame with the reel's. Colour went through YUY2, which
// halves the resolution of chroma: its mean must still be near.
func checkImage(t *testing.T, f *camdriver.Frame, shown *Reel) {
	t.Helper()
	counter, ok := f.Meta(camdriver.MetaFrameCounter)
	if !ok {
		t.Errorf("%s: frame %d without a counter", f.Stream(), f.Number)
		return
	}
	want := shown.Image(f.Stream(), uint32(counter))
	if f.Stream() != color {
		if !bytes.Equal(f.Data, want) {
			t.Errorf("%s: frame %d differs from what was shown", f.Stream(), f.Number)
		}
		return
	}
	off := 0
	for i := 0; i < len(want); i += 101 {
		off += max(int(f.Data[i])-int(want[i]), int(want[i])-int(f.Data[i]))
	}
	if mean := float64(off) / float64(len(want)/101); mean > 4 {
		t.Errorf("%s: frame %d is %.1f levels off what was shown", f.Stream(), f.Number, mean)
	}
}
