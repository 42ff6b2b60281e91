//go:build usb && usbvm && usbsdk

package usbvm

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/camdriver/model"
	"rsros/usbcam/d435i"
)

// near compares what was rounded to float32 on different ways.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-5*max(1, math.Abs(b)) }

// label is the SDK's name of a stream.
func label(id camdriver.StreamID) string {
	if id.Index == 0 {
		return id.Kind.String()
	}
	return fmt.Sprintf("%s %d", id.Kind, id.Index)
}

// differs lists what docs/usb.md says to differ between the driver and the SDK.
var differs = map[string]bool{
	"option Stereo Module Frames Queue Size":       true,
	"option RGB Camera Frames Queue Size":          true,
	"option Motion Module Frames Queue Size":       true,
	"option Stereo Module Total Frame Drops":       true,
	"option RGB Camera Total Frame Drops":          true,
	"option Motion Module Total Frame Drops":       true,
	"option Stereo Module Visual Preset":           true,
	"option Motion Module Gyro Sensitivity":        true,
	"info Physical Port":                           true,
	"value of Stereo Module Asic Temperature":      true,
	"value of Stereo Module Projector Temperature": true,
}

// notInAll reports whether only some versions of the SDK have something.
func notInAll(what string) bool {
	switch what {
	case "info Imu Type": // since 2.57.7
		return true
	case "info Recommended Firmware Version": // no longer in 2.58
		return true
	}
	return strings.HasPrefix(what, "profile RGB Camera Color Y8 ") // no longer in 2.58
}

// syncByControl names firmware that synchronizes cameras by a control; 2.56 knows only the command.
const syncByControl = "synchronization by control"

// view is what a program sees of a camera: a name and a value of each thing.
type view map[string]string

// TestSDKView compares what the SDK sees with what the driver sees, of the same camera.
func TestSDKView(t *testing.T) {
	for name, o := range map[string]d435i.Options{
		"usual":         {},
		"advanced mode": {Advanced: true},
		"new firmware":  {Firmware: [4]uint8{5, 17, 0, 10}},
		syncByControl:   {Firmware: [4]uint8{5, 17, 2, 5}},
		"USB 2":         {USB2: true},
	} {
		t.Run(name, func(t *testing.T) {
			port := plug(t, o)
			theirs := sdkView(t, runSDK(t, "list"))
			if n := port.Camera().Stalls(); n > 0 {
				t.Errorf("the camera refused %d requests", n)
			}
			eventually(t, "the kernel's drivers come back", func() bool { return bound(t) })
			ours := driverView(t, open(t, d400.Selector{}))
			all := maps.Clone(theirs)
			maps.Copy(all, ours)
			for _, what := range slices.Sorted(maps.Keys(all)) {
				a, b := theirs[what], ours[what]
				if what == "info Name" {
					a, b = strings.TrimPrefix(a, "Intel "), strings.TrimPrefix(b, "Intel ") // not in 2.58
				}
				option := "option " + strings.TrimPrefix(what, "value of ")
				older := name == syncByControl && what == "option Stereo Module Inter Cam Sync Mode" && a == "0 260 1 0 "
				if a == b || differs[what] || differs[option] || same(a, b) || a == "" && notInAll(what) || older {
					continue
				}
				t.Errorf("%s: %q in the SDK, %q in the driver", what, a, b)
			}
		})
	}
}

// same compares lists of numbers.
func same(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) || len(x) == 0 {
		return false
	}
	for i := range x {
		v, err1 := strconv.ParseFloat(x[i], 64)
		w, err2 := strconv.ParseFloat(y[i], 64)
		if x[i] != y[i] && (err1 != nil || err2 != nil || !near(v, w)) {
			return false
		}
	}
	return true
}

func sdkView(t *testing.T, said map[string][][]string) view {
	v := view{}
	for _, f := range said["info"] {
		v["info "+f[0]] = f[1]
	}
	for _, f := range said["profile"] {
		v["profile "+strings.Join(f, " ")] = "offered"
	}
	for _, f := range said["option"] {
		v["option "+f[0]+" "+f[1]] = strings.Join(f[3:], " ")
		v["value of "+f[0]+" "+f[1]] = f[2]
	}
	for _, f := range said["filter"] {
		v["filters of "+f[0]] += f[1] + ", "
	}
	for _, f := range said["intrinsics"] {
		v[fmt.Sprintf("intrinsics of %s %sx%s", f[0], f[1], f[2])] = strings.Join(f[3:], " ")
	}
	for _, f := range said["motion"] {
		v["intrinsics of "+f[0]] = strings.Join(f[1:], " ")
	}
	for _, f := range said["extrinsics"] {
		v["extrinsics to "+f[0]] = strings.Join(f[1:], " ")
	}
	return v
}

