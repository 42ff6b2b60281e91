package naming

import (
	"cmp"
	"errors"
	"fmt"

	"rsros/camdriver"
	"rsros/camdriver/imu"
	"rsros/node/graph"
	"rsros/program"
)

// Fill sets what has its zero value from realsense2_camera's parameters.
func (o *WrapperOptions) Fill(p *graph.ParamReader) error {
	o.Sync = o.Sync || p.Is("enable_sync")
	o.AlignDepth = o.AlignDepth || p.Is("align_depth")
	o.PointCloud = o.PointCloud || p.Is("enable_pointcloud")
	o.OrderedCloud = o.OrderedCloud || p.Is("ordered_pc")
	o.AllowNoTexture = o.AllowNoTexture || p.Is("allow_no_texture_points")
	o.RGBD = o.RGBD || p.Is("rgbd")
	o.InfraRGB = o.InfraRGB || p.Is("infra_rgb")
	o.Frames = cmp.Or(o.Frames, p.Text("tf_prefix"))
	o.fillFrames(p)
	o.AccelCovariance = cmp.Or(o.AccelCovariance, p.Real("linear_accel_cov"))
	o.GyroCovariance = cmp.Or(o.GyroCovariance, p.Real("angular_velocity_cov"))
	o.Clip = cmp.Or(o.Clip, p.Real("clip_distance"))
	o.TFRate = cmp.Or(o.TFRate, p.Real("tf_publish_rate"))
	if on, said := p.Truth("publish_tf"); said && !on {
		o.NoTF = true
	}
	if on, said := p.Truth("publish_odom_tf"); said && !on {
		o.NoOdomTF = true
	}
	var errs []error
	if o.Filters == nil {
		var err error
		o.Filters, err = ParseFilters(p.Text("filters"))
		errs = append(errs, err)
	}
	if o.UniteIMU == "" {
		method, err := imu.ParseMethod(p.Text("unite_imu_method"))
		if err != nil {
			err = fmt.Errorf("%w: %w", program.ErrUsage, err)
		}
		if p.Text("unite_imu_method") != "" {
			o.UniteIMU = method
		}
		errs = append(errs, err)
	}
	kind, err := ParseTexture(p.Text("pointcloud_texture_stream"))
	o.Texture = camdriver.StreamID{Kind: kind, Index: p.Number("pointcloud_texture_index")}
	return errors.Join(append(errs, err)...)
}

// fillFrames takes the parameters of single frames: base_frame_id, and NAME_id of a
// frame's name without the prefix.
func (o *WrapperOptions) fillFrames(p *graph.ParamReader) {
	o.FrameIDs = map[string]string{"link": p.Text("base_frame_id")}
	for _, name := range []string{"odom_frame", "imu_optical_frame", "aligned_depth_to_color_frame"} {
		o.FrameIDs[name] = p.Text(name + "_id")
	}
	for _, stream := range []string{"depth", "infra", "infra1", "infra2", "color", "fisheye", "confidence", "gyro", "accel", "pose"} {
		for _, name := range []string{stream + "_frame", stream + "_optical_frame"} {
			o.FrameIDs[name] = p.Text(name + "_id")
		}
	}
}
