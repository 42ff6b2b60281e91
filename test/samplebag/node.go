package samplebag

import (
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
)

// NodeStart is the first of NodeStamps, in nanoseconds.
const NodeStart int64 = 1_700_000_000_000_000_000

// Node writes a bag as of a camera node: an image of colour and of depth with each stamp, recorded 33 ms
// apart, and joints 5 ms before each, the first of all messages.
func Node(t testing.TB, stamps []int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "node.bag")
	w := Create(t, path, bagstore.Options{Checkpoint: -1})
	write := func(topic, kind string, at int64, data []byte) { w.Put(Topic(topic, kind), bagstore.Time(at), data) }
	for i, stamp := range stamps {
		at := NodeStart + int64(i)*33_000_000
		write("/joint_states", "sensor_msgs/JointState", at-5_000_000, JointStates(i, msgs.Time(stamp-5_000_000)))
		for _, c := range []struct {
			name, encoding string
			size           int
		}{{"color", "rgb8", 3}, {"depth", "16UC1", 2}} {
			h := msgs.Header{Seq: uint32(i), Stamp: msgs.Time(stamp), FrameID: c.name}
			write("/camera/"+c.name+"/camera_info", "sensor_msgs/CameraInfo", at, msgs.Marshal(&msgs.CameraInfo{Header: h, Height: 3, Width: 4, DistortionModel: "plumb_bob",
				D: make([]float64, 5), K: [9]float64{20, 0, 2, 0, 20, 1, 0, 0, 1}, R: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, P: [12]float64{20, 0, 2, 0, 0, 20, 1, 0, 0, 0, 1, 0}}))
			pixels := make([]byte, 12*c.size)
			pixels[0] = byte(i)
			var e msgs.Encoder
			head := msgs.ImageHead{Header: h, Height: 3, Width: 4, Encoding: c.encoding, Step: uint32(4 * c.size), DataLen: uint32(len(pixels))}
			head.Append(&e)
			write("/camera/"+c.name+"/image_raw", "sensor_msgs/Image", at, append(e.B, pixels...))
		}
	}
	w.Done()
	return path
}

// NodeStamps returns the stamps of n images, 33 ms apart from NodeStart.
func NodeStamps(n int) (stamps []int64) {
	for i := range int64(n) {
		stamps = append(stamps, NodeStart+i*33_000_000)
	}
	return stamps
}

// JointStates returns a message with position, velocity and effort of two joints.
func JointStates(number int, stamp msgs.Time) []byte {
	var e msgs.Encoder
	h := msgs.Header{Seq: uint32(number), Stamp: stamp}
	h.Append(&e)
	e.Len(2)
	e.String("elbow")
	e.String("wrist")
	for range 3 {
		e.Len(2)
		e.F64(float64(number))
		e.F64(-float64(number) / 2)
	}
	return e.B
}
