package settings

// Unused is a group of realsense2_camera's parameters that have no effect.
type Unused struct {
	Params []string
	Usual  []any // values in realsense2_camera's launch files, which need no warning
	Why    string
	Stream bool // of a stream that recordings may have
}

const (
	noFisheye    = "no camera here has a fisheye stream"
	noConfidence = "no camera here has a confidence stream"
	noOdometry   = "only tracking cameras use wheel odometry, and they aren't supported"
	noTurns      = "alternating exposures can't be set"
	oneName      = "topic names are fixed"
)

// WithoutEffect has all parameters without effect.
var WithoutEffect = []Unused{
	{[]string{"external_manager"}, []any{false}, "this is a node, not a nodelet: no manager loads it", false},
	{[]string{"fisheye_width", "fisheye_height"}, []any{-1, 0}, noFisheye, true},
	{[]string{"fisheye_fps"}, []any{-1, 0, 30}, noFisheye, true},
	{[]string{"enable_fisheye", "enable_fisheye1", "enable_fisheye2"}, []any{false}, noFisheye, true},
	{[]string{"confidence_width"}, []any{-1, 0, 640}, noConfidence, true},
	{[]string{"confidence_height"}, []any{-1, 0, 480}, noConfidence, true},
	{[]string{"confidence_fps"}, []any{-1, 0, 30}, noConfidence, true},
	{[]string{"enable_confidence"}, []any{true}, noConfidence, true},
	{[]string{"hold_back_imu_for_frames"}, []any{false}, "motion samples never wait for images", false},
	{[]string{"topic_odom_in"}, []any{"", "odom_in"}, noOdometry, false},
	{[]string{"calib_odom_file"}, []any{""}, noOdometry, false},
	{[]string{"stereo_module/exposure/1"}, []any{7500}, noTurns, false},
	{[]string{"stereo_module/exposure/2"}, []any{1}, noTurns, false},
	{[]string{"stereo_module/gain/1", "stereo_module/gain/2"}, []any{16}, noTurns, false},
	{[]string{"rgbd_launch/rgb"}, []any{"color"}, oneName, false},
	{[]string{"rgbd_launch/ir"}, []any{"infra1"}, oneName, false},
	{[]string{"rgbd_launch/depth"}, []any{"depth"}, oneName, false},
	{[]string{"rgbd_launch/depth_registered_pub"}, []any{"depth_registered"}, oneName, false},
	{[]string{"rgbd_launch/depth_registered", "rgbd_launch/depth_registered_filtered"}, []any{"aligned_depth_to_color", "depth_registered"}, oneName, false},
	{[]string{"rgbd_launch/projector"}, []any{"projector"}, oneName, false},
	{[]string{"rgbd_launch/bond"}, []any{"false"}, "this is a node, not a nodelet", false},
	{[]string{"rgbd_launch/rgb_processing"}, []any{"true"}, "color/image_rect_color is always published", false},
	{[]string{"rgbd_launch/debayer_processing"}, []any{"false"}, "cameras send colour images", false},
	{[]string{"rgbd_launch/ir_processing", "rgbd_launch/depth_processing"}, []any{"false"}, "the camera rectifies infrared and depth", false},
	{[]string{"rgbd_launch/disparity_processing", "rgbd_launch/disparity_registered_processing"}, []any{"false"}, "disparity images aren't published", false},
	{[]string{"rgbd_launch/hw_registered_processing"}, []any{"true"}, "points are always made of aligned depth", false},
	{[]string{"rgbd_launch/sw_registered_processing"}, []any{"false"}, "points are always made of aligned depth", false},
}
