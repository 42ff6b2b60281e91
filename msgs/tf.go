package msgs

// TFMessage is tf2_msgs/TFMessage (and tf/tfMessage).
type TFMessage struct{ Transforms []TransformStamped }

// minTransformStamped is the minimum wire size.
const minTransformStamped = 16 + 4 + 7*8

func (m *TFMessage) Append(e *Encoder) { m.fields(codec{e: e}) }
func (m *TFMessage) Decode(d *Decoder) { m.fields(codec{d: d}) }

func (m *TFMessage) fields(c codec) {
	list(c, &m.Transforms, minTransformStamped)
}
