package naming

import (
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/msgs"
)

// opticalToBody converts from the axes of images (x right, y down, z forward) to those of
// ROS body frames (x forward, y left, z up).
var opticalToBody = camdriver.Extrinsics{Rotation: [9]float64{0, 0, 1, -1, 0, 0, 0, -1, 0}}

// poseToBody converts from the axes of poses (x right, y up, z back).
var poseToBody = camdriver.Extrinsics{Rotation: [9]float64{0, 0, -1, -1, 0, 0, 0, 1, 0}}

func toBody(id camdriver.StreamID) camdriver.Extrinsics {
	if id.Kind == camdriver.Pose {
		return poseToBody
	}
	return opticalToBody
}

// staticTransforms returns the tree that realsense2_camera publishes: camera_link, which is the reference stream's body
// frame, with a body frame for each stream, which has the stream's optical frame.
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
		if id.Kind == camdriver.Gyro && o.UniteIMU != "" && o.UniteIMU != process.UniteNone {
			add(o.bodyFrame(id), o.frame("imu_optical_frame"), opticalToBody)
		}
		if id.Kind == camdriver.Color && o.align() {
			// In realsense2_camera it is a second parent of the colour camera's optical frame, which tf doesn't support.
			add(base, o.frame("aligned_depth_to_color_frame"), place)
		}
	}
	return m
}
