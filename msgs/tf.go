package msgs

// TFMessage is tf2_msgs/TFMessage (and tf/tfMessage).
type TFMessage struct{ Transforms []TransformStamped }

// minTransformStamped is the minimum wire size.
const minTransformStamped = 16 + 4 + 7*8

func (m *TFMessage) fields(c codec) { list(c, &m.Transforms, minTransformStamped) }
