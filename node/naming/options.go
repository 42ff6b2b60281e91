package naming

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rsros/camdriver"
	"rsros/camdriver/imu"
	"rsros/camdriver/process"
	"rsros/program"
)

// WrapperOptions are realsense2_camera's parameters of what is published. The zero
// value publishes frames as they come.
type WrapperOptions struct {
	Camera string // prefix of topics; default "camera"
	Frames string // tf_prefix, of frames; default Camera
	// FrameIDs are names of single frames by their name without the prefix:
	// base_frame_id is that of "link", color_optical_frame_id of "color_optical_frame".
	FrameIDs map[string]string

	// Covariances of linear_accel_cov and angular_velocity_cov; 0 is 0.01.
	AccelCovariance, GyroCovariance float64

	UniteIMU imu.Method // unite_imu_method: one topic in place of gyro/sample and accel/sample

	Sync       bool     // enable_sync: the frames of a set have one stamp
	Filters    []string // filters, as ParseFilters has them
	AlignDepth bool     // align_depth: depth as the colour camera would see it, beside depth as it came
	Clip       float64  // clip_distance in metres: what is farther becomes 0; 0 is no limit

	PointCloud     bool               // enable_pointcloud
	Texture        camdriver.StreamID // pointcloud_texture_stream and _index; AnyStream is none
	OrderedCloud   bool               // ordered_pc
	AllowNoTexture bool               // allow_no_texture_points

	// RGBD adds the topics that rs_rgbd.launch's nodelets made:
	// color/image_rect_color and depth_registered/points.
	RGBD bool

	InfraRGB bool // infra_rgb: grey infrared images are published as rgb8

	NoTF   bool    // not publish_tf
	TFRate float64 // tf_publish_rate in Hz: /tf in place of /tf_static; 0 is /tf_static
	// NoOdomTF is not publish_odom_tf: poses are not transforms on /tf.
	NoOdomTF bool
}

// Filter names, in realsense2_camera's words and in its order, except that
// hdr_merge comes first: a decimated pair can't be merged with its infrared.
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

// ParseFilters reads realsense2_camera's list: names with commas.
func ParseFilters(list string) ([]string, error) {
	names, err := process.ParseNames(list, filterNames)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// textureStreams are librealsense's words in pointcloud_texture_stream.
var textureStreams = map[string]camdriver.StreamKind{
	"RS2_STREAM_ANY": camdriver.AnyStream, "RS2_STREAM_COLOR": camdriver.Color, "RS2_STREAM_INFRARED": camdriver.Infrared,
}

// ParseTexture reads pointcloud_texture_stream; empty is colour.
func ParseTexture(word string) (camdriver.StreamKind, error) {
	kind, ok := textureStreams[cmp.Or(word, "RS2_STREAM_COLOR")]
	if !ok {
		return kind, fmt.Errorf("%w: pointcloud_texture_stream %q: want RS2_STREAM_COLOR, RS2_STREAM_INFRARED or RS2_STREAM_ANY", program.ErrUsage, word)
	}
	return kind, nil
}

// frame returns the full name of a frame, such as "camera_link" of "link". The prefix
// of topics may be a path, which the default prefix of frames replaces by one word.
func (o *WrapperOptions) frame(name string) string {
	if id := o.FrameIDs[name]; id != "" {
		return id
	}
	return cmp.Or(o.Frames, strings.ReplaceAll(strings.Trim(o.Camera, "/"), "/", "_")) + "_" + name
}

func (o *WrapperOptions) bodyFrame(id camdriver.StreamID) string {
	return o.frame(StreamName(id) + "_frame")
}

func (o *WrapperOptions) opticalFrame(id camdriver.StreamID) string {
	return o.frame(StreamName(id) + "_optical_frame")
}

func (o *WrapperOptions) has(filter string) bool { return slices.Contains(o.Filters, filter) }

// filtersDepth says whether blocks change depth before it is aligned or coloured.
func (o *WrapperOptions) filtersDepth() bool {
	return slices.ContainsFunc(o.Filters, func(name string) bool { return name != filterColorizer && name != filterPointCloud })
}

// cloud says whether points are published.
func (o *WrapperOptions) cloud() bool { return o.PointCloud || o.has(filterPointCloud) || o.RGBD }

// align says whether depth is aligned to colour.
func (o *WrapperOptions) align() bool { return o.AlignDepth || o.RGBD }

// sync says whether frames have to be matched into sets.
func (o *WrapperOptions) sync() bool {
	return o.Sync || o.align() || o.cloud() || len(o.Filters) > 0
}
