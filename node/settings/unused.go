package settings

// Unused is a parameter of realsense2_camera that has no effect.
type Unused struct {
	Param  string
	Usual  []any // what realsense2_camera's launch files set: nothing to warn of
	Why    string
	Stream bool // of a stream that recordings may have
}

const (
	noFisheye    = "no camera here has a fisheye stream"
	noConfidence = "no camera here has a confidence stream"
	noOdometry   = "wheel odometry goes to tracking cameras, which aren't supported"
	noTurns      = "exposures in turns can't be set"
	oneName      = "topics have one name"
)

// WithoutEffect are these parameters; "a/b" is b in the namespace a.
var WithoutEffect = []Unused{
	{"external_manager", []any{false}, "this is a node, not a nodelet: no manager loads it", false},
	{"fisheye_width", []any{-1, 0}, noFisheye, true},
	{"fisheye_height", []any{-1, 0}, noFisheye, true},
	{"fisheye_fps", []any{-1, 0, 30}, noFisheye, true},
	{"enable_fisheye", []any{false}, noFisheye, true},
	{"enable_fisheye1", []any{false}, noFisheye, true},
	{"enable_fisheye2", []any{false}, noFisheye, true},
	{"confidence_width", []any{-1, 0, 640}, noConfidence, true},
	{"confidence_height", []any{-1, 0, 480}, noConfidence, true},
	{"confidence_fps", []any{-1, 0, 30}, noConfidence, true},
	{"enable_confidence", []any{true}, noConfidence, true},
	{"hold_back_imu_for_frames", []any{false}, "samples of motion never wait for images", false},
	{"topic_odom_in", []any{"", "odom_in"}, noOdometry, false},
	{"calib_odom_file", []any{""}, noOdometry, false},
	{"stereo_module/exposure/1", []any{7500}, noTurns, false},
	{"stereo_module/gain/1", []any{16}, noTurns, false},
	{"stereo_module/exposure/2", []any{1}, noTurns, false},
	{"stereo_module/gain/2", []any{16}, noTurns, false},
	{"rgbd_launch/rgb", []any{"color"}, oneName, false},
	{"rgbd_launch/ir", []any{"infra1"}, oneName, false},
	{"rgbd_launch/depth", []any{"depth"}, oneName, false},
	{"rgbd_launch/depth_registered_pub", []any{"depth_registered"}, oneName, false},
	{"rgbd_launch/depth_registered", []any{"aligned_depth_to_color", "depth_registered"}, oneName, false},
	{"rgbd_launch/depth_registered_filtered", []any{"aligned_depth_to_color", "depth_registered"}, oneName, false},
	{"rgbd_launch/projector", []any{"projector"}, oneName, false},
	{"rgbd_launch/bond", []any{"false"}, "this is a node, not a nodelet", false},
	{"rgbd_launch/rgb_processing", []any{"true"}, "color/image_rect_color is always there", false},
	{"rgbd_launch/debayer_processing", []any{"false"}, "cameras send colour images", false},
	{"rgbd_launch/ir_processing", []any{"false"}, "infrared is rectified by the camera", false},
	{"rgbd_launch/depth_processing", []any{"false"}, "depth is rectified by the camera", false},
	{"rgbd_launch/disparity_processing", []any{"false"}, "disparity images aren't published", false},
	{"rgbd_launch/disparity_registered_processing", []any{"false"}, "disparity images aren't published", false},
	{"rgbd_launch/hw_registered_processing", []any{"true"}, "points are always made of aligned depth", false},
	{"rgbd_launch/sw_registered_processing", []any{"false"}, "points are always made of aligned depth", false},
}
