package naming

import (
	"math"
	"slices"
	"testing"

	"rsros/camdriver"
	"rsros/msgs"
)

func near(a, b msgs.Vector3) bool {
	return math.Abs(a.X-b.X) < 1e-6 && math.Abs(a.Y-b.Y) < 1e-6 && math.Abs(a.Z-b.Z) < 1e-6
}

// A camera that was carried 3 m forward and turned 90° to the left moves to its own right when it
// continues in the world's original direction.
func TestOdometry(t *testing.T) {
	s := float32(math.Sqrt2 / 2)
	f := &camdriver.Frame{Pose: camdriver.PoseSample{
		Translation: camdriver.Vec3{0, 0.5, -3}, Velocity: camdriver.Vec3{0, 0, -2}, AngularVelocity: camdriver.Vec3{0, 1, 0},
		Rotation: [4]float32{0, s, 0, s}, TrackerConfidence: 2,
	}}
	l := newLayout(WrapperOptions{Camera: "eye", AccelCovariance: 0.02}, camdriver.DeviceSnapshot{}, 0)
	m := l.odometry(msgs.Header{FrameID: "eye_odom_frame"}, f)
	if at := m.Pose.Translation; !near(at, msgs.Vector3{X: 3, Z: 0.5}) || m.ChildFrameID != "eye_pose_frame" {
		t.Errorf("%s at %+v", m.ChildFrameID, at)
	}
	if r := m.Pose.Rotation; math.Abs(r.Z-float64(s)) > 1e-6 || math.Abs(r.W-float64(s)) > 1e-6 || r.X != 0 || r.Y != 0 {
		t.Errorf("turned by %+v", r)
	}
	if v := m.Twist; !near(v.Linear, msgs.Vector3{Y: -2}) || !near(v.Angular, msgs.Vector3{Z: 1}) {
		t.Errorf("twist %+v", v)
	}
	if got := []float64{m.PoseCovariance[0], m.TwistCovariance[35]}; math.Abs(got[0]-0.2) > 1e-9 || math.Abs(got[1]-0.001) > 1e-9 {
		t.Errorf("covariances %v", got)
	}
	tf := l.odometryTransform(msgs.Header{FrameID: "eye_odom_frame"}, f).Transforms[0]
	if tf.Transform != m.Pose || tf.Header.FrameID != "eye_odom_frame" || tf.ChildFrameID != "eye_pose_frame" {
		t.Errorf("%+v", tf)
	}
}

// The frame of poses has one parent: the odometry frame on /tf, otherwise the camera's base frame. Axes
// of poses and images agree in it.
func TestPoseFrameHasOneParent(t *testing.T) {
	turned := camdriver.Extrinsics{Rotation: [9]float64{1, 0, 0, 0, -1, 0, 0, 0, -1}, Translation: [3]float64{0.1, 0, 0}}
	depth, pose := camdriver.DepthStream, camdriver.PoseStream
	identity := camdriver.Identity()
	snap := camdriver.DeviceSnapshot{Reference: depth, Streams: []camdriver.StreamSnapshot{
		{Profile: camdriver.Profile{Stream: depth}, Extrinsic: &identity}, {Profile: camdriver.Profile{Stream: pose}, Extrinsic: &turned},
	}}
	for _, still := range []bool{false, true} {
		o := WrapperOptions{Camera: "eye", NoOdomTF: still}
		var found msgs.TransformStamped
		for _, tf := range staticTransforms(&o, snap).Transforms {
			if slices.Contains([]string{tf.Header.FrameID, tf.ChildFrameID}, "eye_pose_frame") {
				found = tf
			}
		}
		parent, at := "eye_pose_frame", msgs.Vector3{Y: -0.1} // 0.1 m to the left in camera_link
		if still {
			parent, at = "eye_link", msgs.Vector3{Y: 0.1}
		}
		if r := found.Transform.Rotation; found.Header.FrameID != parent || !near(found.Transform.Translation, at) || math.Abs(r.W) < 1-1e-9 {
			t.Errorf("publish_odom_tf %v: %+v", !still, found)
		}
	}
}
