package settings

import (
	"reflect"
	"testing"
)

func TestFromROS2(t *testing.T) {
	params := map[string]any{
		"depth_module/depth_profile": "848x480x30", "rgb_camera/profile": "640, 480, 15", "depth_module/infra_profile": "0", "align_depth/enable": true,
		"spatial_filter/enable": true, "decimation_filter/enable": true, "temporal_filter/enable": false, "unite_imu_method": 2,
		"camera_name": "front", "depth_module/exposure": 100, "enable_color": false,
		"depth_info_qos": "SENSOR_DATA",
	}
	FromROS2(params)
	want := map[string]any{
		"depth_width": 848, "depth_height": 480, "depth_fps": 30, "color_width": 640, "color_height": 480, "color_fps": 15, "align_depth": true,
		"filters": "decimation,spatial", "unite_imu_method": "linear_interpolation",
		"camera": "front", "depth_module/exposure": 100, "enable_color": false,
		"qos": []any{`.*/depth[12]?/(camera|imu)_info=SENSOR_DATA`},
	}
	if !reflect.DeepEqual(params, want) {
		t.Errorf("%v, want\n%v", params, want)
	}
	for name := range want {
		if known := Live.Misread(map[string]any{name: nil}, nil, nil); len(known) > 0 {
			t.Error(known)
		}
	}
}