func driverView(t *testing.T, d camdriver.Device) view {
	v := view{}
	for _, i := range d.Info() {
		v["info "+i.Key.String()] = i.Value
	}
	for _, s := range d.Sensors() {
		for _, o := range s.Options() {
			mode := ""
			if o.ReadOnly {
				mode = "read-only"
			}
			at := s.Name() + " " + o.ID.String()
			v["option "+at] = fmt.Sprint(o.Min, o.Max, o.Step, o.Default) + " " + mode
			v["value of "+at] = fmt.Sprint(o.Value)
		}
		for _, f := range s.Filters() {
			v["filters of "+s.Name()] += f + ", "
		}
		for _, p := range s.Profiles() {
			id := label(p.Stream)
			v[fmt.Sprintf("profile %s %s %s %d %d %d", s.Name(), id, p.Format, p.Width, p.Height, p.FPS)] = "offered"
			if in, err := s.Intrinsics(p); err == nil {
				c := in.Coeffs
				v[fmt.Sprintf("intrinsics of %s %dx%d", id, p.Width, p.Height)] = fmt.Sprint(in.Fx, in.Fy, in.Ppx, in.Ppy, c[0], c[1], c[2], c[3], c[4])
			}
			if in, err := s.MotionIntrinsics(p); err == nil {
				v["intrinsics of "+id] = strings.Trim(fmt.Sprint(in.Data), "[]")
			}
			e, err := d.Extrinsics(camdriver.DepthStream, p.Stream)
			if err != nil {
				t.Error(err)
			}
			v["extrinsics to "+id] = strings.Trim(fmt.Sprint(camdriver.Transpose(e.Rotation)), "[]") + " " + strings.Trim(fmt.Sprint(e.Translation), "[]")
		}
	}
	return v
}

// TestSDKCalibration compares what the SDK reads with the tables that the camera was given.
func TestSDKCalibration(t *testing.T) {
	plug(t, d435i.Options{})
	want := d435i.Factory()
	said := runSDK(t, "list")
	sizes := 0
	for _, f := range said["intrinsics"] {
		v := numbers(t, f[1:])
		k, ok := want.Depth.Rectified[model.ImageSize{int(v[0]), int(v[1])}]
		if f[0] != "Depth" || !ok {
			continue
		}
		sizes++
		if !slices.EqualFunc(v[2:6], []float64{k.Fx, k.Fy, k.Ppx, k.Ppy}, near) {
			t.Errorf("intrinsics at %gx%g are %v, want %v", v[0], v[1], v[2:], k)
		}
	}
	if sizes < 5 {
		t.Errorf("%d sizes of depth have intrinsics of their own", sizes)
	}
	rows := map[string][]float64{}
	for i := range 3 {
		for name, c := range map[string]model.Correction{"Accel": want.Motion.Accel, "Gyro": want.Motion.Gyro} {
			rows[name] = append(append(rows[name], c.Scale[3*i:3*i+3]...), c.Bias[i])
		}
	}
	for _, f := range said["motion"] {
		if got := numbers(t, f[1:]); !slices.EqualFunc(got, rows[f[0]], near) {
			t.Errorf("%s is corrected by %v, want %v", f[0], got, rows[f[0]])
		}
	}
	for _, f := range said["extrinsics"] {
		e := numbers(t, f[1:])
		shift := map[string]float64{"Infrared 2": want.Depth.Baseline / 1000, "Gyro": want.Motion.FromDepth.Translation[0], "Accel": want.Motion.FromDepth.Translation[0]}
		if x, ok := shift[f[0]]; ok && !near(e[9], x) {
			t.Errorf("depth to %s is shifted by %g, want %g", f[0], e[9], x)
		}
	}
}

// TestSDKOptions has the SDK set each option and read it back.
func TestSDKOptions(t *testing.T) {
	for name, o := range map[string]d435i.Options{
		"usual":         {},
		"advanced mode": {Advanced: true},
		syncByControl:   {Firmware: [4]uint8{5, 17, 2, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			port := plug(t, o)
			list := runSDK(t, "set")["set"]
			if len(list) < 35 {
				t.Errorf("%d options", len(list))
			}
			for _, f := range list {
				if f[2] != f[3] {
					t.Errorf("%s of %s: set to %s, reads %s %s", f[1], f[0], f[2], f[3], f[4:])
				}
			}
			if n := port.Camera().Stalls(); n > 0 {
				t.Errorf("the camera refused %d requests", n)
			}
		})
	}
}
