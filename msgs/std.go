package msgs

// Header is std_msgs/Header.
type Header struct {
	Seq     uint32
	Stamp   Time
	FrameID string
}

// Append is faster than a codec. All frames have a Header. That of ROS 2 has no Seq.
func (m *Header) Append(e *Encoder) {
	if !e.CDR() {
		e.U32(m.Seq)
	}
	e.Time(m.Stamp)
	e.String(m.FrameID)
}

func (m *Header) Decode(d *Decoder) {
	if !d.CDR() {
		m.Seq = d.U32()
	}
	m.Stamp = d.Time()
	m.FrameID = d.String()
}

func (m *Header) fields(c codec) {
	if c.e != nil {
		m.Append(c.e)
	} else {
		m.Decode(c.d)
	}
}

// String is std_msgs/String.
type String struct{ Data string }

func (m *String) fields(c codec) { c.str(&m.Data) }

// UInt32 is std_msgs/UInt32.
type UInt32 struct{ Data uint32 }

func (m *UInt32) fields(c codec) { c.u32(&m.Data) }

// Float32 is std_msgs/Float32.
type Float32 struct{ Data float32 }

func (m *Float32) fields(c codec) { c.f32(&m.Data) }

// Float64 is std_msgs/Float64.
type Float64 struct{ Data float64 }

func (m *Float64) fields(c codec) { c.f64(&m.Data) }

// Bool is std_msgs/Bool, and the request of std_srvs/SetBool.
type Bool struct{ Data bool }

func (m *Bool) fields(c codec) { c.bool(&m.Data) }

// Result is the response of std_srvs/Trigger and std_srvs/SetBool.
type Result struct {
	Success bool
	Message string
}

func (m *Result) fields(c codec) {
	c.bool(&m.Success)
	c.str(&m.Message)
}
