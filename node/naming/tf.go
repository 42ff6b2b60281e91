package naming

import (
	"rsros/camdriver"
	"rsros/camdriver/imu"
	"rsros/msgs"
)

// opticalToBody converts the axes of an image (x right, y down, z forward) to those
// of a ROS body frame (x forward, y left, z up).
var opticalToBody = camdriver.Extrinsics{Rotation: [9]float64{0, 0, 1, -1, 0, 0, 0, -1, 0}}

// poseToBody does so for the axes of poses, those of tracking cameras (x right, y up,
// z back).
var poseToBody = camdriver.Extrinsics{Rotation: [9]float64{0, 0, -1, -1, 0, 0, 0, 1, 0}}

// toBody converts the axes of a stream.
func toBody(id camdriver.StreamID) camdriver.Extrinsics {
	if id.Kind == camdriver.Pose {
		return poseToBody
	}
	return opticalToBody
}

// staticTransforms returns the tree that realsense2_camera publishes: camera_link,
// which is the reference stream's body frame, each stream's body frame below it,
// and below that the stream's optical frame.
func staticTransforms(o *WrapperOptions, snap camdriver.DeviceSnapshot) *msgs.TFMessage {
	m, base := &msgs.TFMessage{}, o.frame("link")
	add := func(parent, child string, e camdriver.Extrinsics) {
		q := e.Quaternion()
		m.Transforms = append(m.Transforms, msgs.TransformStamped{
			Header: msgs.Header{FrameID: parent}, ChildFrameID: child,
			Transform: msgs.Transform{
				Translation: vector3(e.Translation),
				Rotation:    msgs.Quaternion{X: q[0], Y: q[1], Z: q[2], W: q[3]},
			},
		})
	}
	for _, s := range snap.Streams {
		id := s.Profile.Stream
		pose := camdriver.Identity() // as in realsense2_camera if the calibration is missing
		if s.Extrinsic != nil {
			pose = s.Extrinsic.Inverse() // the stream's pose in the reference's axes
		}
		place := toBody(id).Inverse().Then(pose).Then(toBody(snap.Reference)) // in the base frame
		switch {
		case id.Kind == camdriver.Pose && !o.NoOdomTF: // the pose's frame has a parent on /tf
			add(o.bodyFrame(id), base, place.Inverse())
			continue
		case id.Kind == camdriver.Pose:
			add(base, o.bodyFrame(id), place)
			continue
		}
		add(base, o.bodyFrame(id), place)
		add(o.bodyFrame(id), o.opticalFrame(id), opticalToBody)
		if id.Kind == camdriver.Gyro && o.UniteIMU != "" && o.UniteIMU != imu.None {
			add(o.bodyFrame(id), o.frame("imu_optical_frame"), opticalToBody)
		}
		if id.Kind == camdriver.Color && o.align() {
			// realsense2_camera makes it a second parent of the colour camera's
			// optical frame, which tf can't have.
			add(base, o.frame("aligned_depth_to_color_frame"), place)
		}
	}
	return m
}
