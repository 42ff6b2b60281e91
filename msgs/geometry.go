package msgs

// Vector3 is geometry_msgs/Vector3; geometry_msgs/Point has the same form.
type Vector3 struct{ X, Y, Z float64 }

// Append adds the wire form.
func (m *Vector3) Append(e *Encoder) {
	e.F64(m.X)
	e.F64(m.Y)
	e.F64(m.Z)
}

// Decode fills m.
func (m *Vector3) Decode(d *Decoder) {
	m.X = d.F64()
	m.Y = d.F64()
	m.Z = d.F64()
}

// Quaternion is geometry_msgs/Quaternion.
type Quaternion struct{ X, Y, Z, W float64 }

// Append adds the wire form.
func (m *Quaternion) Append(e *Encoder) {
	e.F64(m.X)
	e.F64(m.Y)
	e.F64(m.Z)
	e.F64(m.W)
}

// Decode fills m.
func (m *Quaternion) Decode(d *Decoder) {
	m.X = d.F64()
	m.Y = d.F64()
	m.Z = d.F64()
	m.W = d.F64()
}

// Transform is geometry_msgs/Transform; geometry_msgs/Pose has the same form.
type Transform struct {
	Translation Vector3
	Rotation    Quaternion
}

// Append adds the wire form.
func (m *Transform) Append(e *Encoder) {
	m.Translation.Append(e)
	m.Rotation.Append(e)
}

// Decode fills m.
func (m *Transform) Decode(d *Decoder) {
	m.Translation.Decode(d)
	m.Rotation.Decode(d)
}

// TransformStamped is geometry_msgs/TransformStamped.
type TransformStamped struct {
	Header       Header
	ChildFrameID string
	Transform    Transform
}

// Append adds the wire form.
func (m *TransformStamped) Append(e *Encoder) {
	m.Header.Append(e)
	e.String(m.ChildFrameID)
	m.Transform.Append(e)
}

// Decode fills m.
func (m *TransformStamped) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.ChildFrameID = d.String()
	m.Transform.Decode(d)
}

// Twist is geometry_msgs/Twist; geometry_msgs/Accel has the same form.
type Twist struct{ Linear, Angular Vector3 }

// Append adds the wire form.
func (m *Twist) Append(e *Encoder) {
	m.Linear.Append(e)
	m.Angular.Append(e)
}

// Decode fills m.
func (m *Twist) Decode(d *Decoder) {
	m.Linear.Decode(d)
	m.Angular.Decode(d)
}

// Odometry is nav_msgs/Odometry.
type Odometry struct {
	Header          Header
	ChildFrameID    string
	Pose            Transform
	PoseCovariance  [36]float64
	Twist           Twist
	TwistCovariance [36]float64
}

// Append adds the wire form.
func (m *Odometry) Append(e *Encoder) {
	m.Header.Append(e)
	e.String(m.ChildFrameID)
	m.Pose.Append(e)
	e.F64s(m.PoseCovariance[:])
	m.Twist.Append(e)
	e.F64s(m.TwistCovariance[:])
}

// Decode fills m.
func (m *Odometry) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.ChildFrameID = d.String()
	m.Pose.Decode(d)
	d.F64s(m.PoseCovariance[:])
	m.Twist.Decode(d)
	d.F64s(m.TwistCovariance[:])
}
