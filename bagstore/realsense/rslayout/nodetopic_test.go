package rslayout

import "testing"

func TestNodeStream(t *testing.T) {
	for name, want := range map[string]string{
		"/camera/camera/depth/image_rect_raw": "Depth_0", "/camera/color/image_raw": "Color_0", "/color_camera/depth/image": "Depth_0",
		"/cam/infra1/image_rect_raw": "Infrared_1", "/cam/infra2/image_rect_raw": "Infrared_2", "/cam/infrared_2": "Infrared_2", "/cam/infra/image": "Infrared_0",
		"/camera/aligned_depth_to_color/image_raw": "", "/camera/depth_registered/image": "", "/camera/left/image_raw": "", "/robot/rgb/image": "Color_0",
	} {
		_, id, ok := NodeStream(name, false)
		if got := id.String(); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s %v, want %s", name, got, ok, want)
		}
	}
	for name, want := range map[string]string{"/camera/gyro/sample": "Gyro_0", "/camera/accel/sample": "Accel_0", "/camera/imu": "Motion_0", "/mpu": "Motion_0"} {
		if _, id, ok := NodeStream(name, true); !ok || id.String() != want {
			t.Errorf("%s: %s, want %s", name, id, want)
		}
	}
}
