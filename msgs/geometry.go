package msgs

// Vector3 is geometry_msgs/Vector3; geometry_msgs/Point has the same form.
type Vector3 struct{ X, Y, Z float64 }

func (m *Vector3) fields(c codec) { c.f64(&m.X, &m.Y, &m.Z) }

// Quaternion is geometry_msgs/Quaternion.
type Quaternion struct{ X, Y, Z, W float64 }

func (m *Quaternion) fields(c codec) { c.f64(&m.X, &m.Y, &m.Z, &m.W) }

// Transform is geometry_msgs/Transform; geometry_msgs/Pose has the same form.
type Transform struct {
	Translation Vector3
	Rotation    Quaternion
}

func (m *Transform) fields(c codec) {
	m.Translation.fields(c)
	m.Rotation.fields(c)
}

// TransformStamped is geometry_msgs/TransformStamped.
type TransformStamped struct {
	Header       Header
	ChildFrameID string
	Transform    Transform
}

func (m *TransformStamped) fields(c codec) {
	m.Header.fields(c)
	c.str(&m.ChildFrameID)
	m.Transform.fields(c)
}

// Twist is geometry_msgs/Twist; geometry_msgs/Accel has the same form.
type Twist struct{ Linear, Angular Vector3 }

func (m *Twist) fields(c codec) {
	m.Linear.fields(c)
	m.Angular.fields(c)
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

func (m *Odometry) fields(c codec) {
	m.Header.fields(c)
	c.str(&m.ChildFrameID)
	m.Pose.fields(c)
	c.f64s(m.PoseCovariance[:])
	m.Twist.fields(c)
	c.f64s(m.TwistCovariance[:])
}
