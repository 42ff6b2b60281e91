package info

import (
	"strings"
	"testing"

	"rsros/bagstore/realsense/rsbag"
	"rsros/test/need"
	"rsros/test/samplebag"
)

func TestWriteDevice(t *testing.T) {
	bag := samplebag.Open(t, "../../test/data/librealsense/sw_small_pause.bag")
	sum, err := rsbag.Summarize(bag, true)
	need.Must(t, err)
	var b strings.Builder
	need.Must(t, WriteDevice(&b, sum))
	want := `device:    Synthetic Software Device, serial 012345678901, firmware 5.16.0.1
layout:    RealSense version 4, 1.328s
recorded:  2023-11-14T22:13:20Z
sensor 0:  Stereo Module, 6 options
             Depth_0 Z16 64x48@30: 40 frames at 30.0 Hz, 20 missing
             Infrared_1 Y8 64x48@30: 40 frames at 30.0 Hz, 20 missing
             Infrared_2 Y8 64x48@30: 40 frames at 30.0 Hz, 20 missing
sensor 1:  RGB Camera, 3 options
             Color_0 RGB8 64x48@30: 40 frames at 30.0 Hz, 20 missing
sensor 2:  Motion Module, 2 options
             Gyro_0 MOTION_XYZ32F @200: 240 frames at 180.0 Hz, 120 missing
             Accel_0 MOTION_XYZ32F @100: 120 frames at 90.0 Hz, 60 missing
sensor 3:  Tracking Module, 1 options
             Pose_0 6DOF @200: 240 frames at 180.1 Hz, 120 missing
note:      stream Gyro_0 has no extrinsics
note:      stream Accel_0 has no extrinsics
note:      stream Pose_0 has no extrinsics
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

// TestWriteDevices numbers several devices.
func TestWriteDevices(t *testing.T) {
	var b strings.Builder
	s := &rsbag.Summary{Others: []*rsbag.Summary{{Number: 1, Device: map[string]string{"Serial Number": "other"}}}}
	need.Must(t, WriteDevice(&b, s))
	for _, want := range []string{"device 0:", "device 1:", "serial other"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}
