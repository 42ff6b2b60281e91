// Package naming turns a device's frames into topics and messages, under the names of the
// RealSense bag format (SDKTopics) or realsense2_camera (WrapperTopics), and plays a
// recording as if realsense2_camera's topics had been recorded (Source).
//
// It may use ros to publish, replay and the bag readers, but neither the live node nor the player. Topics publish on
// the goroutine that delivers the frame; results of frame sets are published by a goroutine that Close waits for.
// Pixels aren't copied, except to convert them. A message retains its frame until the last subscriber has it.
package naming

import (
	"cmp"
	"slices"
	"strings"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/node/settings"
)

// WrapperOptions are realsense2_camera's parameters. The zero value processes nothing.
type WrapperOptions struct {
	Camera string // prefix of topics; default "camera"
	Frames string `setting:"tf_prefix"` // prefix of frames; default Camera
	// FrameIDs are frame names by their default name without the prefix: "link" for
	// base_frame_id, "color_optical_frame" for color_optical_frame_id.
	FrameIDs map[string]string

	// Covariances; 0 is 0.01.
	AccelCovariance float64 `setting:"linear_accel_cov"`
	GyroCovariance  float64 `setting:"angular_velocity_cov"`

	UniteIMU process.UniteMethod `setting:"unite-imu"` // one topic instead of gyro/sample and accel/sample

	Sync       bool     `setting:"sync"` // the frames of a set have one stamp
	Filters    []string // as parseFilters returns them
	AlignDepth bool     `setting:"align-depth"`   // also publish depth aligned to colour
	Clip       float64  `setting:"clip-distance"` // metres; larger depths become 0; no limit up to 0

	PointCloud     bool               `setting:"pointcloud"`
	Texture        camdriver.StreamID // of points; AnyStream is none
	OrderedCloud   bool               `setting:"ordered-cloud"`
	AllowNoTexture bool               `setting:"allow_no_texture_points"`

	// RGBD adds the topics that rs_rgbd.launch's nodelets made: color/image_rect_color and depth_registered/points.
	RGBD bool `setting:"rgbd"`

	InfraRGB bool `setting:"infra_rgb"` // publish grey infrared images as rgb8

	NoTF     bool    `setting:"!publish_tf"`
	TFRate   float64 `setting:"tf_publish_rate"` // Hz: /tf in place of /tf_static; 0 is /tf_static
	NoOdomTF bool    `setting:"!publish_odom_tf"`
}

// Settings returns the settings that aren't fields of their own.
func (o *WrapperOptions) Settings() settings.Fields {
	fields := settings.Fields{
		"filters": settings.Parsed(&o.Filters, parseFilters),
		"pointcloud_texture_stream": settings.Parsed(&o.Texture.Kind, func(word string) (camdriver.StreamKind, error) {
			return textureStreams[word], nil
		}),
		"pointcloud_texture_index": &o.Texture.Index,
	}
	text := func(id string) (string, error) { return id, nil }
	for _, s := range settings.Frames {
		fields[s.Name()] = settings.Key(&o.FrameIDs, strings.TrimSuffix(s.Name(), "_id"), text)
	}
	fields["base_frame_id"] = settings.Key(&o.FrameIDs, "link", text)
	return fields
}

// Filter names of realsense2_camera in its order, except that hdr_merge comes first because
// it needs infrared of the same size.
const (
	filterHDRMerge    = "hdr_merge"
	filterDecimation  = "decimation"
	filterSequenceID  = "sequence_id_filter"
	filterDisparity   = "disparity"
	filterSpatial     = "spatial"
	filterTemporal    = "temporal"
	filterHoleFilling = "hole_filling"
	filterColorizer   = "colorizer"
	filterPointCloud  = "pointcloud"
)

var filterNames = []string{
	filterColorizer, filterDecimation, filterDisparity, filterHDRMerge, filterHoleFilling, filterPointCloud,
	filterSequenceID, filterSpatial, filterTemporal,
}

// parseFilters parses realsense2_camera's comma-separated list.
func parseFilters(list string) (out []string, err error) {
	names, err := process.ParseNames(list, filterNames)
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, err
}

var textureStreams = map[string]camdriver.StreamKind{
	"RS2_STREAM_ANY": camdriver.AnyStream, "RS2_STREAM_COLOR": camdriver.Color, "RS2_STREAM_INFRARED": camdriver.Infrared,
}

// frame returns the full name of a frame, such as "camera_link" for "link". In the default
// prefix, slashes in the prefix of topics become underscores.
func (o *WrapperOptions) frame(name string) string {
	if id := o.FrameIDs[name]; id != "" {
		return id
	}
	return cmp.Or(o.Frames, strings.ReplaceAll(strings.Trim(o.Camera, "/"), "/", "_")) + "_" + name
}

func (o *WrapperOptions) bodyFrame(id camdriver.StreamID) string {
	return o.frame(rslayout.NodeName(id) + "_frame")
}

func (o *WrapperOptions) opticalFrame(id camdriver.StreamID) string {
	return o.frame(rslayout.NodeName(id) + "_optical_frame")
}

func (o *WrapperOptions) has(filter string) bool { return slices.Contains(o.Filters, filter) }

// filtersDepth reports whether filters change depth before alignment and colorizer.
func (o *WrapperOptions) filtersDepth() bool {
	return slices.ContainsFunc(o.Filters,
		func(name string) bool { return name != filterColorizer && name != filterPointCloud })
}

// depthBlocks returns the names of the blocks for depth before alignment, in the wrapper's order.
func (o *WrapperOptions) depthBlocks() (names []string) {
	add := func(name string, on bool) {
		if on {
			names = append(names, name)
		}
	}
	add(filterHDRMerge, o.has(filterHDRMerge))
	add(filterDecimation, o.has(filterDecimation))
	add(filterSequenceID, o.has(filterSequenceID) && !o.has(filterHDRMerge))
	add("disparity_start", o.has(filterDisparity))
	for _, name := range o.Filters {
		add(name, name == filterSpatial || name == filterTemporal || name == filterHoleFilling)
	}
	add("disparity_end", o.has(filterDisparity))
	return names
}

// changesDepth reports whether filters change the images of the depth topic.
func (o *WrapperOptions) changesDepth() bool {
	return o.has(filterColorizer) || o.filtersDepth() && !o.align()
}

func (o *WrapperOptions) cloud() bool { return o.PointCloud || o.has(filterPointCloud) || o.RGBD }

func (o *WrapperOptions) align() bool { return o.AlignDepth || o.RGBD }

// sync reports whether frames are matched into sets.
func (o *WrapperOptions) sync() bool { return o.Sync || o.align() || o.cloud() || len(o.Filters) > 0 }

// Choice selects the names under which a camera's streams are published.
type Choice string

// The RealSense bag format's names, realsense2_camera's, or both.
const (
	SDK     Choice = "sdk"
	Wrapper Choice = "wrapper"
	Both    Choice = "both"
)

func (n Choice) SDK() bool     { return n != Wrapper }
func (n Choice) Wrapper() bool { return n != SDK }
