package msgs

// OccupancyGridHead is all of nav_msgs/OccupancyGrid but the cells, which come
// last, a byte each, as ImageHead's pixels do.
type OccupancyGridHead struct {
	Header        Header
	Loaded        Time
	Resolution    float32 // m a cell
	Width, Height uint32  // cells
	Origin        Transform
	DataLen       uint32 // bytes of cells that follow
}

// Append adds the wire form up to the cells.
func (m *OccupancyGridHead) Append(e *Encoder) {
	m.Header.Append(e)
	e.Time(m.Loaded)
	e.F32(m.Resolution)
	e.U32(m.Width)
	e.U32(m.Height)
	m.Origin.Append(e)
	e.U32(m.DataLen)
}

// Decode fills m and leaves the decoder at the cells: d.Raw(int(m.DataLen)).
func (m *OccupancyGridHead) Decode(d *Decoder) {
	m.Header.Decode(d)
	m.Loaded = d.Time()
	m.Resolution = d.F32()
	m.Width = d.U32()
	m.Height = d.U32()
	m.Origin.Decode(d)
	m.DataLen = d.U32()
}
