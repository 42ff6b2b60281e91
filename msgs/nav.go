package msgs

// OccupancyGridHead is nav_msgs/OccupancyGrid up to its cells, DataLen bytes that follow.
type OccupancyGridHead struct {
	Header        Header
	Loaded        Time
	Resolution    float32 // m per cell
	Width, Height uint32  // cells
	Origin        Transform
	DataLen       uint32 // size of the cells in bytes
}

func (m *OccupancyGridHead) fields(c codec) {
	m.Header.fields(c)
	c.time(&m.Loaded)
	c.f32(&m.Resolution)
	c.u32(&m.Width, &m.Height)
	m.Origin.fields(c)
	c.u32(&m.DataLen)
}
