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

func (m *PointField) fields(c codec) {
	c.str(&m.Name)
	c.u32(&m.Offset)
	c.u8(&m.Datatype)
	c.u32(&m.Count)
}

// PointCloudHead is sensor_msgs/PointCloud2 up to its points. DataLen bytes of points and one byte is_dense follow.
type PointCloudHead struct {
	Header        Header
	Height, Width uint32
	Fields        []PointField
	BigEndian     bool
	PointStep     uint32
	RowStep       uint32
	DataLen       uint32
}

func (m *PointCloudHead) fields(c codec) {
	m.Header.fields(c)
	c.u32(&m.Height, &m.Width)
	list(c, &m.Fields, 13)
	c.bool(&m.BigEndian)
	c.u32(&m.PointStep, &m.RowStep, &m.DataLen)
}
