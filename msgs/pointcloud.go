package msgs

// PointFloat32 is sensor_msgs/PointField's FLOAT32.
const PointFloat32 = 7

// PointField is sensor_msgs/PointField.
type PointField struct {
	Name     string
	Offset   uint32
	Datatype uint8
	Count    uint32
}

// PointCloudHead is sensor_msgs/PointCloud2 up to its points. A whole message is
// the head, DataLen bytes of points, and one byte is_dense.
type PointCloudHead struct {
	Header        Header
	Height, Width uint32
	Fields        []PointField
	BigEndian     bool
	PointStep     uint32
	RowStep       uint32
	DataLen       uint32
}

// Append adds the wire form up to the points.
func (m *PointCloudHead) Append(e *Encoder) {
	m.Header.Append(e)
	e.U32(m.Height)
	e.U32(m.Width)
	e.Len(len(m.Fields))
	for _, f := range m.Fields {
		e.String(f.Name)
		e.U32(f.Offset)
		e.U8(f.Datatype)
		e.U32(f.Count)
	}
	e.Bool(m.BigEndian)
	e.U32(m.PointStep)
	e.U32(m.RowStep)
	e.U32(m.DataLen)
}

// Decode fills m and leaves the decoder at the points.
func (m *PointCloudHead) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.Height = d.U32()
	m.Width = d.U32()
	m.Fields = make([]PointField, d.Len(13))
	for i := range m.Fields {
		m.Fields[i] = PointField{Name: d.String(), Offset: d.U32(), Datatype: d.U8(), Count: d.U32()}
	}
	m.BigEndian = d.Bool()
	m.PointStep = d.U32()
	m.RowStep = d.U32()
	m.DataLen = d.U32()
}
