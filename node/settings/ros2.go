package settings

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ros2Names are realsense-ros's parameters in ROS 2, with '/' in place of '.', that ROS 1 names otherwise. A profile's
// WIDTHxHEIGHTxFPS becomes three parameters.
var ros2Names = map[string]string{
	"camera_name": "camera", "enable_rgbd": "rgbd", "align_depth/enable": "align_depth",
	"pointcloud/enable": "enable_pointcloud", "pointcloud/ordered_pc": "ordered_pc",
	"pointcloud/allow_no_texture_points": "allow_no_texture_points",
}

var ros2Profiles = map[string]string{
	"depth_module/profile": "depth", "depth_module/depth_profile": "depth", "depth_module/infra_profile": "infra",
	"rgb_camera/profile": "color", "rgb_camera/color_profile": "color",
}

// ros2Filters are filters with a parameter NAME/enable, in ROS 1's words of --filters.
var ros2Filters = map[string]string{
	"decimation_filter": "decimation", "spatial_filter": "spatial", "temporal_filter": "temporal",
	"disparity_filter": "disparity", "hole_filling_filter": "hole_filling", "colorizer": "colorizer",
	"hdr_merge": "hdr_merge", "filter_by_sequence_id": "sequence_id_filter",
}

// FromROS2 gives realsense-ros's parameters of ROS 2 the names that they have in ROS 1.
func FromROS2(params map[string]any) {
	var filters []string
	var qos []any
	for name, value := range params {
		to, isProfile := ros2Profiles[name]
		module, isFilter := strings.CutSuffix(name, "/enable")
		text, _ := value.(string)
		stream, isQoS := strings.CutSuffix(name, "_qos")
		switch {
		case isProfile:
			sizes := strings.FieldsFunc(text, func(r rune) bool { return r == 'x' || r == ',' })
			for i, part := range []string{"_width", "_height", "_fps"} {
				if i < len(sizes) && len(sizes) == 3 {
					if n, err := strconv.Atoi(strings.TrimSpace(sizes[i])); err == nil {
						params[to+part] = n
					}
				}
			}
		case isFilter && ros2Filters[module] != "":
			if value == true {
				filters = append(filters, ros2Filters[module])
			}
		case isQoS:
			topic := "(image_[a-z_]+|sample)"
			if rest, isInfo := strings.CutSuffix(stream, "_info"); isInfo {
				stream, topic = rest, "(camera|imu)_info"
			}
			qos = append(qos, ".*/"+regexp.QuoteMeta(stream)+"[12]?/"+topic+"="+text)
		case ros2Names[name] != "":
			params[ros2Names[name]] = value
		default:
			if n, ok := value.(int); ok && name == "unite_imu_method" && n >= 0 && n < 3 {
				params[name] = []string{"none", "copy", "linear_interpolation"}[n]
			}
			continue
		}
		delete(params, name)
	}
	if _, given := params["qos"]; len(qos) > 0 && !given {
		params["qos"] = qos
	}
	if _, given := params["filters"]; len(filters) > 0 && !given {
		slices.Sort(filters)
		params["filters"] = strings.Join(filters, ",")
	}
}
