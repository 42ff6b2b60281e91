package live

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"rsros/node/graph"
)

// unusedParams are parameters of realsense2_camera that mean nothing here: the values
// that its launch files give them, and why.
var unusedParams = []struct {
	name   string
	normal []any
	why    string
}{
	{"external_manager", []any{false}, "this is a node, not a nodelet: no manager loads it"},
	{"fisheye_width", []any{-1, 0}, noFisheye},
	{"fisheye_height", []any{-1, 0}, noFisheye},
	{"fisheye_fps", []any{-1, 0, 30}, noFisheye},
	{"enable_fisheye", []any{false}, noFisheye},
	{"enable_fisheye1", []any{false}, noFisheye},
	{"enable_fisheye2", []any{false}, noFisheye},
	{"confidence_width", []any{-1, 0, 640}, noConfidence},
	{"confidence_height", []any{-1, 0, 480}, noConfidence},
	{"confidence_fps", []any{-1, 0, 30}, noConfidence},
	{"enable_confidence", []any{true}, noConfidence},
	{"hold_back_imu_for_frames", []any{false}, "samples of motion never wait for pictures"},
	{"topic_odom_in", []any{"", "odom_in"}, "wheel odometry goes to tracking cameras, which aren't supported"},
	{"calib_odom_file", []any{""}, "wheel odometry goes to tracking cameras, which aren't supported"},
	{"stereo_module/exposure/1", []any{7500}, "exposures in turns can't be set"},
	{"stereo_module/gain/1", []any{16}, "exposures in turns can't be set"},
	{"stereo_module/exposure/2", []any{1}, "exposures in turns can't be set"},
	{"stereo_module/gain/2", []any{16}, "exposures in turns can't be set"},
	{"rgbd_launch/rgb", []any{"color"}, "topics have one name"},
	{"rgbd_launch/ir", []any{"infra1"}, "topics have one name"},
	{"rgbd_launch/depth", []any{"depth"}, "topics have one name"},
	{"rgbd_launch/depth_registered_pub", []any{"depth_registered"}, "topics have one name"},
	{"rgbd_launch/depth_registered", []any{"aligned_depth_to_color", "depth_registered"}, "topics have one name"},
	{"rgbd_launch/depth_registered_filtered", []any{"aligned_depth_to_color", "depth_registered"}, "topics have one name"},
	{"rgbd_launch/projector", []any{"projector"}, "topics have one name"},
	{"rgbd_launch/bond", []any{"false"}, "this is a node, not a nodelet"},
	{"rgbd_launch/rgb_processing", []any{"true"}, "color/image_rect_color is always there"},
	{"rgbd_launch/debayer_processing", []any{"false"}, "cameras give colour pictures"},
	{"rgbd_launch/ir_processing", []any{"false"}, "infrared is rectified by the camera"},
	{"rgbd_launch/depth_processing", []any{"false"}, "depth is rectified by the camera"},
	{"rgbd_launch/disparity_processing", []any{"false"}, "disparity images aren't published"},
	{"rgbd_launch/disparity_registered_processing", []any{"false"}, "disparity images aren't published"},
	{"rgbd_launch/hw_registered_processing", []any{"true"}, "points are always made of aligned depth"},
	{"rgbd_launch/sw_registered_processing", []any{"false"}, "points are always made of aligned depth"},
}

// unusedOfFile are parameters that select a camera, which mean nothing for a recording.
var unusedOfFile = []string{"serial_no", "usb_port_id", "device_type"}

const (
	noFisheye    = "no camera here has a fisheye stream"
	noConfidence = "no camera here has a confidence stream"
)

// sayUnused warns of parameters that somebody set and that have no effect. A recording
// may have every stream.
func sayUnused(log zerolog.Logger, p graph.Params) {
	file, _ := p["rosbag_filename"].(string)
	for _, u := range unusedParams {
		if file != "" && (u.why == noFisheye || u.why == noConfidence) {
			continue
		}
		if v, said := lookUp(p, u.name); said && !slices.Contains(u.normal, v) {
			sayNoEffect(log, u.name, v, u.why)
		}
	}
	for _, name := range unusedOfFile {
		if v, said := p[name]; said && file != "" && v != "" {
			sayNoEffect(log, name, v, "the recording is selected by its name")
		}
	}
}

func sayNoEffect(log zerolog.Logger, name string, value any, why string) {
	log.Warn().Str("parameter", "~"+name).Str("value", fmt.Sprint(value)).Msg("has no effect: " + why)
}

// lookUp finds a parameter in a tree: "a/b" is b in a.
func lookUp(p graph.Params, name string) (any, bool) {
	var at any = map[string]any(p)
	for {
		tree, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		key, rest, deeper := strings.Cut(name, "/")
		if at, ok = tree[key]; !ok || !deeper {
			return at, ok
		}
		name = rest
	}
}
