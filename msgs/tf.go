package msgs

// TFMessage is tf2_msgs/TFMessage (and tf/tfMessage).
type TFMessage struct{ Transforms []TransformStamped }

// minTransformStamped is the wire size with empty names.
const minTransformStamped = 16 + 4 + 7*8

// Append adds the wire form.
func (m *TFMessage) Append(e *Encoder) {
	e.Len(len(m.Transforms))
	for i := range m.Transforms {
		m.Transforms[i].Append(e)
	}
}

// Decode fills m.
func (m *TFMessage) Decode(d *Decoder) {
	m.Transforms = make([]TransformStamped, d.Len(minTransformStamped))
	for i := range m.Transforms {
		m.Transforms[i].Decode(d)
	}
}
