package naming

import (
	"cmp"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program/buffers"
)

// wrapperEncoding returns the sensor_msgs encoding of an image. Depth has millimetres.
func wrapperEncoding(f camdriver.Format) string {
	switch f {
	case camdriver.Z16:
		return "16UC1"
	case camdriver.Y8, camdriver.RAW8:
		return "mono8"
	case camdriver.Y16, camdriver.RAW16:
		return "mono16"
	case camdriver.YUYV:
		return "yuv422_yuy2"
	case camdriver.UYVY:
		return "yuv422"
	}
	return strings.ToLower(f.String()) // rgb8, bgr8, rgba8, bgra8
}

// millimetres returns a frame's pixels. Depth in other units is converted into a buffer of
// the pool. The caller owns one reference of owner, which is nil if the pool is exhausted.
func millimetres(f *camdriver.Frame, pool *camdriver.Pool) (pixels []byte, owner buffers.Releaser) {
	scale := float64(f.DepthUnits) * 1000
	if f.Profile.Format != camdriver.Z16 || f.DepthUnits == 0 || math.Abs(scale-1) < 1e-6 {
		return f.Data, f.Retain()
	}
	buf := pool.Get(len(f.Data))
	if buf == nil {
		return nil, nil
	}
	for i := 0; i+1 < len(f.Data); i += 2 {
		mm := math.Round(float64(binary.LittleEndian.Uint16(f.Data[i:])) * scale)
		binary.LittleEndian.PutUint16(buf.Bytes[i:], uint16(min(mm, math.MaxUint16)))
	}
	return buf.Bytes, buf
}

// clip sets larger depths than the limit to 0, in a copy, unless memory is exhausted.
func (l *layout) clip(f *camdriver.Frame) *camdriver.Frame {
	limit := l.options.Clip / float64(f.DepthUnits)
	if !(limit < math.MaxUint16) || f.Profile.Format != camdriver.Z16 {
		return f.Retain()
	}
	buffer := l.pool.Get(len(f.Data))
	if buffer == nil {
		return f.Retain()
	}
	out := camdriver.NewFrame(buffer)
	out.Profile, out.Number, out.Timestamp, out.Domain, out.Arrival, out.Metadata = f.Profile, f.Number, f.Timestamp,
		f.Domain, f.Arrival, f.Metadata
	out.Width, out.Height, out.Stride, out.DepthUnits, out.Data = f.Width, f.Height, f.Stride, f.DepthUnits, buffer.Bytes
	farthest := uint16(limit)
	for i := 0; i+1 < len(f.Data); i += 2 {
		v := binary.LittleEndian.Uint16(f.Data[i:])
		if v > farthest {
			v = 0
		}
		binary.LittleEndian.PutUint16(out.Data[i:], v)
	}
	return out
}

// greyToRGB returns a grey frame's pixels as rgb8, in a buffer of the pool. The caller owns
// one reference of owner, which is nil if the pool is exhausted.
func greyToRGB(f *camdriver.Frame, pool *camdriver.Pool) (pixels []byte, owner buffers.Releaser) {
	buffer := pool.Get(3 * f.Width * f.Height)
	if buffer == nil {
		return nil, nil
	}
	for y := range f.Height {
		grey := f.Data[y*f.Stride:][:f.Width]
		row := buffer.Bytes[3*y*f.Width:][:3*f.Width]
		for x, v := range grey {
			row[3*x], row[3*x+1], row[3*x+2] = v, v, v
		}
	}
	return buffer.Bytes[:3*f.Width*f.Height], buffer
}

func cameraInfo(s camdriver.StreamSnapshot) *msgs.CameraInfo {
	m := rslayout.ROSCameraInfo(s)
	m.Height, m.Width = uint32(s.Profile.Height), uint32(s.Profile.Width)
	if id := s.Profile.Stream; id.Kind == camdriver.Infrared && id.Index == 2 && s.Video != nil && s.Extrinsic != nil {
		m.P[3] = s.Video.Fx * s.Extrinsic.Translation[0] // −fx·baseline
	}
	return m
}

// imuCovariance is the default in realsense2_camera.
const imuCovariance = 0.01

// imuMessage returns the message of a sample. With only a gyroscope or an accelerometer, the
// other vector is zero, and a covariance of -1 means that there is no orientation.
func (l *layout) imuMessage(h msgs.Header, kind camdriver.StreamKind, f *camdriver.Frame) *msgs.Imu {
	m := &msgs.Imu{Header: h}
	m.OrientationCovariance[0] = -1
	for i := 0; i < 9; i += 4 {
		m.LinearCovariance[i] = cmp.Or(l.options.AccelCovariance, imuCovariance)
		m.AngularCovariance[i] = cmp.Or(l.options.GyroCovariance, imuCovariance)
	}
	if kind != camdriver.Accel {
		m.AngularVelocity = vector3(f.Motion.Gyro)
	}
	if kind != camdriver.Gyro {
		m.LinearAcceleration = vector3(f.Motion.Accel)
	}
	if o := f.Motion.Orientation; kind == camdriver.Motion {
		m.Orientation = msgs.Quaternion{X: o[0], Y: o[1], Z: o[2], W: o[3]}
		m.OrientationCovariance[0] = 0
	}
	return m
}

func vector3(v [3]float64) msgs.Vector3 { return msgs.Vector3{X: v[0], Y: v[1], Z: v[2]} }

func imuInfo(frameID string, in *camdriver.MotionIntrinsics) *msgs.IMUInfo {
	m := &msgs.IMUInfo{FrameID: frameID, Data: [12]float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}
	if in == nil {
		return m
	}
	for i, v := range in.Data {
		m.Data[i] = float64(v)
	}
	for i := range 3 {
		m.NoiseVariances[i] = float64(in.NoiseVariances[i])
		m.BiasVariances[i] = float64(in.BiasVariances[i])
	}
	return m
}

// odometry converts a pose to ROS's axes, and its velocities from the world's axes to those
// of the child frame. The covariance grows tenfold with each step of lost confidence.
func (l *layout) odometry(h msgs.Header, f *camdriver.Frame) *msgs.Odometry {
	p := &f.Pose
	m := &msgs.Odometry{Header: h, ChildFrameID: l.options.frame("pose_frame"), Pose: poseTransform(p)}
	q := p.Rotation
	rotation := camdriver.FromQuaternion([4]float64{float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])},
		[3]float64{})
	toChild := rotation.Inverse().Then(poseToBody)
	linear, angular := toChild.Apply(double(p.Velocity)), toChild.Apply(double(p.AngularVelocity))
	m.Twist.Linear, m.Twist.Angular = vector3(linear), vector3(angular)
	lost := float64(min(p.TrackerConfidence, 3))
	place := cmp.Or(l.options.AccelCovariance, imuCovariance) * math.Pow(10, 3-lost)
	turn := cmp.Or(l.options.GyroCovariance, imuCovariance) * math.Pow(10, 1-lost)
	for i, c := range [6]float64{place, place, place, turn, turn, turn} {
		m.PoseCovariance[7*i], m.TwistCovariance[7*i] = c, c
	}
	return m
}

// odometryTransform returns a pose as the transform from the odometry's frame.
func (l *layout) odometryTransform(h msgs.Header, f *camdriver.Frame) *msgs.TFMessage {
	return &msgs.TFMessage{Transforms: []msgs.TransformStamped{{
		Header: h, ChildFrameID: l.options.frame("pose_frame"), Transform: poseTransform(&f.Pose),
	}}}
}

func poseTransform(p *camdriver.PoseSample) msgs.Transform {
	r := p.Rotation
	return msgs.Transform{
		Translation: vector3(poseToBody.Apply(double(p.Translation))),
		Rotation:    msgs.Quaternion{X: -float64(r[2]), Y: -float64(r[0]), Z: float64(r[1]), W: float64(r[3])},
	}
}

func double(v camdriver.Vec3) [3]float64 {
	return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])}
}

// metadataJSON encodes a frame's metadata as realsense2_camera does: with the SDK's names
// in snake case, except "Frame Timestamp", the camera's own clock, which is hw_timestamp.
func metadataJSON(f *camdriver.Frame) string {
	b := make([]byte, 0, 64+40*len(f.Metadata))
	b = append(b, `{"frame_number":`...)
	b = strconv.AppendUint(b, f.Number, 10)
	b = append(b, `,"clock_domain":"`...)
	b = append(b, camdriver.SnakeCase(f.Domain.String())...)
	b = append(b, `","frame_timestamp":`...)
	b = strconv.AppendFloat(b, f.Timestamp, 'f', 6, 64)
	for _, m := range f.Metadata {
		b = append(b, `,"`...)
		if m.Key == camdriver.MetaFrameTimestamp {
			b = append(b, "hw_timestamp"...)
		} else {
			b = append(b, camdriver.SnakeCase(m.Key.String())...)
		}
		b = append(b, `":`...)
		b = strconv.AppendInt(b, m.Value, 10)
	}
	return string(append(b, '}'))
}
